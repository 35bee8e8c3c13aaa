"""The parts of a page about a repair: what it costs, the rule per group, the frontier, the curves."""

from __future__ import annotations

from collections.abc import Iterator

from crossfair import changes, values
from crossfair.charts import of_policy, svg
from crossfair.charts.group_rates import measured, raw_rates
from crossfair.evaluation import Evaluation
from crossfair.metrics import metric, rate
from crossfair.numerals import amount, number, percent, span
from crossfair.performance import GIVEN, REPAIRED, UNCONSTRAINED
from crossfair.policy import Policy
from crossfair.report import changes_part, frontier_part, wording
from crossfair.report.model import Block, Column, Figure, Item, Note, Phrase, Section, Table
from crossfair.report.rules import rule
from crossfair.report.subject import Repair
from crossfair.report.wording import IN_POPULATION, ON_SAMPLE, capital
from crossfair.sample import Sample

RATES = ("selection", "tpr", "fpr")
_ENDS = " These groups are the strictest and the most lenient."
DECISIONS = {
    GIVEN: "as they are today",
    UNCONSTRAINED: "the least loss without any limit",
    REPAIRED: "the least loss within the limits",
}


def sections(subject: Repair) -> Iterator[Section]:
    """The parts in their order; those without what they need are left out."""
    yield Section("cost", "What the repair costs", tuple(cost(subject)))
    yield rules(subject)
    if subject.sample is not None:
        yield changes_part.section(changes.of_sample(subject.policy, subject.sample))
    if subject.frontier is not None and any(subject.frontier.policies):
        yield frontier_part.section(subject, subject.frontier)
    if subject.sample is not None and subject.policy.source.kind == "score":
        yield curves(subject.policy, subject.sample)


def cost(subject: Repair) -> Iterator[Block]:
    """Given, unconstrained and repaired: on the sample, and apart from it on held-out data."""
    policy = subject.policy
    names = list(policy.limits)
    columns = (
        Column("Decisions"),
        Column("Loss", numeric=True),
        Column("True positive rate", numeric=True),
        Column("False positive rate", numeric=True),
        *(Column(f"ε of {metric(name).words}", numeric=True) for name in names),
    )
    rows = tuple(
        (
            Item(name, detail=DECISIONS[name]),
            Item(f"{row.loss:.5g}"),
            Item(percent(row.tpr)),
            Item(percent(row.fpr)),
            *(Item(number(row.epsilon.get(metric_name))) for metric_name in names),
        )
        for name, row in policy.expected.items()
    )
    limits = ", ".join(f"{metric(name).words} ≤ {number(limit)}" for name, limit in policy.limits.items())
    yield Note((f"Limits on ε: {limits}. The two tables answer two questions; do not mix them.",))
    yield Table(f"{capital(ON_SAMPLE)}: smoothed rates, certified", columns, rows, "sample-table")
    if subject.evaluation is not None:
        yield held_out(subject.evaluation)


def held_out(evaluation: Evaluation) -> Table:
    """The same on held-out data, with intervals and verdicts."""
    level = evaluation[REPAIRED].audit.settings.level
    columns = (
        Column("Decisions"),
        Column("Loss", numeric=True),
        Column("True positive rate", numeric=True),
        Column("False positive rate", numeric=True),
        Column("Metric"),
        Column("ε", numeric=True),
        Column(f"{100 * level:g} % interval", numeric=True),
        Column("Limit", numeric=True),
        Column("Verdict"),
    )
    rows = tuple(
        (
            Item(row["decisions"], detail=DECISIONS[row["decisions"]]),
            Item(f"{row['loss']:.5g}"),
            Item(percent(row["tpr"])),
            Item(percent(row["fpr"])),
            Item(metric(row["metric"]).words),
            Item(number(row["epsilon"])),
            Item(span(number, row["low"], row["high"])),
            Item(number(row["limit"])),
            Item(wording.BADGES[row["verdict"]], tone=row["verdict"]),
        )
        for row in evaluation.rows()
    )
    caption = f"{capital(IN_POPULATION)}: {amount(evaluation.records)} records"
    return Table(caption, columns, rows, "held-out-table")


def rules(subject: Repair) -> Section:
    """The rule of every group, and what it does to the group’s rates on the sample."""
    policy = subject.policy
    blocks: list[Block] = []
    if policy.source.kind == "score":
        chart = of_policy.thresholds_chart(policy)
        caption: Phrase = (
            "Scores that are accepted (dark), tossed for (lighter: the share that is accepted) and rejected "
            f"(pale). The dashed line is the given threshold, {policy.source.threshold:g}."
            f"{_ENDS if len(policy.deciding_cells) > of_policy.MOST else ''}",
        )
        blocks.append(Figure(svg.draw(chart, "thresholds-chart"), caption))
    if policy.decide_by != policy.by:
        by = ", ".join(policy.decide_by) or "nothing: one rule for everyone"
        blocks.append(Note((f"The rule depends on {by}; the limits hold for all groups.",)))
    blocks.append(rules_table(subject))
    return Section("rules", "The rule for each group", tuple(blocks))


def rules_table(subject: Repair) -> Table:
    """A row per group: its rule, and its rates as given and as repaired where the sample is there."""
    policy, sample = subject.policy, subject.sample
    cells = policy.cells if sample is None else sample.curves.cells
    columns = [*(Column(name, filtered=True) for name in cells.by), Column("Rule")]
    rows = [
        [*(Item(values.show(value)) for value in cell), Item(rule(policy, deciding))]
        for cell, deciding in zip(cells.values, _deciding_rows(policy, cells.values))
    ]
    if sample is not None:
        columns += [
            Column("Records", numeric=True),
            *(Column(rate(short).words, numeric=True, note="given → repaired") for short in RATES),
        ]
        rows = [[*row, *figures] for row, figures in zip(rows, _figures(policy, sample))]
    done = tuple(tuple(row) for row in rows)
    return Table(
        "Rule and rates per group, on the sample", tuple(columns), done, "rules-table", searchable=True
    )


def _figures(policy: Policy, sample: Sample) -> Iterator[list[Item]]:
    """Per group its records, and its rates as given and as repaired."""
    decisions = (sample.given, sample.followed(policy))
    found = [measured(sample, acceptance, policy.terms) for acceptance in decisions]
    rates = [list(zip(*(raw_rates(one, short) for one in found))) for short in RATES]
    for place, records in enumerate(sample.curves.records.sum(axis=1).tolist()):
        changes = (column[place] for column in rates)
        yield [
            Item(amount(records), sort=records),
            *(
                Item(f"{percent(before)} → {percent(after)}", sort=-1.0 if after is None else after)
                for before, after in changes
            ),
        ]


def curves(policy: Policy, sample: Sample) -> Section:
    """The ROC curves of the groups, and where the limits let them be."""
    chart = of_policy.roc_chart(policy, sample)
    caption: Phrase = (
        "ROC curves of the groups, of the largest where there are many. The limits admit the shaded region: "
        "every group’s point must lie in it. Crosses are the given decisions, circles the repaired ones.",
    )
    return Section("roc", "What the limits admit", (Figure(svg.draw(chart, "roc-chart"), caption),))


def _deciding_rows(policy: Policy, cells: tuple[tuple[object, ...], ...]) -> list[int]:
    places = [policy.by.index(name) for name in policy.decide_by]
    chosen = [tuple(cell[i] for i in places) for cell in cells]
    return [int(row) for row in policy.deciding_cells.find(chosen)]  # type: ignore[arg-type]
