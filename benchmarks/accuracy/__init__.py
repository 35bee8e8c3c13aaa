"""How good the intervals are, measured on data whose truth is known: writes docs/accuracy.md."""
