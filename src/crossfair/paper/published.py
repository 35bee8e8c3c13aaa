"""The figures that the paper prints, as data: its text, its two tables of performance, its table of flips."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

#: ε of the impact ratio of the synthetic data (section 4.1).
SYNTHETIC_EPSILON = 2.94

#: ε of FPR parity of the given predictor, training data (section 4.2), and the limit that follows from it.
FPR_EPSILON = 8.14
FACTOR = 400
LIMIT = FPR_EPSILON - math.log(FACTOR)
LIMIT_PRINTED = 2.15

#: Smoothing of the empirical and the bootstrap estimates and of the repairs.
ALPHA = BETA = 0.01

#: Prior of the Bayesian estimates, α and β alike; resamples of the bootstrap and draws of the posterior.
PRIOR = 1 / 3
DRAWS = 1000

#: Records of the two files (appendix), and what share of the training data's is white at least (section 2.2).
RECORDS = MappingProxyType({"train": 32_561, "test": 16_281})
WHITE = 0.85

#: Share of high incomes in the running example (section 2.1), by sex and race.
HIGH_INCOMES = MappingProxyType({("Male", "White"): 0.30, ("Female", "Black"): 0.06})
ELIFT_CELL = ("Female", "Other")

#: What the caption of the test table prints as the value of the limit.
LIMIT_IN_TEST_CAPTION = 0.157


@dataclass(frozen=True)
class Printed:
    """One column of a table of performance."""

    tpr: float
    fpr: float
    loss: float


GIVEN, UNCONSTRAINED = "given", "unconstrained"
LIMITED = ("randomize", "threshold", "sequential", "overall")

#: The paper's names of what crossfair calls otherwise.
COLUMNS = MappingProxyType(
    {
        GIVEN: "given binary predictor",
        UNCONSTRAINED: "optimal score model",
        "randomize": "randomization only",
        "threshold": "deterministic",
        "sequential": "sequential",
        "overall": "overall",
    }
)

#: Predictive performance (tables 4 and 5 of the paper: training and test data).
PERFORMANCE = MappingProxyType(
    {
        "train": {
            GIVEN: Printed(0.5450, 0.0422, 0.1416),
            UNCONSTRAINED: Printed(0.5481, 0.0427, 0.1412),
            "randomize": Printed(0.5434, 0.0426, 0.1423),
            "threshold": Printed(0.5995, 0.0759, 0.1540),
            "sequential": Printed(0.5465, 0.0425, 0.1415),
            "overall": Printed(0.5376, 0.0400, 0.1417),
        },
        "test": {
            GIVEN: Printed(0.5216, 0.0433, 0.1416),
            UNCONSTRAINED: Printed(0.5258, 0.0451, 0.1465),
            "randomize": Printed(0.5197, 0.0439, 0.1470),
            "threshold": Printed(0.5785, 0.0762, 0.1578),
            "sequential": Printed(0.5238, 0.0452, 0.1470),
            "overall": Printed(0.5139, 0.0413, 0.1464),
        },
    }
)

#: Probabilities of flipping a prediction of ≤ 50K and of > 50K, in the paper's order; all others are 0.
FLIPS = (
    (("Female", False, "Asian-Pac-Islander"), 0.01, 0.0),
    (("Female", False, "Black"), 0.01, 0.0),
    (("Female", True, "Asian-Pac-Islander"), 0.09, 1.0),
    (("Female", False, "Black"), 0.01, 0.0),
    (("Female", True, "Other"), 0.07, 0.0),
    (("Male", False, "Asian-Pac-Islander"), 0.0, 0.01),
    (("Female", True, "Asian-Pac-Islander"), 0.0, 0.35),
)
