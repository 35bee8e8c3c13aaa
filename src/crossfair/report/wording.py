"""Sentences: verdicts, gaps and driving pairs in words that need no formula."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crossfair.cells import Cell, show_cell
from crossfair.evidence import Side
from crossfair.finding import Finding
from crossfair.metrics import rate
from crossfair.numerals import counted, factor, number, percent
from crossfair.performance import Performance
from crossfair.report.model import Answer, Bar, Name, Phrase, Strong, Tone
from crossfair.values import show
from crossfair.verdicts import Verdict

ON_SAMPLE = "on the sample it was fitted to"
IN_POPULATION = "in the population, judged on held-out data"

BADGES: dict[str, str] = {"pass": "Pass", "fail": "Fail", "undecided": "Undecided", "measured": "Measured"}


NONE_COUNTED = "One has a count of none, so an assumption sets how many times, not the data:"

# Where the raw rates give another ε than the estimate, by so much, the page says why.
NOTABLE = 0.05
BEFORE = ", as counted, before small numbers are allowed for"

# Beyond this a ratio says no more to a reader than that it is enormous.
HUGE = 1e6

# More cells than this are counted, and not named.
MOST_NAMED = 3


def ratio(epsilon: float) -> str:
    """An ε as a ratio of rates.

    >>> ratio(0.2231), ratio(20.0), ratio(float("inf"))
    ('1.25', 'over a million', 'infinitely many')
    """
    if math.isinf(epsilon):
        return "infinitely many"
    return "over a million" if epsilon > math.log(HUGE) else factor(math.exp(epsilon))


def times(epsilon: float) -> str:
    """An ε as a ratio of rates, with its unit.

    >>> times(0.2231)
    '1.25 times'
    """
    return f"{ratio(epsilon)} times"


def judged(finding: Finding, verdict: Verdict, confidence: float, level: float) -> Answer:
    """The answer to one limit in one sentence: the verdict, how sure it is, what was found and allowed."""
    allowed = f"; at most {times(verdict.limit)} is allowed." if finding.evidence.enough else "."
    headline: Phrase = (*_judgement(finding, verdict), ": ", *_gap(finding), allowed)
    figures = f"ε {_estimate(finding)}, its limit {number(verdict.limit)}. "
    certainty: Phrase = (*_interval(finding, level), figures, *_needed(finding, verdict, confidence))
    tone: Tone = verdict.verdict
    return Answer(tone, BADGES[verdict.verdict], headline, certainty, *driver(finding), finding.name)


def measured(finding: Finding, level: float) -> Answer:
    """What was found of a metric that has no limit."""
    headline: Phrase = (Strong(capital(finding.metric.words)), ": ", *_gap(finding), ".")
    enough = finding.evidence.enough
    certainty = "No limit was set, so there is no verdict." if enough else "Nothing can be compared."
    words: Phrase = (*_interval(finding, level), certainty)
    return Answer("measured", BADGES["measured"], headline, words, *driver(finding), finding.name)


def driver(finding: Finding) -> tuple[Phrase, tuple[Bar, ...]]:
    """The pair of cells that sets ε, in words and as two bars."""
    highest, lowest = finding.highest, finding.lowest
    if highest is None or lowest is None or not finding.evidence.enough:
        return (), ()
    widest = max(highest.raw or 0.0, lowest.raw or 0.0) or 1.0
    bars = (_bar("Highest", highest, widest), _bar("Lowest", lowest, widest))
    before = "" if _as_counted(finding, highest, lowest) else BEFORE
    words: Phrase = (f"The two that set this{_outcome(highest)}{before}:",)
    if finding.evidence.prior_dominated:
        words = (f"The two that set this{_outcome(highest)}. ", Strong(NONE_COUNTED))
    return words, bars


def _as_counted(finding: Finding, highest: Side, lowest: Side) -> bool:
    """Whether the raw rates of the pair give about the ratio that is stated, as a reader would check."""
    if not highest.raw or not lowest.raw:
        return math.isinf(finding.epsilon)
    return abs(math.log(highest.raw / lowest.raw) - finding.epsilon) < NOTABLE


def left_out(finding: Finding) -> Phrase:
    """How many cells have too few records to count."""
    cells = list(dict.fromkeys(cell for cell, _, _ in finding.evidence.left_out))
    of = f"{len(cells):,} of {several(finding.evidence.cells, 'group')} {has(len(cells))} too few records"
    return (f"{of} and {'is' if len(cells) == 1 else 'are'} left out", *named(cells))


def named(cells: Sequence[Cell]) -> Phrase:
    """The end of a sentence about some cells: which they are, unless they are many."""
    return (".",) if len(cells) > MOST_NAMED else (": ", Name("; ".join(map(show_cell, cells))), ".")


def several(number: int, noun: str) -> str:
    """A number of things.

    >>> several(1, "group"), several(1200, "group")
    ('1 group', '1,200 groups')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def has(number: int) -> str:
    """The verb for a number of things.

    >>> has(1), has(2)
    ('has', 'have')
    """
    return "has" if number == 1 else "have"


