from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import click
import pytest

from crossfair.cli.app import app, run
from crossfair.errors import SolverError, invalid


@pytest.fixture
def failing(request: pytest.FixtureRequest) -> Iterator[None]:
    """A command `fail` that raises what the test asks for."""

    @click.command()
    def fail() -> None:
        raise request.param

    app.add_command(fail)
    yield
    del app.commands["fail"]


@pytest.mark.parametrize("failing", [invalid("by", "must name a column", got="'sxe'")], indirect=True)
@pytest.mark.usefixtures("failing")
def test_what_the_user_got_wrong_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fail"]) == 2
    assert capsys.readouterr().err == "Error: by: must name a column; got 'sxe'.\n"


@pytest.mark.parametrize("failing", [PermissionError(13, "Permission denied", "out.json")], indirect=True)
@pytest.mark.usefixtures("failing")
def test_a_file_that_cannot_be_used_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fail"]) == 2
    assert capsys.readouterr().err == "Error: [Errno 13] Permission denied: 'out.json'\n"


@pytest.mark.parametrize("failing", [KeyboardInterrupt()], indirect=True)
@pytest.mark.usefixtures("failing")
def test_an_interrupt_is_exit_code_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fail"]) == 130
    assert "Interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("failing", [SolverError("re-check: a limit is broken")], indirect=True)
@pytest.mark.usefixtures("failing")
def test_a_failed_recheck_is_neither_the_users_fault_nor_an_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["fail"]) == 70
    assert capsys.readouterr().err == "Error: re-check: a limit is broken\n"


@pytest.mark.parametrize("failing", [ZeroDivisionError("a defect")], indirect=True)
@pytest.mark.usefixtures("failing")
def test_a_defect_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError, match="a defect"):
        run(["fail"])


def test_a_warning_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    def warn() -> None:
        warnings.warn("two values look alike", UserWarning, stacklevel=1)

    app.add_command(warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(["warn"]) == 0
    del app.commands["warn"]
    assert capsys.readouterr().err == "Warning: two values look alike\n"


@pytest.mark.parametrize("arguments", [["audti"], ["--nonsense"], ["completion", "tcsh"]])
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert "Usage: crossfair" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert f"_CROSSFAIR_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_help_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    for name in app.commands:
        assert run([name, "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )


def test_the_package_runs_as_a_module_too() -> None:
    command = [sys.executable, "-m", "crossfair", "audit", "nowhere.csv"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "Error: by: must name at least one attribute; got none.\n"


def test_help_does_not_import_numpy() -> None:
    code = (
        "import sys; from crossfair.cli import main; sys.argv = ['crossfair', '--help']\n"
        "try: main()\n"
        "finally: print({'numpy', 'rich', 'duckdb', 'narwhals'} & set(sys.modules))"
    )
    assert python(code).stdout.endswith("set()\n")


def test_without_click_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['click'] = None\nfrom crossfair.cli import main; main()"
    result = python(code)
    assert result.returncode == 2
    assert result.stderr == (
        "crossfair: the command line needs click and rich: pip install 'crossfair[cli]'\n"
    )


def test_a_terminal_without_greek_gets_question_marks() -> None:
    code = "from crossfair.cli.app import run; run([]); print('ε')"
    assert python(code, PYTHONIOENCODING="ascii").stdout.endswith("?\n")
