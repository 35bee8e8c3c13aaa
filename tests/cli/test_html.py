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
