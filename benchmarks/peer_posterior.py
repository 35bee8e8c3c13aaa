# It runs in an environment of its own, which the type checker does not see.
# mypy: ignore-errors
"""The posterior of ε by PyMC: each family of the hierarchical prior as a model, by sequential Monte Carlo.

Reads data sets as JSON from standard input; prints, for each data set and family, the log marginal likelihood
and draws of ε. Nothing here comes from the package: the families are written down again.
"""

import json
import sys

import numpy as np
import pymc as pm
import pytensor.tensor as pt

DRAWS = 2000


def scale_of(name):
    """The prior of every scale: half-Cauchy up to 4."""
    return pm.Truncated(name, pm.HalfCauchy.dist(1), upper=4)


def rates_of(family, cells, codes):
    """State the prior of the rates of the cells."""
    location = pm.Logistic("location", 0, 1)
    if family == "main effects":
        residual = scale_of("residual")
        total = location + residual * pm.Normal("z", 0, 1, shape=cells)
        for k, column in enumerate(np.array(codes).T):
            scale = scale_of(f"scale{k}")
            total = total + scale * pm.Normal(f"u{k}", 0, 1, shape=int(column.max()) + 1)[column]
        return pm.math.sigmoid(total)
    scale = scale_of("scale")
    if family == "logit-normal":
        return pm.math.sigmoid(location + scale * pm.Normal("z", 0, 1, shape=cells))
    if family == "logit-t":
        return pm.math.sigmoid(location + scale * pm.StudentT("z", nu=3, mu=0, sigma=1, shape=cells))
    mean = pm.math.sigmoid(location)
    concentration = 1 / (scale**2 * mean * (1 - mean))
    return pm.Beta("rates", mean * concentration, (1 - mean) * concentration, shape=cells)


def exchangeable(family, successes, trials, codes, seed):
    """Sample one family; returns draws of the rates."""
    with pm.Model():
        rates = pm.Deterministic("rate", rates_of(family, len(trials), codes))
        rates = pt.clip(rates, 1e-12, 1 - 1e-12)
        pm.Potential("data", pt.sum(successes * pt.log(rates) + (trials - successes) * pt.log1p(-rates)))
        trace = sample(seed)
    return evidence_of(trace), trace.posterior["rate"].values.reshape(-1, len(trials))


def two_groups(successes, trials, seed):
    """Membership summed out for the sampling, and drawn afterwards."""
    with pm.Model():
        both = pm.Beta("both", 0.5, 0.5, shape=2)
        share = pm.Beta("share", 0.5, 0.5)
        low, high = (pt.clip(f(both[0], both[1]), 1e-12, 1 - 1e-12) for f in (pt.minimum, pt.maximum))
        logs = [successes * pt.log(r) + (trials - successes) * pt.log1p(-r) for r in (low, high)]
        either = pt.logaddexp(pt.log(share) + logs[0], pt.log1p(-share) + logs[1])
        pm.Potential("data", pt.sum(either))
        trace = sample(seed)
    both = np.clip(trace.posterior["both"].values.reshape(-1, 2), 1e-12, 1 - 1e-12)
    share = trace.posterior["share"].values.reshape(-1, 1)
    ends = np.sort(both, axis=1)
    logs = [successes * np.log(r) + (trials - successes) * np.log1p(-r) for r in (ends[:, :1], ends[:, 1:])]
    chance = 1 / (1 + np.exp(np.log1p(-share) + logs[1] - np.log(share) - logs[0]))
    lower = np.random.default_rng(seed).random(chance.shape) < chance
    return evidence_of(trace), np.where(lower, ends[:, :1], ends[:, 1:])


def sample(seed):
    return pm.sample_smc(DRAWS, chains=4, cores=1, random_seed=seed, progressbar=False)


def evidence_of(trace):
    """The last stage's log marginal likelihood, chain by chain."""
    found = trace.sample_stats["log_marginal_likelihood"].values
    return [float(np.asarray(chain[-1] if np.ndim(chain) else chain).ravel()[-1]) for chain in found]


def main():
    arguments = json.load(sys.stdin)
    results = {}
    for name, data in arguments["data"].items():
        successes, trials = np.array(data["successes"], float), np.array(data["trials"], float)
        results[name] = {}
        for family in arguments["families"]:
            if family == "two groups":
                evidence, rates = two_groups(successes, trials, arguments["seed"])
            else:
                evidence, rates = exchangeable(family, successes, trials, data["codes"], arguments["seed"])
            epsilon = np.log(rates.max(axis=1) / rates.min(axis=1))
            results[name][family] = {"evidence": evidence, "epsilon": epsilon.round(6).tolist()}
            print(
                name, family, evidence, np.quantile(epsilon, [0.025, 0.5, 0.975]), file=sys.stderr, flush=True
            )
    print(json.dumps(results))


if __name__ == "__main__":
    main()
