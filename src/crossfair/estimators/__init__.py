"""Estimators: counts → draws of rates (or points, or bounds), one estimator a file."""
