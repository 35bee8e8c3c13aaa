"""`crossfair completion`: the script that teaches a shell to complete the command line."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

_SCRIPTS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command()
@click.argument("shell", type=click.Choice(list(_SCRIPTS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  crossfair completion bash >> ~/.bashrc
    zsh:   crossfair completion zsh >> ~/.zshrc
    fish:  crossfair completion fish > ~/.config/fish/completions/crossfair.fish
    """
    root = context.find_root().command
    click.echo(_SCRIPTS[shell](root, {}, "crossfair", "_CROSSFAIR_COMPLETE").source())
