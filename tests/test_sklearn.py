"""FairClassifier and the ε scorer as scikit-learn uses them: its checks, pipelines, searches, routing."""

from __future__ import annotations

import json
import pickle
from unittest import SkipTest

import numpy as np
import pytest

from components import require

require("sklearn")  # before what needs it

from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

import crossfair as cf
from crossfair.errors import InputError
from crossfair.sklearn import FairClassifier, epsilon_scorer

LIMITS = {"statistical_parity": 0.1}


def people(size=1200, seed=0):
    """Two attributes, a skill that one of them shifts, and who was hired."""
    rng = np.random.default_rng(seed)
    sex, old = rng.choice(["F", "M"], size), rng.choice([False, True], size)
    skill = rng.normal(size=size) + 0.6 * (sex == "M")
    hired = np.where(skill + rng.normal(size=size) > 0.6, "yes", "no")
    return {
        "sex": sex,
        "old": old,
        "skill": skill,
        "luck": rng.normal(size=size),
        "id": np.arange(size),
    }, hired


def arrays(**options):
    columns, y = people(**options)
    X = np.column_stack([columns["skill"], columns["luck"], columns["sex"] == "M"]).astype(float)
    return X, (y == "yes").astype(int)


def fair(**options):
    given = {"by": [2], "limits": LIMITS, **options}
    return FairClassifier(given.pop("estimator", LogisticRegression()), **given)


def document(policy):
    """All of a policy but what changes from run to run."""
    body = json.loads(policy.to_json())
    del body["run"]
    return body


def frame():
    columns, y = people()
    return require("pandas").DataFrame(columns), y


def pipeline(**options):
    features = make_column_transformer(
        (StandardScaler(), ["skill", "luck"]),
        (OneHotEncoder(sparse_output=False), ["sex", "old"]),
    )
    inner = Pipeline([("features", features), ("model", LogisticRegression())])
    return FairClassifier(inner, **{"by": ["sex", "old"], "limits": LIMITS, **options})