def moved(verdict: Verdict) -> Answer:
    """The answer to whether the population has moved from the one that a policy was fitted to."""
    said = {
        "pass": " have not moved far: ",
        "fail": " have moved: ",
        "undecided": ": the data cannot tell whether they have moved; ",
    }[verdict.verdict]
    headline: Phrase = (Strong(capital(verdict.words)), said, f"allowed is {verdict.limit:g}.")
    return Answer(
        verdict.verdict, BADGES[verdict.verdict], headline, (f"{verdict.reason}.",), metric=verdict.metric
    )


PARTICIPLES = {"fail": "broken", "undecided": "undecided", "pass": "kept"}


def summary(verdicts: Sequence[str]) -> str:
    """All verdicts in one sentence, the worst first.

    >>> summary(["pass", "fail", "fail"]), summary(["pass"])
    ('2 of 3 limits are broken, 1 is kept.', 'The limit is kept.')
    """
    total = len(verdicts)
    found = [(verdicts.count(word), said) for word, said in PARTICIPLES.items() if word in verdicts]
    if len(found) == 1:
        said = found[0][1]
        return f"The limit is {said}." if total == 1 else f"All {total} limits are {said}."
    parts = [f"{number} {'is' if number == 1 else 'are'} {said}" for number, said in found]
    first, *others = parts
    number, _, rest = first.partition(" ")
    return ", ".join([f"{number} of {total} limits {rest}", *others]) + "."


def who(side: Side) -> str:
    """The cell of a side in words."""
    return "everyone" if side.cell is None else show_cell(side.cell)


def certainty(probability: float, draws: int) -> str:
    """A share of draws as a certainty; all of them is still no more than their number can say.

    >>> certainty(0.974, 1000), certainty(1.0, 1000), certainty(0.0, 1000)
    ('97.4 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if probability in (0.0, 1.0):
        finest = 1.0 / draws
        return (
            f"less than {100 * finest:.2g} %" if not probability else f"more than {100 - 100 * finest:.5g} %"
        )
    return f"{100 * probability:.1f} %"


def _judgement(finding: Finding, verdict: Verdict) -> Phrase:
    """The verdict, and how sure it is where there are draws to tell."""
    words = finding.metric.words
    said = {
        "pass": f"{capital(words)} keeps its limit",
        "fail": f"{capital(words)} breaks its limit",
        "undecided": f"The data cannot tell whether {words} keeps its limit",
    }[verdict.verdict]
    if verdict.probability is None or finding.draws is None:
        return (Strong(said),)
    within = certainty(verdict.probability, len(finding.draws))
    beyond = certainty(float((finding.draws > verdict.limit).mean()), len(finding.draws))
    if verdict.verdict == "undecided":
        return (Strong(said), ", ", Strong(within), f" that it does, {beyond} that it does not")
    return (Strong(said), ", ", Strong(f"{within if verdict.verdict == 'pass' else beyond} sure"))


def _gap(finding: Finding) -> Phrase:
    if not finding.evidence.enough:
        supported, cells = finding.evidence.supported, finding.evidence.cells
        return (f"only {supported} of {several(cells, 'group')} {has(supported)} enough records",)
    subject, object_ = _subject(finding)
    return (subject, Strong(f"{times(finding.epsilon)}{object_}"))


def _interval(finding: Finding, level: float) -> Phrase:
    """The interval of the ratio, in a sentence."""
    if finding.low is None or finding.high is None or not finding.evidence.enough:
        return ()
    return (f"{100 * level:g} % interval: {ratio(finding.low)} to {times(finding.high)}. ",)


def _estimate(finding: Finding) -> str:
    return "is not known" if not finding.evidence.enough else f"is {number(finding.epsilon)}"


def _subject(finding: Finding) -> tuple[str, str]:
    """What is compared, before and behind the size of the difference."""
    side = finding.highest or finding.lowest
    words = "rate" if side is None else rate(side.rate).words
    if finding.metric.comparison == "population":
        return f"in the group farthest from everyone the {words} is higher or lower by ", ""
    return f"the highest {words} is ", " the lowest"


def _needed(finding: Finding, verdict: Verdict, confidence: float) -> Phrase:
    if verdict.probability is None or finding.draws is None:
        return (capital(verdict.reason), ".")
    return (f"A verdict needs {100 * confidence:g} %.",)


def _bar(role: str, side: Side, widest: float) -> Bar:
    figures = f"{percent(side.raw)} ({counted(side.successes)} of {counted(side.trials)})"
    return Bar(role, who(side), figures, (side.raw or 0.0) / widest)


def _outcome(side: Side) -> str:
    return f" (the outcome is {show(side.outcome)})" if side.rate in ("base", "selection") else ""


def costs(given: Performance, repaired: Performance, *, alike: bool) -> Phrase:
    """What the repair costs against the given decisions, in words; `alike` says that either error costs 1."""
    change = repaired.loss / given.loss - 1 if given.loss else 0.0
    less = f", {percent(abs(change))} {'more' if change > 0 else 'less'}" if change else ""
    share = "; as either error costs 1, that is the share of wrong decisions" if alike else ""
    return (
        f"Expected loss per record: from {given.loss:.4f} to ",
        Strong(f"{repaired.loss:.4f}"),
        f"{less}{share}.",
    )


def capital(words: str) -> str:
    """Return words with a capital first letter, but for ε, whose capital would be another letter.

    >>> capital("loss"), capital("ε = 1")
    ('Loss', 'ε = 1')
    """
    return words[:1].upper() + words[1:] if words[:1].isascii() else words
