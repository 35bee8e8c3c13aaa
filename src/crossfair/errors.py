"""The exceptions a user can catch, and how their messages are built.

Every message says four things: the argument, the rule, what came, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "CrossfairError",
    "FormatError",
    "InfeasibleError",
    "InputError",
    "MissingDependencyError",
    "SimilarCellsWarning",
    "SolverError",
    "UnfinishedError",
    "choose",
    "invalid",
    "malformed",
    "missing_extra",
    "nearest",
]


class CrossfairError(Exception):
    """Base of everything crossfair raises on purpose.

    >>> issubclass(InputError, CrossfairError)
    True
    """


class InputError(CrossfairError, ValueError):
    """An argument or the data break a rule; the message says which, and what to do.

    >>> raise invalid("level", "must lie between 0 and 1", got=7)
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: level: must lie between 0 and 1; got 7.
    """


class FormatError(InputError):
    """A file or a text is not what it should be: edited, cut short, or of a version not known here.

    >>> issubclass(FormatError, InputError)
    True
    """


class InfeasibleError(CrossfairError):
    """No policy of the asked kind keeps the limits.

    >>> issubclass(InfeasibleError, InputError)
    False
    """


class UnfinishedError(InfeasibleError):
    """No policy that keeps the limits was found in the time given, nor is it proven that there is none.

    >>> issubclass(UnfinishedError, InfeasibleError)
    True
    """


class SolverError(CrossfairError, RuntimeError):
    """The re-check of a solution failed: a defect of the solver, never of the data.

    >>> issubclass(SolverError, RuntimeError)
    True
    """


class MissingDependencyError(CrossfairError, ImportError):
    """An optional library is not installed; the message names the extra that brings it.

    >>> issubclass(MissingDependencyError, ImportError)
    True
    """


class SimilarCellsWarning(UserWarning):
    """Two values of an attribute differ only by case, spaces or Unicode form.

    >>> issubclass(SimilarCellsWarning, UserWarning)
    True
    """


_NOTHING = object()  # None is a value that can come, and is then shown


def _sentence(argument: str, rule: str, got: object, hint: str | None) -> str:
    came = "" if got is _NOTHING else f"; got {got if isinstance(got, str) else repr(got)}"
    return f"{argument}: {rule}{came}." + (f" {hint}" if hint else "")


def invalid(argument: str, rule: str, *, got: object = _NOTHING, hint: str | None = None) -> InputError:
    """Build the error for an argument that breaks a rule. A text in `got` is shown as it is."""
    return InputError(_sentence(argument, rule, got, hint))


def malformed(source: str, rule: str, *, got: object = _NOTHING, hint: str | None = None) -> FormatError:
    """Build the error for a file or text that cannot be read as what it should be."""
    return FormatError(_sentence(source, rule, got, hint))


def missing_extra(library: str, extra: str, purpose: str) -> MissingDependencyError:
    """Build the error for an optional library that is not installed."""
    return MissingDependencyError(f"{purpose} needs {library}: pip install 'crossfair[{extra}]'")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the hint "Did you mean …?" for a misspelt name, or None when nothing is near."""
    by_fold, fold = {option.casefold(): option for option in known}, name.casefold()
    found = difflib.get_close_matches(fold, by_fold, n=1, cutoff=0.6)
    found = found or [option for option in by_fold if fold and option.startswith(fold)]
    return f"Did you mean {by_fold[found[0]]!r}?" if found else None


def choose(argument: str, name: object, options: Iterable[str]) -> str:
    """Return `name` if it is one of `options`, else raise with the nearest of them."""
    known = list(options)
    if isinstance(name, str) and name in known:
        return name
    hint = nearest(name, known) if isinstance(name, str) else None
    raise invalid(argument, f"must be one of {', '.join(map(repr, known))}", got=name, hint=hint)