# The checks of scikit-learn that do not hold, and why. Without coins there is none.
EXCEPTIONS = {
    "check_classifiers_train": "predict follows a coin where it needs one, not the likelier class",
}
DETERMINISTIC = {
    "limits": {"statistical_parity": 1.0},
    "method": "threshold",
    "min_support": 1,
    "unseen": "pooled",
}
CHECKED = {
    "without coins": fair(by=[0], bins={0: [0.0]}, cv=None, **DETERMINISTIC),
    "cross-fitted": fair(by=[0], bins={0: [0.0]}, cv=2, **DETERMINISTIC),
    "by a seed": fair(
        by=[0],
        bins={0: [0.0]},
        limits={"statistical_parity": 0.01},
        cv=None,
        min_support=1,
        unseen="pooled",
        seed=0,
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHECKED)
def test_the_checks_of_scikit_learn(name):
    exceptions = EXCEPTIONS if name == "by a seed" else {}
    failed = {}
    for estimator, check in estimator_checks_generator(CHECKED[name]):
        try:
            check(estimator)
        except SkipTest:
            pass
        except Exception as error:
            failed[check.func.__name__] = error
    assert set(failed) == set(exceptions), failed


def test_the_policy_is_that_of_mitigate_on_cross_fitted_scores():
    X, y = arrays()
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    found = fair(cv=folds, salt="s").fit(X, y)
    scores = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")[:, 1]
    table = {"x2": X[:, 2], "label": y, "score": scores}
    policy = cf.mitigate(table, by="x2", label="label", score="score", limits=LIMITS, salt="s")
    assert document(found.policy_) == document(policy)
    served = {"x2": X[:, 2], "score": LogisticRegression().fit(X, y).predict_proba(X)[:, 1]}
    chances = policy.acceptance(served)
    assert np.array_equal(found.predict_proba(X), np.column_stack([1 - chances, chances]))
    keys = np.arange(len(y))
    assert np.array_equal(found.predict(X, key=keys), policy.decide({**served, "key": keys}, key="key"))


def test_scores_on_training_data_would_be_too_good():
    """A tree knows its training data by heart: a policy fitted to that decides badly on other data."""
    (X, y), (X_new, y_new) = arrays(), arrays(seed=1)
    tree = DecisionTreeClassifier(random_state=0, max_depth=8)
    lost = {cv: 1 - fair(estimator=tree, cv=cv).fit(X, y).score(X_new, y_new) for cv in (None, 5)}
    promised = fair(estimator=tree, cv=None).fit(X, y).policy_.expected["repaired"].loss
    assert promised < lost[None] / 1.5
    cross_fitted = fair(estimator=tree, cv=5).fit(X, y).policy_.expected["repaired"].loss
    assert abs(cross_fitted - lost[5]) < 0.06


def test_a_prefit_classifier_is_taken_as_it_is():
    (X, y), (X_new, y_new) = arrays(), arrays(seed=1)
    model = LogisticRegression().fit(X, y)
    found = fair(estimator=model, prefit=True).fit(X_new, y_new)
    assert found.estimator_ is model
    scores = model.predict_proba(X_new)[:, 1]
    policy = cf.mitigate(
        {"s": X_new[:, 2], "y": y_new, "p": scores}, by="s", label="y", score="p", limits=LIMITS
    )
    assert np.array_equal(found.policy_.steps.breaks, policy.steps.breaks)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_attributes_are_columns_of_any_frame(library):
    columns, y = people()
    X, plain = arrays()
    build = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    table = getattr(require(library), build)(columns)
    model = LogisticRegression().fit(X, plain)

    class Scores(LogisticRegression):
        """Reads what it needs from the frame."""

        def predict_proba(self, table):
            return model.predict_proba(X)

    prefit = Scores()
    prefit.classes_ = np.array(["no", "yes"])
    found = FairClassifier(prefit, by=["sex", "old"], limits=LIMITS, prefit=True, key="id").fit(table, y)
    assert found.policy_.by == ("sex", "old")
    assert set(found.predict(table)) == {"no", "yes"}
    assert found.predict(table).tolist() == found.predict(table, key=columns["id"]).tolist()
    assert found.score(table, y) > 0.6


def test_either_class_may_be_the_positive_one():
    X, y = arrays()
    for estimator in (LogisticRegression(), LinearSVC()):
        up = fair(estimator=estimator, salt="s", method="threshold").fit(X, y)
        down = fair(estimator=estimator, salt="s", method="threshold", positive=0).fit(X, y)
        assert up.policy_.source.threshold == (0.5 if isinstance(estimator, LogisticRegression) else 0)
        assert up.score(X, y) > 0.6
        assert down.score(X, y) > 0.6
        assert down.classes_.tolist() == [0, 1]
        assert np.array_equal(down.predict_proba(X).argmax(axis=1), down.predict(X))


def test_predict_needs_a_key_or_a_seed():
    X, y = arrays()
    found = fair(limits={"statistical_parity": 0.01}, cv=None).fit(X, y)
    assert found.policy_.needs_coins
    with pytest.raises(InputError, match=r"key: \d+ of 1200 records have a probability between 0 and 1"):
        found.predict(X)
    keys = [f"k{i}" for i in range(len(y))]
    decided = found.predict(X, key=keys)
    order = np.random.default_rng(0).permutation(len(y))
    assert np.array_equal(found.predict(X[order], key=[keys[i] for i in order]), decided[order])
    assert np.array_equal(found.predict(X, seed=1), found.predict(X, seed=1))
    assert not np.array_equal(found.predict(X, seed=1), found.predict(X, seed=2))
    assert np.array_equal(clone(found).set_params(seed=1).fit(X, y).predict(X), found.predict(X, seed=1))
    with pytest.raises(InputError, match="key, seed: give one of them"):
        found.predict(X, key=keys, seed=1)


def test_a_key_may_be_a_column_of_x():
    X, y = arrays()
    frame = require("pandas").DataFrame(X, columns=["skill", "luck", "sex"]).assign(id=np.arange(len(y)))
    model = make_pipeline(FunctionTransformer(lambda table: table[["skill"]]), LogisticRegression())
    found = fair(estimator=model, by=["sex"], limits={"statistical_parity": 0.01}).fit(frame, y)
    decided = found.predict(frame, key=range(len(y)))
    assert found.policy_.needs_coins
    assert np.array_equal(found.predict(frame, key="id"), decided)
    assert np.array_equal(found.set_params(key="id").predict(frame), decided)


def test_a_grid_search_over_limits_and_parameters_of_the_model_in_a_pipeline():
    X, y = frame()
    work = make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["skill", "luck"]),
            (OneHotEncoder(sparse_output=False, drop="if_binary"), ["sex"]),
            verbose_feature_names_out=False,
        ),
        fair(by=["sex_M"], method="threshold", cv=3),
    ).set_output(transform="pandas")
    name = work.steps[-1][0]
    grid = {
        f"{name}__limits": [{"statistical_parity": 0.02}, {"statistical_parity": 3.0}],
        f"{name}__estimator__C": [0.001, 1.0],
    }
    scoring = {"accuracy": "accuracy", "epsilon": epsilon_scorer("statistical_parity")}
    search = GridSearchCV(work, grid, scoring=scoring, refit="epsilon", cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_params_[f"{name}__limits"] == {"statistical_parity": 0.02}
    by_limit = dict(zip(map(str, search.cv_results_["params"]), search.cv_results_["mean_test_accuracy"]))
    strict = max(score for params, score in by_limit.items() if "0.02" in params)
    loose = max(score for params, score in by_limit.items() if "3.0" in params)
    assert loose >= strict
    assert search.predict(X).shape == y.shape
    assert search.score(X, y) == epsilon_scorer("statistical_parity")(search, X, y)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_pipeline_that_gives_frames(library):
    require(library)
    X, y = frame()
    scale = make_column_transformer(
        (StandardScaler(), ["skill", "luck"]), ("passthrough", ["old"]), verbose_feature_names_out=False
    ).set_output(transform=library)
    work = make_pipeline(scale, fair(by=["old"], method="threshold", cv=3)).fit(X, y)
    assert work[-1].policy_.by == ("old",)
    assert work[-1].policy_.cells.values == ((False,), (True,))
    assert work[-1].feature_names_in_.tolist() == ["skill", "luck", "old"]


def test_attributes_come_beside_x_by_metadata_routing():
    columns, y = people()
    X = np.column_stack([columns["skill"], columns["luck"]])
    beside = require("pandas").DataFrame({"sex": columns["sex"], "old": columns["old"]})
    with config_context(enable_metadata_routing=True):
        requests = {"sensitive_features": True}
        model = (
            FairClassifier(
                LogisticRegression().set_fit_request(sample_weight=True),
                limits=LIMITS,
                method="threshold",
                cv=3,
            )
            .set_fit_request(**requests, sample_weight=True)
            .set_predict_request(**requests)
            .set_predict_proba_request(**requests)
            .set_score_request(**requests)
        )
        scorer = epsilon_scorer("statistical_parity").set_score_request(
            sensitive_features=True, sample_weight=False
        )
        search = GridSearchCV(
            make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model),
            {"fairclassifier__limits": [{"statistical_parity": 0.05}, {"statistical_parity": 2.0}]},
            scoring=scorer,
            cv=3,
        ).fit(X, y, sensitive_features=beside, sample_weight=np.ones(len(y)))
        assert search.best_estimator_[-1].policy_.by == ("sex", "old")
        assert search.best_params_["fairclassifier__limits"] == {"statistical_parity": 0.05}
        assert search.best_estimator_.predict(X, sensitive_features=beside).shape == y.shape
        found = cross_validate(model, X, y, cv=3, params={"sensitive_features": beside})["test_score"]
        assert (found > 0.6).all()


