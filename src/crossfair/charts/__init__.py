"""Altair charts of audits and policies. They draw tables that are already computed, and compute nothing."""

from __future__ import annotations
