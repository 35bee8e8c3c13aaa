"""A repair in the terminal: the certificate, the decisions side by side, and what other data say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from crossfair.cells import show_cell
from crossfair.cli.terminal import WORD_STYLES, clean, table, write
from crossfair.evaluation import Evaluation
from crossfair.mitigation.certificate import Certificate
from crossfair.numerals import amount, number, share, span
from crossfair.performance import Performance
from crossfair.policy import Policy

MOST_NAMED = 3


def show(policy: Policy, evaluation: Evaluation | None, on: Console, *, title: str, test: str) -> None:
    """Print a policy, and its evaluation where there is one."""
    blocks: list[RenderableType] = [heading(policy, title)]
    blocks += [performances(policy.expected, on), epsilons(policy, on)]
    if policy.certificate is not None:
        blocks.append(Group(*certificate(policy, policy.certificate)))
    write(blocks, on)
    if evaluation is not None:
        show_evaluation(evaluation, on, title=test)


def show_evaluation(evaluation: Evaluation, on: Console, *, title: str) -> None:
    """Print how decisions do on data that they were not fitted to."""
    heading = Group(
        Text.assemble(("Evaluation on ", "bold"), clean(title)),
        Text(
            f"{amount(evaluation.records)} records not fitted to; verdicts on the population they come from"
        ),
    )
    tried = {name: trial.performance for name, trial in evaluation.trials.items()}
    write([heading, performances(tried, on), verdicts(evaluation, on)], on)


def heading(policy: Policy, title: str) -> RenderableType:
    """What was repaired, how, and within which limits."""
    limits = ", ".join(f"{name} ≤ {limit:.6g}" for name, limit in policy.limits.items())
    deciding = show_cell(policy.decide_by)
    costs = f"{policy.terms.false_positive:g} and {policy.terms.false_negative:g}"
    lines = [
        Text.assemble(("Repair of ", "bold"), clean(title)),
        Text.assemble(
            f"method {policy.method}, over {len(policy.cells):,} cells of ", clean(show_cell(policy.by))
        ),
        Text(f"limits on ε: {limits}"),
        Text(f"cost of a false positive and of a false negative: {costs}"),
    ]
    if policy.decide_by != policy.by:
        lines.insert(2, Text.assemble("decisions depend on ", clean(deciding), " alone"))
    return Group(*lines)


def performances(found: Mapping[str, Performance], on: Console) -> Table:
    """What each set of decisions costs, and its rates."""
    grid = table("Decisions", "Loss", "TPR", "FPR", numbers=3, on=on)
    for name, performance in found.items():
        loss, tpr, fpr = performance.loss, performance.tpr, performance.fpr
        grid.add_row(name, f"{loss:.6f}", share(tpr), share(fpr))
    return grid


def epsilons(policy: Policy, on: Console) -> Table:
    """ε of each limited metric on the data that the policy was fitted to."""
    names = list(policy.expected)
    grid = table("ε", *names, "limit", numbers=len(names) + 1, on=on)
    for metric, limit in policy.limits.items():
        grid.add_row(
            metric, *(number(policy.expected[name].epsilon[metric]) for name in names), number(limit)
        )
    return grid


def certificate(policy: Policy, proof: Certificate) -> Iterator[Text]:
    """How good the repair is proven to be, and which cells are exempt."""
    style = "green" if proof.status.proven else "yellow"
    figures = f"objective {proof.objective:.6f}, proven bound {proof.bound:.6f}, gap {proof.gap:.2g}"
    yield Text.assemble(
        ("Certificate: ", "bold"), (figures, style), f" ({proof.seconds:.2f} s, {proof.nodes:,} nodes)"
    )
    yield Text(proof.status.value)
    if proof.grid is not None:
        yield Text(proof.grid.words)
    for rate, cells in proof.exempt.items():
        if cells:
            yield Text.assemble(f"too few records, exempt for {rate}: ", _cells(policy, cells))


def verdicts(evaluation: Evaluation, on: Console) -> Table:
    """Whether each set of decisions keeps each limit in the population, and its ε there."""
    level = next(iter(evaluation.trials.values())).audit.settings.level
    names = ("Limit on ε", "Decisions", "Verdict", "ε", f"{100 * level:g} % interval")
    grid = table(*names, numbers=2, on=on)
    for row in sorted(evaluation.rows(), key=lambda row: str(row["metric"])):
        grid.add_row(
            f"{row['metric']} ≤ {row['limit']:.4g}",
            row["decisions"],
            Text(row["verdict"], WORD_STYLES[row["verdict"]]),
            number(row["epsilon"]),
            span(number, row["low"], row["high"]),
        )
    return grid


def _cells(policy: Policy, positions: tuple[int, ...]) -> Text:
    shown = ", ".join(policy.cells.show(position) for position in positions[:MOST_NAMED])
    more = f" and {len(positions) - MOST_NAMED:,} more" if len(positions) > MOST_NAMED else ""
    return clean(f"{shown}{more}")