@pytest.mark.parametrize("kind", ["series", "polars series", "dict", "array", "table"])
def test_attributes_beside_x_in_any_form(kind):
    columns, y = people()
    X = np.column_stack([columns["skill"], columns["luck"]])
    sex, old = columns["sex"], columns["old"]
    beside, names = {
        "series": lambda: (require("pandas").Series(sex, name="sex"), ("sex",)),
        "polars series": lambda: (require("polars").Series("sex", sex), ("sex",)),
        "dict": lambda: ({"sex": sex, "old": old}, ("sex", "old")),
        "array": lambda: (sex, ("sensitive",)),
        "table": lambda: (np.column_stack([sex, old]), ("x0", "x1")),
    }[kind]()
    found = fair(by=None, method="threshold").fit(X, y, sensitive_features=beside)
    assert found.policy_.by == names
    assert found.predict(X, sensitive_features=beside).shape == y.shape
    with pytest.raises(
        InputError, match="by: must name the sensitive columns of X, unless sensitive_features"
    ):
        found.predict(X)


def test_weights_are_those_of_the_model_and_of_the_policy():
    X, y = arrays()
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    found = fair(cv=3, salt="s").fit(X, y, sample_weight=weights)
    scores = cross_val_predict(
        LogisticRegression(), X, y, cv=3, method="predict_proba", params={"sample_weight": weights}
    )[:, 1]
    policy = cf.mitigate(
        {"x2": X[:, 2], "label": y, "score": scores, "weight": weights},
        by="x2", label="label", score="score", weight="weight", limits=LIMITS, salt="s",
    )  # fmt: skip
    assert document(found.policy_) == document(policy)


