"""Data that come with the package, as columns that the core alone can read."""

from crossfair.datasets.census import adult
from crossfair.datasets.columns import Columns

__all__ = ["Columns", "adult"]
