"""Audit or policy → view model → components → one self-contained page."""

from __future__ import annotations
