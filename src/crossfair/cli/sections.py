"""Help pages whose options stand in sections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


class SectionedOption(click.Option):
    """An option that knows the section of the help page it belongs to."""

    section: str

    def __init__(self, *names: Any, section: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help page lists its options section by section, but for --help itself."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the names of their sections, in the order of their definition."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if isinstance(option, SectionedOption) and record:
                sections.setdefault(option.section, []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records, col_max=26)


def section(name: str) -> Callable[..., Callable[[Command], Command]]:
    """Return the decorator `click.option` for the options of one section."""

    def option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
        return click.option(*names, cls=SectionedOption, section=name, **attributes)

    return option