def test_parameters_clones_and_pickles():
    X, y = arrays()
    found = fair(limits={"tpr_parity": 0.2}, decide_by=[2], loss=cf.Loss(2, 1)).fit(X, y)
    copy = clone(found)
    assert not hasattr(copy, "policy_")
    assert copy.get_params(deep=False).keys() == found.get_params(deep=False).keys()
    assert copy.loss == found.loss
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.predict_proba(X), found.predict_proba(X))
    assert found.policy_.decide_by == ("x2",)


def test_attributes_named_as_the_columns_of_the_fit():
    columns, y = people()
    table = require("pandas").DataFrame(
        {"score": columns["sex"], "label": columns["old"], "skill": columns["skill"]}
    )
    inner = Pipeline(
        [("pick", make_column_transformer(("passthrough", ["skill"]))), ("model", LogisticRegression())]
    )
    found = FairClassifier(inner, by=["score", "label"], limits=LIMITS, method="threshold").fit(table, y)
    assert found.policy_.by == ("score", "label")
    assert found.policy_.input_name == "score_"
    assert found.score(table, y) > 0.6
    assert epsilon_scorer("statistical_parity")(found, table, y) > -0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": None}, "by: must name the sensitive columns of X, unless sensitive_features come beside it"),
        ({"by": [7]}, "by: must be a column of an array of 3; got 7"),
        ({"by": ["sex"]}, "by: names a column, but the data have no names; got 'sex'. Give a frame"),
        ({"limits": None}, "limits: must map metrics to the largest ε allowed; got None"),
        ({"limits": {"parity": 1}}, "limits: must be one of"),
        ({"positive": 2}, r"positive: must be one of the classes \[0, 1\]; got 2"),
        ({"estimator": StandardScaler()}, "estimator: must have predict_proba or decision_function"),
        ({"by": [0]}, "values must be text, integers, booleans, dates or missing; got .* Cut the numbers"),
        ({"salt": ""}, "salt: must be a text that is not empty"),
    ],
)
def test_bad_input(options, message):
    X, y = arrays()
    with pytest.raises(InputError, match=message):
        fair(**options).fit(X, y)


def test_bad_input_when_deciding():
    X, y = arrays()
    found = fair(limits={"statistical_parity": 0.01}).fit(X, y)
    with pytest.raises(InputError, match="key: must hold one value per record, 1200; got 2"):
        found.predict(X, key=[1, 2])
    with pytest.raises(InputError, match=r"cells: the policy has not seen every cell.* such as \(7,\)"):
        found.predict_proba(np.where(np.arange(3) == 2, 7, X))
    beside = fair(by=None).fit(X, y, sensitive_features={"sex": X[:, 2], "old": X[:, 2]})
    with pytest.raises(InputError, match="must have sex, old, as when it was fitted; got sex without old"):
        beside.predict(X, sensitive_features={"sex": X[:, 2]})
    with pytest.raises(InputError, match=r"y: Only binary .* supported\. .* multiclass; got 3 classes"):
        fair().fit(X, np.arange(len(y)) % 3)


def test_the_scorer_gives_the_audit_of_the_decisions():
    X, plain = arrays()
    model = LogisticRegression().fit(X, plain)
    table = {"a": X[:, 2], "y": plain, "yhat": model.predict(X)}
    for metric in ("statistical_parity", "equalized_odds", "elift"):
        audit = cf.audit(
            table, by="a", label="y", prediction="yhat", metrics=[metric], estimator=cf.Smoothed()
        )
        assert epsilon_scorer(metric, by=[2])(model, X, plain) == pytest.approx(-audit[metric].epsilon)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(plain))
    audit = cf.audit({**table, "w": weights}, by="a", label="y", prediction="yhat", weight="w",
                     metrics=["tpr_parity"], estimator=cf.Smoothed())  # fmt: skip
    found = epsilon_scorer("equal_opportunity", by=[2])(model, X, plain, sample_weight=weights)
    assert found == pytest.approx(-audit["tpr_parity"].epsilon)


def test_the_scorer_sees_the_chances_of_a_policy_and_so_its_limit():
    X, y = arrays()
    found = fair(limits={"statistical_parity": 0.05}, cv=None).fit(X, y)
    assert found.policy_.needs_coins
    assert epsilon_scorer("statistical_parity")(found, X, y) == pytest.approx(
        -found.policy_.expected["repaired"].epsilon["statistical_parity"]
    )


def test_names_of_metrics_are_checked():
    with pytest.raises(InputError, match="metric: must be one of"):
        epsilon_scorer("parity")
    dummy = DummyClassifier().fit([[0]], [0])
    with pytest.raises(InputError, match="by: must name the sensitive columns"):
        epsilon_scorer("elift")(dummy, [[0]], [0])
