"""Repair: limits on rates, and the solvers that meet them at the least loss, each with a certificate.

Read downwards: `problem` (arrays) → one solver a file → `recheck` → `solution` with its `certificate`.
"""
