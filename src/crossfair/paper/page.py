"""The page: each published figure beside ours, the claims, the differences and what shows their reasons."""

from __future__ import annotations

from collections.abc import Iterator

from crossfair.paper import differences, published, short
from crossfair.paper.blocks import Block, Heading, Listing, Points, Table, Text, Verdict, Verdicts
from crossfair.paper.census_claims import CLOSE
from crossfair.paper.census_page import audit_blocks, repair_blocks
from crossfair.paper.names import cell_words, signed
from crossfair.paper.rows import Figures, one
from crossfair.paper.synthetic_claims import SMALL
from crossfair.paper.synthetic_page import synthetic_blocks

TITLE = "The paper, reproduced"

#: So many data sets per size make a run a full one.
FULL = 1000

SPEED = "Bayesian estimation is faster than the bootstrap"


def blocks(figures: Figures, folder: str) -> list[Block]:
    """Return the page of a run, whose other files lie in `folder`."""
    return [
        *_opening(figures, folder),
        *_claims(figures, folder),
        *_differences(figures),
        *_printed(figures),
        *synthetic_blocks(figures),
        *audit_blocks(figures["census"]),
        *repair_blocks(figures["census"]),
    ]


def _opening(figures: Figures, folder: str) -> Iterator[Block]:
    yield Heading(1, TITLE)
    yield Text(
        "G. Morina, V. Oliinyk, J. Waton, I. Marušić, K. Georgatzis: [*Auditing and Achieving Intersectional "
        "Fairness in Classification Problems*](https://arxiv.org/abs/1911.01468), 2019. Both experiments of "
        "the paper (its section 4 and its appendices), its published figures beside ours, and its claims "
        "checked by code. One command runs all of it, without a network, and wrote this page:"
    )
    yield Listing([_command(figures)])
    yield Heading(2, "In short")
    yield Points(short.points(figures))
    settings = figures["settings"]
    yield Text(
        f"{settings['datasets']:,} synthetic data sets per size, seed {settings['seed']}. {_scores(figures)} "
        f"All figures are in [figures.json]({folder}/figures.json), and what is measured in seconds in "
        f"[seconds.json]({folder}/seconds.json)."
    )


def _scores(figures: Figures) -> str:
    scores, found = "The scores of Adult come from the file that the package bundles", figures["retrained"]
    if found is None:
        return f"{scores}; `--retrain` trains the model again and compares them."
    if not found["different"]:
        return (
            f"{scores}; the model, trained again, gives the same {found['records']:,} scores to the last bit."
        )
    return (
        f"{scores}; the model, trained again, gives {found['different']:,} of {found['records']:,} records "
        "**another score**."
    )


def _command(figures: Figures) -> str:
    settings = figures["settings"]
    options = ["" if settings["seed"] == 0 else f" --seed {settings['seed']}"]
    options += [" --quick"] if settings["datasets"] < FULL else []
    options += [] if figures["retrained"] is None else [" --retrain"]
    return "crossfair reproduce" + "".join(options)


def _claims(figures: Figures, folder: str) -> Iterator[Block]:
    yield Heading(2, "The paper's claims, one by one")
    yield Text(
        "The paper leaves open what is small, close or larger. Here small data sets are those of up to "
        f"{SMALL:,} records, losses are close up to a tenth of what doing without randomness costs in the "
        f"paper ({CLOSE:.5f}), and one mean squared error is larger than another where the difference "
        "exceeds two standard errors."
    )
    rows = [Verdict(claim["words"], claim["held"], claim["figures"]) for claim in figures["claims"]]
    seconds = f"differs from run to run, so it is in [seconds.json]({folder}/seconds.json)"
    yield Verdicts([*rows, Verdict(SPEED, None, seconds)])


def _differences(figures: Figures) -> Iterator[Block]:
    yield Heading(2, "Differences that matter, and what shows their reasons")
    for words, found in (
        ("In the experiments", differences.IN_THE_EXPERIMENTS),
        ("In the paper itself", differences.IN_THE_PAPER),
    ):
        yield Heading(3, words)
        for find in found:
            difference = find(figures)
            yield Text(f"**{difference.words}.** {difference.figures}")


def _printed(figures: Figures) -> Iterator[Block]:
    yield Heading(2, "The figures in the paper's text")
    yield Text(
        "Those of its tables stand with the repairs below. The paper removes one training record, so that "
        f"{figures['census']['records']['train']:,} are left, and speaks of over {100 * published.WHITE:.0f} "
        "% white people."
    )
    yield Table(["Figure", "Paper", "Ours", "Difference"], [*_records(figures), *_values(figures)])


def _records(figures: Figures) -> Iterator[list[str]]:
    """What the paper says of the data themselves."""
    files = figures["census"]["files"]
    for split, number in published.RECORDS.items():
        found = files[split]["records"]
        yield [f"records of the {split} file", f"{number:,}", f"{found:,}", signed(found - number, 0)]
    yield _line("white people, training data (%)", 100 * published.WHITE, 100 * files["train"]["white"], 0)


def _values(figures: Figures) -> Iterator[list[str]]:
    """What the paper says of rates and of ε."""
    rates = {tuple(row["cell"]): row["rate"] for row in figures["census"]["example"]["race"]["rates"]}
    for cell, share in published.HIGH_INCOMES.items():
        yield _line(f"high incomes, {cell_words(cell)} (%)", 100 * share, 100 * rates[cell], 0)
    truth = figures["synthetic"]["truth"]
    yield _line("true ε of the impact ratio, synthetic data", published.SYNTHETIC_EPSILON, truth)
    rows = figures["census"]["audit"]
    given = one(rows, split="train", estimator="smoothed", metric="fpr_parity")["epsilon"]
    yield _line("ε of FPR parity of the given model, training data", published.FPR_EPSILON, given)
    limit = figures["census"]["limit"]
    yield _line("limit on ε, 8.14 − log(400)", published.LIMIT_PRINTED, limit)


def _line(words: str, paper: float, ours: float, digits: int = 2) -> list[str]:
    more = digits + 2
    return [words, f"{paper:.{digits}f}", f"{ours:.{more}f}", signed(ours - paper, more)]
