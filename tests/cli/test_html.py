"""`--html`: the page says what the exit code and the JSON say."""

from __future__ import annotations

import hashlib
import json
import shlex
from pathlib import Path

import pytest

import pages
from crossfair.cli.app import run

READ = ["--by", "sex,age,race_4", "--bins", "age=50", "--label", "income", "--positive", ">50K"]
GIVEN = [*READ, "--prediction", "prediction"]


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (["tpr_parity=2"], 0),
        (["tpr_parity=2", "fpr_parity=1"], 1),
        (["impact_ratio=2.2", "tpr_parity=2"], 3),
        ([], 0),
    ],
)
def test_the_verdicts_of_page_json_and_exit_code_agree(
    limits: list[str], code: int, people_csv: Path, tmp_path: Path
) -> None:
    asked = [option for limit in limits for option in ("--limit", limit)]
    written = ["--html", str(tmp_path / "a.html"), "--json", str(tmp_path / "a.json")]
    command = ["audit", str(people_csv), *GIVEN, *asked, *written, "--quiet"]
    assert run(command) == code
    page = pages.parse((tmp_path / "a.html").read_text("utf-8"))
    judged = json.loads((tmp_path / "a.json").read_text("utf-8")).get("verdicts", [])
    found = {verdict["metric"]: verdict["verdict"] for verdict in judged}
    assert len(found) == len(limits)
    shown = pages.verdicts(page)
    assert shown == found if limits else set(shown.values()) == {"measured"}
    methods = page.one("section", id="methods").text
    assert shlex.join(["crossfair", *command]) in methods
    assert hashlib.sha256(people_csv.read_bytes()).hexdigest() in methods


def test_a_page_that_cannot_be_written_is_refused_before_reading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", "no-such.csv", "--by", "sex", "--html", str(tmp_path / "no" / "a.html")]) == 2
    assert "Error: --html: the folder of the file must exist; got " in capsys.readouterr().err


def test_the_page_of_a_repair_has_its_files_and_command(
    people_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = [*READ, "--score", "score", "--test", str(people_csv)]
    written = ["-o", str(tmp_path / "p.json"), "--html", str(tmp_path / "p.html")]
    command = ["mitigate", str(people_csv), *read, "--limit", "equalized_odds=1", *written]
    assert run(command) == 0
    assert (
        capsys.readouterr().out.splitlines()[-1] == f"Wrote {tmp_path / 'p.json'} and {tmp_path / 'p.html'}"
    )
    page = pages.parse((tmp_path / "p.html").read_text("utf-8"))
    methods = page.one("section", id="methods").text
    assert shlex.join(["crossfair", *command]) in methods
    assert methods.count(hashlib.sha256(people_csv.read_bytes()).hexdigest()) == 2
    assert len(page.one("table", id="frontier-table").rows()) == 22
    assert len(page.one("table", id="rules-table").rows()) == 16
    assert list(pages.verdicts(page)) == ["equalized_odds"]


def test_the_slider_can_be_left_out(people_csv: Path, tmp_path: Path) -> None:
    written = ["-o", str(tmp_path / "p.json"), "--html", str(tmp_path / "p.html"), "--no-frontier", "--quiet"]
    command = ["mitigate", str(people_csv), *READ, "--prediction", "prediction", "--limit", "tpr_parity=1"]
    assert run([*command, *written]) == 0
    page = pages.parse((tmp_path / "p.html").read_text("utf-8"))
    assert not page.all("table", id="frontier-table")
    assert not page.all("input", type="range")


def test_a_password_is_not_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crossfair.cli import output
    from crossfair.report.origin import Origin

    location = "postgresql://ann:secret@host/db"
    assert Origin.of(location, None).files[0].path == "postgresql://ann:…@host/db"
    monkeypatch.setattr(output.click, "get_current_context", lambda: Context(("audit", location)))
    assert output.typed() == "crossfair audit 'postgresql://ann:…@host/db'"


class Context:
    """As much of a command's context as is asked here."""

    def __init__(self, arguments: tuple[str, ...]) -> None:
        self.arguments = arguments

    def find_object(self, _kind: type) -> tuple[str, ...]:
        return self.arguments
