# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators: scikit-learn's own checks, its results, and matrices in files."""

import doctest
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from optional import package

import tessera

pytest.importorskip("sklearn", minversion="1.6")

from sklearn import datasets, decomposition, linear_model
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from tessera import sklearn as of_tessera

ESTIMATORS = [
    of_tessera.LinearRegression(),
    of_tessera.LogisticRegression(),
    of_tessera.PCA(),
    of_tessera.PoissonRegressor(),
    of_tessera.GammaRegressor(),
    of_tessera.TweedieRegressor(),
    of_tessera.Ridge(),
    of_tessera.RidgeCV(),
    of_tessera.TruncatedSVD(),
    of_tessera.TruncatedSVD(algorithm="randomized"),
]
DATA_SETS = ["diabetes", "breast_cancer", "digits", "iris", "wine", "linnerud"]


def expected_to_fail(estimator):
    if not isinstance(estimator, of_tessera.RidgeCV):
        return {}
    # It chooses with cv=[...] from groups of rows. One of two equal rows that is left out has a twin in the fit.
    return {"check_sample_weight_equivalence_on_dense_data": "leaves out one row, whatever its weight"}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def scaled(X):
    return (X - X.mean(0)) / X.std(0)


def stream_of(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    return tessera.open(tmp_path / "x.npy", memory_limit="1MiB")


def close(found, expected, **tolerances):
    np.testing.assert_allclose(found, expected, **{"rtol": 1e-6, "atol": 1e-6, **tolerances})


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", ["LinearRegression", "Ridge"])
def test_linear_models(name, intercept, tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True)
    found = getattr(of_tessera, name)(fit_intercept=intercept, tol=1e-12).fit(X, y)
    expected = getattr(linear_model, name)(fit_intercept=intercept).fit(X, y)
    close(found.coef_, expected.coef_)
    close(found.intercept_, expected.intercept_)
    close(found.predict(X), expected.predict(X))
    close(found.score(X, y), expected.score(X, y))
    stream = stream_of(X, tmp_path)
    again = getattr(of_tessera, name)(fit_intercept=intercept, tol=1e-12).fit(stream, y)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert again.predict(stream).tobytes() == found.predict(X).tobytes()


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_logistic_regression(C, tmp_path):
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X, names = scaled(X), np.array(["malignant", "benign"])[y]
    found = of_tessera.LogisticRegression(C=C, tol=1e-10).fit(X, names)
    expected = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10000).fit(X, names)
    assert found.classes_.tolist() == ["benign", "malignant"]
    close(found.coef_, expected.coef_, rtol=1e-4)
    close(found.intercept_, expected.intercept_, rtol=1e-4)
    close(found.predict_proba(X), expected.predict_proba(X), atol=1e-4)
    assert (found.predict(X) == expected.predict(X)).all()
    stream = stream_of(X, tmp_path)
    again = of_tessera.LogisticRegression(C=C, tol=1e-10).fit(stream, names)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert (again.predict(stream) == found.predict(X)).all()


def test_poisson_regression(tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True)
    X = scaled(X)
    found = of_tessera.PoissonRegressor(alpha=0.1, tol=1e-10).fit(X, y)
    expected = linear_model.PoissonRegressor(alpha=0.1, tol=1e-10, max_iter=10000).fit(X, y)
    close(found.coef_, expected.coef_, rtol=1e-4)
    close(found.predict(X), expected.predict(X), rtol=1e-4)
    close(found.score(X, y), expected.score(X, y))
    again = of_tessera.PoissonRegressor(alpha=0.1, tol=1e-10).fit(stream_of(X, tmp_path), y)
    assert again.coef_.tobytes() == found.coef_.tobytes()


@pytest.mark.parametrize("power", [1.2, 1.5, 2, 3])
@pytest.mark.parametrize("alpha", [0.01, 1])
def test_gamma_and_tweedie_regression(power, alpha, tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True)
    X = scaled(X)
    y = np.where(np.arange(len(y)) % 5 == 0, 0, y) if power < 2 else y
    exact = {"alpha": alpha, "tol": 1e-12, "solver": "newton-cholesky", "max_iter": 1000}
    expected = linear_model.TweedieRegressor(power=power, link="log", **exact).fit(X, y, np.arange(len(y)) % 3)
    model = of_tessera.GammaRegressor(alpha) if power == 2 else of_tessera.TweedieRegressor(power=power, alpha=alpha)
    found = model.fit(X, y, np.arange(len(y)) % 3)
    close(found.coef_, expected.coef_)
    close(found.intercept_, expected.intercept_)
    close(found.predict(X), expected.predict(X))
    close(found.score(X, y), expected.score(X, y))
    again = clone(model).fit(stream_of(X, tmp_path), y, np.arange(len(y)) % 3)
    assert np.array_equal(again.coef_, found.coef_)


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
@pytest.mark.parametrize("C", [0.1, 1])
def test_several_classes(name, C, tmp_path):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X = X[:, 16:32] if name == "digits" else X
    names = np.array([f"class {k}" for k in range(10)])[y]
    exact = {"C": C, "tol": 1e-12, "solver": "newton-cholesky", "max_iter": 100}
    weights = 1 + np.arange(len(y)) % 3
    expected = linear_model.LogisticRegression(**exact).fit(X, names, weights)
    found = of_tessera.LogisticRegression(C=C).fit(X, names, weights)
    close(found.coef_, expected.coef_)
    close(found.predict_proba(X), expected.predict_proba(X))
    close(found.decision_function(X), expected.decision_function(X), atol=1e-5)
    close(found.intercept_.sum(), 0)
    assert found.n_reads_ <= 15
    assert (found.predict(X) == expected.predict(X)).all()
    np.save(tmp_path / "x.npy", X)
    again = clone(found).fit(tessera.open(tmp_path / "x.npy", memory_limit="32MiB"), names, weights)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert again.intercept_.tobytes() == found.intercept_.tobytes()


@pytest.mark.parametrize("classes", [2, 3, 5, 10])
@pytest.mark.parametrize("order", ["C", "F"])
def test_classes_share_one_read_per_gradient(classes, order):
    X, y = datasets.load_digits(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    elements = []

    def read(rows, cols):
        elements.append((rows.stop - rows.start) * (cols.stop - cols.start))
        return X[rows, cols]

    in_memory = of_tessera.LogisticRegression().fit(np.asarray(X, order=order), y)
    stream = tessera.from_callback(*X.shape, read, order=order, memory_limit="16MiB")
    streamed = of_tessera.LogisticRegression().fit(stream, y)
    # One read each for the scales of the columns, for the first gradient, and for the gradient of each iteration.
    assert in_memory.n_reads_ == streamed.n_reads_ == in_memory.n_iter_[0] + 2
    assert sum(elements) == streamed.n_reads_ * X.size
    assert streamed.coef_.tobytes() == in_memory.coef_.tobytes()


def test_several_classes_without_a_penalty():
    """Three groups: the probabilities are the shares, and separable classes have no minimum."""
    X = np.repeat(np.eye(3), 6, axis=0)
    y = np.array([0, 0, 0, 1, 1, 2, 0, 1, 1, 1, 2, 2, 0, 0, 1, 2, 2, 2])
    found = of_tessera.LogisticRegression(C=np.inf).fit(X, y)
    shares = np.array([np.bincount(y[6 * k : 6 * k + 6]) / 6 for k in range(3)])
    close(found.predict_proba(np.eye(3)), shares)
    close(found.coef_.sum(0), 0)
    close(found.coef_.sum(1), 0)
    close(found.deviance_, -2 * np.log(shares[np.repeat(range(3), 6), y]).sum())
    with pytest.warns(of_tessera.PerfectSeparationWarning, match="perfect separation of the classes"):
        of_tessera.LogisticRegression(C=np.inf).fit(X, np.repeat(range(3), 6))


def test_statistics_of_gamma_regression():
    """Two groups with the means 2 and 6: the dispersion is Pearson's statistic over two."""
    found = of_tessera.GammaRegressor(0).fit(np.array([[0.0], [0], [1], [1]]), [1, 3, 4, 8])
    dispersion = (0.5 + 2 / 9) / 2
    close(found.dispersion_, dispersion)
    close(found.standard_errors_, np.sqrt([dispersion, dispersion / 2]))
    assert "intercept" in found.summary()
    assert np.isnan(of_tessera.TweedieRegressor(alpha=0).fit(np.array([[0.0], [0], [1], [1]]), [1, 3, 4, 8]).aic_)


@pytest.mark.parametrize("name", ["LinearRegression", "LogisticRegression", "PoissonRegressor", "GammaRegressor", "TweedieRegressor"])
def test_statistics_with_whole_weights_are_those_of_repeated_rows(name):
    X, y = datasets.load_diabetes(return_X_y=True)
    y = (y > 140).astype(float) if name == "LogisticRegression" else y
    weights = np.arange(len(y)) % 4
    made = {"LinearRegression": {}, "LogisticRegression": {"C": np.inf}}.get(name, {"alpha": 0.0})
    weighted = getattr(of_tessera, name)(**made).fit(X, y, weights)
    repeated = getattr(of_tessera, name)(**made).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for statistic in ("standard_errors_", "deviance_", "dispersion_", "aic_"):
        close(getattr(weighted, statistic), getattr(repeated, statistic), rtol=1e-8)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.5}, {1: 2}])
def test_weights_of_classes(class_weight):
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X = scaled(X)
    weights = np.arange(len(y)) % 3
    exact = {"tol": 1e-12, "solver": "newton-cholesky"}
    expected = linear_model.LogisticRegression(class_weight=class_weight, **exact).fit(X, y)
    close(of_tessera.LogisticRegression(class_weight=class_weight).fit(X, y).coef_, expected.coef_)
    of_class = np.bincount(y, weights)
    factors = weights.sum() / 2 / of_class if class_weight == "balanced" else [class_weight.get(k, 1) for k in (0, 1)]
    expected = linear_model.LogisticRegression(**exact).fit(X, y, weights * np.array(factors)[y])
    found = of_tessera.LogisticRegression(class_weight=class_weight).fit(X, y, weights)
    close(found.coef_, expected.coef_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_projections(dtype, tmp_path):
    X = datasets.load_digits().data.astype(dtype)
    stream = stream_of(X, tmp_path)
    tolerance = {"rtol": 1e-3, "atol": 2e-3} if dtype == np.float32 else {}
    for name in ("PCA", "TruncatedSVD"):
        found = getattr(of_tessera, name)(n_components=3).fit(X)
        exact = {"PCA": {"svd_solver": "full"}, "TruncatedSVD": {"algorithm": "arpack"}}[name]
        expected = getattr(decomposition, name)(n_components=3, **exact).fit(X)
        close(found.singular_values_, expected.singular_values_, **tolerance)
        signs = np.sign((found.components_ * expected.components_).sum(1))
        close(found.components_ * signs[:, None], expected.components_, **tolerance)
        points = found.transform(X)
        assert points.dtype == dtype
        close(points * signs, expected.transform(X), **tolerance)
        close(found.inverse_transform(points), expected.inverse_transform(points * signs), **tolerance)
        close(found.explained_variance_, expected.explained_variance_, **tolerance)
        close(found.explained_variance_ratio_, expected.explained_variance_ratio_, **tolerance)
        again = getattr(of_tessera, name)(n_components=3).fit(stream)
        assert again.components_.tobytes() == found.components_.tobytes()
        assert again.explained_variance_ratio_.tobytes() == found.explained_variance_ratio_.tobytes()
        close(again.transform(stream), points, **tolerance)
        names = found.get_feature_names_out().tolist()
        assert names == [f"{name.lower()}{i}" for i in range(3)]


def test_variances_of_truncated_svd_without_variance():
    for X in (np.ones((4, 3)), np.array([[1.0, 2.0]])):
        found = of_tessera.TruncatedSVD(1).fit(X)
        assert np.abs(found.explained_variance_).max() < 1e-25
        assert np.abs(found.explained_variance_ratio_).max() < 1e-25


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
@pytest.mark.parametrize("random_state", [None, 3, np.random.RandomState(1)])
def test_solvers_of_scikit_learn_do_not_change_a_bit(solver, random_state):
    X = datasets.load_iris().data
    found = of_tessera.PCA(2, svd_solver=solver, random_state=random_state).fit(X)
    assert found.components_.tobytes() == of_tessera.PCA(2).fit(X).components_.tobytes()


def test_arguments_of_projections_that_are_refused():
    X = datasets.load_iris().data
    with pytest.raises(ValueError, match="svd_solver must be one of auto, full, covariance_eigh, arpack, randomized, found 'qr'"):
        of_tessera.PCA(2, svd_solver="qr").fit(X)
    for estimator in (of_tessera.PCA(2, random_state="now"), of_tessera.TruncatedSVD(2, random_state="now")):
        with pytest.raises(ValueError, match="'now' cannot be used to seed"):
            estimator.fit(X)


def test_seeds_of_the_randomized_algorithm():
    X = np.random.default_rng(1).standard_normal((200, 50))

    def found(seed):
        return of_tessera.TruncatedSVD(2, algorithm="randomized", n_iter=0, random_state=seed).fit(X).components_.tobytes()

    assert found(1) == found(1) == found(np.int64(1)) != found(2)
    assert found(np.random.RandomState(5)) == found(np.random.RandomState(5))
    assert found(None) != found(None)


def test_randomized_algorithm(tmp_path):
    X = datasets.load_digits().data
    arguments = {"n_components": 3, "algorithm": "randomized", "n_iter": 20}
    found = of_tessera.TruncatedSVD(**arguments).fit(X)
    expected = of_tessera.TruncatedSVD(3).fit(X)
    close(found.singular_values_, expected.singular_values_)
    close(found.components_, expected.components_, atol=1e-5)
    again = of_tessera.TruncatedSVD(**arguments).fit(stream_of(X, tmp_path))
    assert again.components_.tobytes() == found.components_.tobytes()
    with pytest.raises(ValueError, match='algorithm must be "lanczos" or "randomized", found \'arpack\''):
        of_tessera.TruncatedSVD(algorithm="arpack").fit(X)


def test_refusals(tmp_path):
    X, y = datasets.load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="expected at most 1024 parameters, found 150 classes of 8"):
        of_tessera.LogisticRegression().fit(np.c_[X, X[:, :3]], np.arange(150))
    with pytest.raises(ValueError, match="y must not be negative, found -1 at row 0"):
        of_tessera.PoissonRegressor().fit(X, y - 1)
    with pytest.raises(ValueError, match="GammaRegressor: y must not be 0, found 0 at row 0"):
        of_tessera.GammaRegressor().fit(X, y)
    with pytest.raises(ValueError, match="power must be a finite number of at least 1, found 0.5"):
        of_tessera.TweedieRegressor(power=0.5).fit(X, y)
    for class_weight, expected in (
        ("even", "class_weight must be None, \"balanced\" or a dict, found 'even'"),
        ({7: 2}, "class_weight has the class 7, which y does not have: it has \\[0, 1\\]"),
        ({1: -2}, "class_weight of 1 must be a finite number above 0, found -2"),
    ):
        with pytest.raises(ValueError, match=expected):
            of_tessera.LogisticRegression(class_weight=class_weight).fit(X, (y > 0).astype(int))
    with pytest.raises(ValueError, match="C must be a number above 0, found 0"):
        of_tessera.LogisticRegression(C=0).fit(X, y)
    stream = stream_of(X, tmp_path)
    with pytest.raises(ValueError, match="y has 3 entries, and X 150 rows"):
        of_tessera.Ridge().fit(stream, y[:3])
    with pytest.raises(ValueError, match="X has 4 features, but Ridge is expecting 2 features"):
        of_tessera.Ridge().fit(X[:, :2], y).predict(stream)
    with pytest.raises(ValueError, match="n_components=9 must be between 1 and"):
        of_tessera.PCA(n_components=9).fit(X)


@pytest.mark.parametrize(
    "model, solvers",
    [
        (of_tessera.Ridge(alpha=1.0), ("cholesky", "sparse_cg", "lbfgs")),
        (of_tessera.LogisticRegression(C=1.0), ("newton-cholesky", "newton-cg", "lbfgs")),
        (of_tessera.PoissonRegressor(alpha=0.01), ("newton-cholesky", "newton-cg", "lbfgs")),
        (of_tessera.GammaRegressor(alpha=0.01), ("newton-cholesky", "newton-cg", "lbfgs")),
        (of_tessera.TweedieRegressor(alpha=0.01), ("newton-cholesky", "newton-cg", "lbfgs")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_solvers_find_the_same_minimum(model, solvers):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6)) * [1, 2, 3, 4, 5, 6]
    eta = X @ [0.3, -0.1, 0.05, 0.02, -0.03, 0.01]
    y = (eta > 0.2).astype(int) if type(model).__name__ == "LogisticRegression" else np.exp(eta)
    expected = clone(model).fit(X, y)
    for solver in solvers:
        found = clone(model).set_params(solver=solver, tol=1e-9, max_iter=1000).fit(X, y)
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
        if not np.isnan(expected.aic_):
            assert np.isnan(found.aic_) == (not solver.endswith("cholesky"))
    first = clone(model).set_params(solver=solvers[0]).fit(X, y)
    assert np.array_equal(first.coef_, expected.coef_)
    with pytest.raises(ValueError, match="solver must be one of auto, .*cholesky, .*, lbfgs, found 'saga'"):
        clone(model).set_params(solver="saga").fit(X, y)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_penalties_are_chosen_as_by_scikit_learn(name, intercept, weighted, is_scaled, tmp_path):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X = X[:, X.std(0) > 0]
    X = scaled(X) if is_scaled else X
    weights = np.random.default_rng(7).uniform(0, 2, len(X)) if weighted else None
    if weighted:
        weights[::5] = 0
    alphas = np.logspace(-3, 4, 15)
    found = of_tessera.RidgeCV(alphas, fit_intercept=intercept).fit(X, y, weights)
    expected = linear_model.RidgeCV(alphas, fit_intercept=intercept).fit(X, y, sample_weight=weights)
    assert found.alpha_ == expected.alpha_ and np.isscalar(found.alpha_)
    np.testing.assert_allclose(found.best_score_, expected.best_score_, rtol=1e-7)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-5, atol=1e-7 * np.abs(expected.coef_).max())
    ridge = of_tessera.Ridge(found.alpha_, fit_intercept=intercept).fit(X, y, weights)
    assert np.array_equal(found.coef_, ridge.coef_) and np.array_equal(found.intercept_, ridge.intercept_)
    for order in "CF":
        again = of_tessera.RidgeCV(alphas, fit_intercept=intercept).fit(
            stream_of(np.asarray(X, order=order), tmp_path), y, weights
        )
        assert again.criteria_.tobytes() == found.criteria_.tobytes()
        close(again.coef_, found.coef_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_leave_one_out_errors_are_those_of_fits_without_the_row(dtype):
    random = np.random.default_rng(4)
    X = (random.normal(size=(40, 5)) + 100).astype(dtype)
    y = (X[:, 0] - X[:, 1] + random.normal(size=40)).astype(dtype)
    found = of_tessera.RidgeCV([0.5, 20.0]).fit(X, y)
    for alpha, criterion in zip([0.5, 20.0], found.criteria_, strict=True):
        errors = []
        for i in range(40):
            fit = linear_model.Ridge(alpha).fit(np.delete(X, i, 0).astype(float), np.delete(y, i).astype(float))
            errors.append(y[i] - fit.predict(X[i : i + 1].astype(float))[0])
        np.testing.assert_allclose(criterion, np.mean(np.square(errors)), rtol=1e-9 if dtype == np.float64 else 1e-6)


@pytest.mark.parametrize("per_target", [False, True])
def test_penalties_of_several_targets_are_chosen_as_by_scikit_learn(per_target):
    X, Y = datasets.load_linnerud(return_X_y=True)
    alphas = np.logspace(-2, 5, 12)
    found = of_tessera.RidgeCV(alphas, alpha_per_target=per_target).fit(X, Y)
    expected = linear_model.RidgeCV(alphas, alpha_per_target=per_target).fit(X, Y)
    assert np.array_equal(found.alpha_, expected.alpha_) and np.shape(found.alpha_) == np.shape(expected.alpha_)
    assert len(set(np.ravel(found.alpha_))) == (2 if per_target else 1)
    close(found.best_score_, expected.best_score_)
    close(found.coef_, expected.coef_)
    close(found.predict(X), expected.predict(X))
    found, expected = (each.RidgeCV(alphas).fit(X, Y[:, :1]) for each in (of_tessera, linear_model))
    assert found.coef_.shape == expected.coef_.shape == (3,) and np.isscalar(found.alpha_)
    close(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("order", ["C", "F"])
def test_choosing_a_penalty_reads_a_stream_twice(order):
    X = np.random.default_rng(1).normal(size=(3000, 30))
    reads = []

    def read(rows, cols):
        reads.append((rows.stop - rows.start) * (cols.stop - cols.start))
        return X[rows, cols]

    stream = tessera.from_callback(*X.shape, read, order=order, memory_limit="1MiB")
    y = X[:, 0]
    fitted = of_tessera.RidgeCV(np.logspace(-3, 3, 20)).fit(stream, y)
    assert sum(reads) == (2 + fitted.n_reads_) * X.size


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_penalties_can_be_chosen_by_generalised_cross_validation(dtype, intercept, tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True, scaled=False)
    X, y = scaled(X).astype(dtype), y.astype(dtype)
    alphas = [1e-3, 0.1, 1.0, 10.0, 100.0, 1e4]
    found = of_tessera.RidgeCV(alphas, fit_intercept=intercept, criterion="gcv").fit(X, y)
    # The definition, with the whole matrix that maps y to the prediction.
    A, b = X.astype(float), y.astype(float)
    ones = np.ones((len(A), 1))
    expected = []
    for alpha in alphas:
        centred = A - A.mean(0) if intercept else A
        H = centred @ np.linalg.solve(centred.T @ centred + alpha * np.eye(A.shape[1]), centred.T)
        if intercept:
            H = H + ones @ ones.T / len(A)
        expected.append(len(A) * ((b - H @ b) ** 2).sum() / (len(A) - np.trace(H)) ** 2)
    np.testing.assert_allclose(found.criteria_, expected, rtol=1e-9 if dtype == "f8" else 1e-4)
    assert found.alpha_ == alphas[int(np.argmin(expected))]
    assert found.best_score_ == -found.criteria_.min()
    ridge = of_tessera.Ridge(found.alpha_, fit_intercept=intercept).fit(X, y)
    assert np.array_equal(found.coef_, ridge.coef_) and found.intercept_ == ridge.intercept_
    again = of_tessera.RidgeCV(alphas, fit_intercept=intercept, criterion="gcv").fit(stream_of(X, tmp_path), y)
    assert again.criteria_.tobytes() == found.criteria_.tobytes() and again.coef_.tobytes() == found.coef_.tobytes()


def test_penalties_to_choose_from():
    X, y = datasets.load_diabetes(return_X_y=True)
    for alphas, expected in (
        ([], "alphas must be finite numbers above 0"),
        ([1.0, 0.0], "alphas must be a number above 0, found 0.0"),
        ([np.inf], "alphas must be finite numbers above 0"),
        (["a"], "alphas must be a number above 0, found 'a'"),
    ):
        with pytest.raises(ValueError, match=expected):
            of_tessera.RidgeCV(alphas).fit(X, y)
    for arguments, expected in (
        ({"criterion": "aic"}, "criterion must be \"loo\" or \"gcv\", found 'aic'"),
        ({"cv": 5}, "cv must be None: other values are not supported, found 5"),
        ({"scoring": "r2"}, "scoring must be None: other values are not supported, found 'r2'"),
        ({"store_cv_results": True}, "store_cv_results must be False"),
        ({"alpha_per_target": "no"}, "alpha_per_target must be True or False, found 'no'"),
    ):
        with pytest.raises(ValueError, match=f"RidgeCV: {expected}"):
            of_tessera.RidgeCV(**arguments).fit(X, y)
    with pytest.raises(ValueError, match="X has 513 columns, expected at most 512"):
        of_tessera.RidgeCV().fit(np.ones((3, 513)), np.ones(3))


def test_solvers_for_several_classes():
    X, y = datasets.load_iris(return_X_y=True)
    expected = of_tessera.LogisticRegression().fit(X, y)
    found = of_tessera.LogisticRegression(solver="newton-cholesky").fit(X, y)
    assert np.array_equal(found.coef_, expected.coef_)
    # The default of scikit-learn.
    found = of_tessera.LogisticRegression(solver="lbfgs").fit(X, y)
    assert np.array_equal(found.coef_, expected.coef_)
    theirs = linear_model.LogisticRegression(solver="lbfgs", tol=1e-10, max_iter=10000).fit(X, y)
    close(found.coef_, theirs.coef_, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="solver must be one of .*, found 'saga'"):
        of_tessera.LogisticRegression(solver="saga").fit(X, y)


def test_what_does_not_converge_warns():
    from sklearn.exceptions import ConvergenceWarning

    X, y = datasets.load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="the limit of iterations was reached .*; raise max_iter or tol"):
        of_tessera.LogisticRegression(max_iter=1).fit(scaled(X), y)
    powers = np.linspace(0, 10, 200)[:, None] ** np.arange(1, 16)
    with pytest.warns(ConvergenceWarning, match="the precision of the arithmetic was reached .*; raise tol, leave out"):
        of_tessera.LinearRegression().fit(powers, np.sin(powers[:, 0]))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (of_tessera.Ridge(alpha=np.ones((1, 3))), "alpha must be a number of at least 0, found array"),
        (of_tessera.Ridge(alpha=-1), "alpha must be a number of at least 0, found -1"),
        (of_tessera.Ridge(alpha=np.inf), "alpha must be finite, found inf"),
        (of_tessera.PCA("most"), "n_components must be a whole number, found 'most'"),
        (of_tessera.PCA(1.5), "n_components must be a whole number, found 1.5"),
        (of_tessera.PCA(2.0), "n_components must be a whole number, found 2.0"),
        (of_tessera.PCA(True), "n_components must be a whole number, found True"),
        (of_tessera.PCA(tol="a"), "tol must be a number of at least 0, found 'a'"),
        (of_tessera.TruncatedSVD(2.5), "n_components must be a whole number, found 2.5"),
        (of_tessera.Ridge(tol=float("nan")), "tol must be a number of at least 0, found nan"),
        (of_tessera.Ridge(max_iter=1.5), "max_iter must be a whole number of at least 1, or None, found 1.5"),
        (of_tessera.LinearRegression(max_iter=0), "max_iter must be a whole number of at least 1, or None, found 0"),
        (of_tessera.LinearRegression(tol="a"), "LinearRegression: tol must be a number of at least 0, found 'a'"),
        (of_tessera.LinearRegression(fit_intercept="False"), "fit_intercept must be True or False, found 'False'"),
        (of_tessera.RidgeCV(fit_intercept=None), "fit_intercept must be True or False, found None"),
        (of_tessera.PoissonRegressor(fit_intercept=1), "fit_intercept must be True or False, found 1"),
        (of_tessera.PCA(whiten="no"), "whiten must be True or False, found 'no'"),
        (of_tessera.TruncatedSVD(n_iter=-1), "n_iter must be a whole number of at least 0, found -1"),
        (of_tessera.TruncatedSVD(n_oversamples="a"), "n_oversamples must be a whole number of at least 0, found 'a'"),
    ],
)
def test_parameters_that_make_no_sense(model, expected):
    X, y = datasets.load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=expected):
        model.fit(X, y)


def test_negative_counts_of_any_type_are_named():
    X = datasets.load_iris().data
    for kind in (int, float, object):
        with pytest.raises(ValueError, match="^PoissonRegressor: .*found -1.* at row 0"):
            of_tessera.PoissonRegressor().fit(X, np.full(150, -1, kind))


def test_the_solver_that_was_chosen_is_named():
    X, y = datasets.load_diabetes(return_X_y=True)
    assert of_tessera.Ridge().fit(X, y).solver_ == linear_model.Ridge().fit(X, y).solver_ == "cholesky"
    assert of_tessera.Ridge(solver="lbfgs").fit(X, y).solver_ == "lbfgs"
    wide = np.tile(X[:40], (1, 52))
    assert of_tessera.Ridge().fit(wide, y[:40]).solver_ == "sparse_cg"
    assert not hasattr(of_tessera.LinearRegression().fit(X, y), "solver_")


@pytest.mark.parametrize("count", [12, 20, 33, 43])
def test_equal_columns_are_fitted_as_scikit_learn_does(count):
    X, y = np.tile(np.arange(1.0, 51)[:, None], (1, count)), np.arange(50) % 7 + 1.0
    found, expected = of_tessera.RidgeCV().fit(X, y), linear_model.RidgeCV().fit(X, y)
    assert found.alpha_ == expected.alpha_
    close(found.coef_, expected.coef_)
    close(of_tessera.PCA().fit(X).explained_variance_[0], decomposition.PCA().fit(X).explained_variance_[0])


@pytest.mark.parametrize("estimator", [of_tessera.LinearRegression(), of_tessera.PCA()])
def test_times_are_no_numbers(estimator):
    times = np.arange(6).reshape(3, 2)
    tables = [times.astype("M8[D]"), times.astype("m8[s]")]
    pandas = package("pandas")
    tables.append(pandas.DataFrame({"x": [1.0, 2.0, 3.0], "when": times.astype("M8[s]")[:, 0]}))
    for table in tables:
        with pytest.raises(TypeError, match=r"X must have numbers, found (datetime|timedelta)64.*; make numbers of the times"):
            estimator.fit(table, [1.0, 2.0, 4.0])


def test_complex_weights_and_offsets_are_refused():
    X, y = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0, 4.0])
    with pytest.raises(ValueError, match="Ridge: sample_weight must have real numbers, found complex128"):
        of_tessera.Ridge().fit(X, y, np.ones(3) + 1j)
    with pytest.raises(ValueError, match="PoissonRegressor: offset must have real numbers, found complex128"):
        of_tessera.PoissonRegressor().fit(X, y, None, np.ones(3) + 1j)


def test_weights_that_make_no_sense():
    X, y = datasets.load_diabetes(return_X_y=True)
    for weights, expected in (
        (np.r_[1, -1, np.ones(440)], "sample_weight must be at least 0, found -1.0 at row 1"),
        (np.r_[1, np.nan, np.ones(440)], "sample_weight must be finite, found nan at row 1"),
        (np.zeros(442), "every sample_weight is zero: expected one above 0"),
        (np.ones(3), r"sample_weight.shape == \(3,\), expected \(442,\)"),
        ("balanced", "Ridge: sample_weight must have numbers, found .*'balanced'"),
    ):
        with pytest.raises(ValueError, match=expected):
            of_tessera.Ridge().fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="sample_weight is 0 in all rows of the class True"):
        of_tessera.LogisticRegression().fit(X, y > 100, sample_weight=(y <= 100).astype(float))
    assert of_tessera.Ridge(max_iter=None).fit(X, y).n_iter_ == 1


def test_entries_that_are_not_finite_are_named(tmp_path):
    X, y = datasets.load_diabetes(return_X_y=True)
    X[211, 7] = np.inf
    with pytest.raises(ValueError, match="A has an infinity or a NaN at row 211, column 7"):
        of_tessera.Ridge().fit(stream_of(X, tmp_path), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["diabetes", "breast_cancer", "wine", "iris", "linnerud"])
def test_unscaled_data_are_fitted_as_scikit_learn_does(name, dtype):
    arguments = {"scaled": False} if name == "diabetes" else {}
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True, **arguments)
    X, y = X.astype(dtype), (y[:, 0] if y.ndim == 2 else y).astype(dtype)
    for found, expected in (
        (of_tessera.LinearRegression(), linear_model.LinearRegression()),
        (of_tessera.Ridge(), linear_model.Ridge(solver="svd")),
        (of_tessera.PoissonRegressor(), linear_model.PoissonRegressor(solver="newton-cholesky", tol=1e-12)),
    ):
        found.fit(X, y)
        expected.fit(X.astype(float), y.astype(float))
        sizes = X.astype(float).std(0)
        largest = np.abs(expected.coef_ * sizes).max()
        limit = 1e-6 if dtype == np.float64 else 1e-3
        assert np.abs((found.coef_ - expected.coef_) * sizes).max() <= limit * largest
        assert abs(found.score(X, y) - expected.score(X.astype(float), y)) <= limit


def test_scales_of_columns_do_not_matter():
    random = np.random.default_rng(0)
    Z = random.normal(size=(2000, 2))
    scale = np.array([1e-4, 1e4])
    y = random.random(2000) < 1 / (1 + np.exp(-2 * Z[:, 0] - Z[:, 1]))
    plain = of_tessera.LogisticRegression(C=1e30).fit(Z, y)
    close(plain.coef_[0], [1.93822, 1.00077], rtol=1e-5)
    close(of_tessera.LogisticRegression(C=1e30).fit(Z * scale, y).coef_[0] * scale, plain.coef_[0])
    assert plain.n_reads_ <= 12


def test_rare_events_have_the_right_number():
    random = np.random.default_rng(2)
    X = ((random.normal(size=(10000, 3)) + 1) * 100).astype("f4")
    y = np.zeros(10000, int)
    y[:20] = 1
    found = of_tessera.LogisticRegression(C=1e6).fit(X, y)
    assert abs(found.predict_proba(X)[:, 1].sum(dtype=float) - 20) < 1e-3


def test_columns_that_depend_leave_short_coefficients():
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(200, 10)) @ random.normal(size=(10, 30)) / 3
        y = random.normal(size=200)
        for dtype, tol in ((np.float64, 0.0), (np.float64, 1e-13), (np.float32, 0.0), (np.float32, 1e-6)):
            found = of_tessera.LinearRegression(tol=tol).fit(X.astype(dtype), y)
            expected = linear_model.LinearRegression().fit(X, y)
            close(found.coef_, expected.coef_, atol=1e-4 if dtype == np.float32 else 1e-10)
            assert found.score(X, y) >= 0


def test_fewer_rows_than_columns_have_the_shortest_solution():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(5, 8)) + 1, random.normal(size=5)
    found = of_tessera.LinearRegression().fit(X, y)
    expected = linear_model.LinearRegression().fit(X, y)
    close(found.coef_, expected.coef_)
    close(found.intercept_, expected.intercept_)


def test_what_has_no_minimum_warns():
    X = np.array([[-2.0], [-1], [1], [2]])
    with pytest.warns(of_tessera.PerfectSeparationWarning, match="perfect separation of the classes on columns 0"):
        of_tessera.LogisticRegression(C=np.inf).fit(X, [0, 0, 1, 1])
    with pytest.warns(of_tessera.PerfectSeparationWarning, match="rows with y = 0 are separated"):
        of_tessera.PoissonRegressor(alpha=0).fit(np.array([[1.0], [1], [0], [0]]), [0, 0, 3, 1])
    X, y = datasets.load_iris(return_X_y=True)
    with pytest.warns(of_tessera.PerfectSeparationWarning):
        of_tessera.LogisticRegression(C=np.inf).fit(X, y == 0)


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge", "LogisticRegression", "PoissonRegressor"])
def test_sample_weights(name):
    X, y = datasets.load_diabetes(return_X_y=True)
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    y = (y > 140).astype(int) if name == "LogisticRegression" else y
    exact = {"LogisticRegression": {"tol": 1e-12, "solver": "newton-cholesky"},
             "PoissonRegressor": {"tol": 1e-12, "solver": "newton-cholesky"}}.get(name, {})
    found = getattr(of_tessera, name)().fit(X, y, sample_weight=weights)
    expected = getattr(linear_model, name)(**exact).fit(X, y, sample_weight=weights)
    close(found.coef_, expected.coef_, rtol=1e-5, atol=1e-5)
    close(found.intercept_, expected.intercept_)


def test_numbers_may_be_arrays_without_dimensions():
    X, y = datasets.load_diabetes(return_X_y=True)
    found = of_tessera.Ridge(alpha=np.array(0.5)).fit(X, y)
    close(found.coef_, linear_model.Ridge(alpha=0.5).fit(X, y).coef_)


@pytest.mark.parametrize("alpha", [None, 1.0, [0.5, 2.0, 8.0]])
@pytest.mark.parametrize("intercept", [True, False])
def test_several_targets(alpha, intercept, tmp_path):
    X, Y = datasets.load_linnerud(return_X_y=True)
    name, arguments = ("LinearRegression", {}) if alpha is None else ("Ridge", {"alpha": alpha})
    weights = 1 + np.arange(len(Y)) % 3
    found = getattr(of_tessera, name)(fit_intercept=intercept, **arguments).fit(X, Y, weights)
    expected = getattr(linear_model, name)(fit_intercept=intercept, **arguments).fit(X, Y, weights)
    assert found.coef_.shape == expected.coef_.shape == (3, 3)
    close(found.coef_, expected.coef_)
    close(found.intercept_, expected.intercept_)
    close(found.predict(X), expected.predict(X))
    close(found.score(X, Y), expected.score(X, Y))
    assert found.standard_errors_.shape[0] == len(found.deviance_) == 3
    again = clone(found).fit(stream_of(X, tmp_path), Y, weights)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert again.predict(tessera.open(tmp_path / "x.npy")).tobytes() == found.predict(X).tobytes()
    one = getattr(of_tessera, name)(fit_intercept=intercept).fit(X, Y[:, :1], weights)
    theirs = getattr(linear_model, name)(fit_intercept=intercept).fit(X, Y[:, :1], weights)
    assert one.coef_.shape == theirs.coef_.shape and one.predict(X).shape == theirs.predict(X).shape
    if not intercept:
        close(one.intercept_, [0])
    with pytest.raises(ValueError, match="a summary needs .* one target"):
        found.summary()


@pytest.mark.parametrize("intercept", [True, False])
def test_targets_with_and_without_a_penalty(intercept):
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = X @ [[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]] + 4
    found = of_tessera.Ridge(alpha=[0, 1], fit_intercept=intercept).fit(X, y)
    expected = linear_model.Ridge(alpha=[0, 1], fit_intercept=intercept).fit(X, y)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-10)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=1e-10, atol=1e-12)
    assert np.isfinite(found.standard_errors_[0, :3]).all() and np.isnan(found.standard_errors_[1]).all()


@pytest.mark.parametrize("value", [0.1, 7.7, 1 / 3, 1.0, 0.0])
def test_a_constant_target_has_no_coefficients_and_no_warning(value):
    X = datasets.load_diabetes(scaled=False).data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = of_tessera.Ridge().fit(X, np.full(len(X), value))
        several = of_tessera.Ridge().fit(X, np.column_stack([np.full(len(X), value), X[:, 0]]))
    for coefficients in (model.coef_, several.coef_[0]):
        np.testing.assert_allclose(coefficients, 0, atol=1e-14)
    np.testing.assert_allclose(model.intercept_, value, rtol=1e-14)


@pytest.mark.parametrize("alpha", [None, [0.5, 2.0, 8.0]])
def test_targets_share_the_passes_and_have_the_bits_of_each(alpha, tmp_path):
    X, Y = datasets.load_linnerud(return_X_y=True)
    name, arguments = ("LinearRegression", {}) if alpha is None else ("Ridge", {"alpha": alpha})
    stream = stream_of(X, tmp_path)
    found = getattr(of_tessera, name)(**arguments).fit(stream, Y)
    assert stream.reads == found.n_reads_
    each = [
        getattr(of_tessera, name)(**({} if alpha is None else {"alpha": alpha[j]})).fit(X, Y[:, j]) for j in range(3)
    ]
    assert found.n_reads_ == max(one.n_reads_ for one in each) > 1
    assert found.coef_.tobytes() == b"".join(one.coef_.tobytes() for one in each)
    assert found.intercept_.tolist() == [one.intercept_ for one in each]
    predictions = np.stack([one.predict(X) for one in each], axis=1)
    assert found.predict(X).tobytes() == predictions.tobytes()
    Y[3, 1] = np.inf
    with pytest.raises(ValueError):
        found.fit(X, Y)


def test_a_limit_that_is_named_is_enough_for_several_targets():
    random = np.random.default_rng(3)
    X, Y = random.standard_normal((700, 20)), random.standard_normal((700, 90))

    def fit(limit):
        stream = tessera.from_callback(700, 20, lambda rows, cols: X[rows, cols], memory_limit=limit)
        return of_tessera.LinearRegression().fit(stream, Y)

    with pytest.raises(ValueError, match="expected a limit of at least ([0-9]+) bytes, found 8000$") as refused:
        fit(8000)
    enough = int(str(refused.value).split("at least ")[1].split(" ")[0])
    assert fit(enough).coef_.tobytes() == of_tessera.LinearRegression().fit(X, Y).coef_.tobytes()


@pytest.mark.parametrize("source", ["callback", "blocks", "file", "hdf5", "npz", "by columns"])
def test_results_with_several_columns_share_a_pass(source, tmp_path):
    X = np.random.default_rng(1).standard_normal((3000, 20))
    Y = X @ np.random.default_rng(2).standard_normal((20, 5))
    read = []

    def part(rows, cols):
        read.append((rows.stop - rows.start) * (cols.stop - cols.start))
        return X[rows, cols]

    if source == "callback":
        stream = tessera.from_callback(*X.shape, part, memory_limit="128KiB")
    elif source == "blocks":
        stream = tessera.from_blocks([X[:1000], X[1000:1001], X[1001:]], memory_limit="128KiB")
    elif source == "file":
        stream = stream_of(X, tmp_path)
    elif source == "hdf5":
        with package("h5py").File(tmp_path / "x.h5", "w") as file:
            file.create_dataset("X", data=X, chunks=(170, 7), compression="gzip")
        stream = tessera.open(f"{tmp_path}/x.h5:/X")
    elif source == "npz":
        np.savez_compressed(tmp_path / "x.npz", X=X)
        stream = tessera.open(f"{tmp_path}/x.npz:X", memory_limit="128KiB")
    else:
        stream = tessera.from_callback(*X.shape, part, order="F", memory_limit="4MiB")
    labels = Y.argmax(axis=1)
    for model, call in (
        (of_tessera.Ridge().fit(X, Y), "predict"),
        (of_tessera.LogisticRegression().fit(X, labels), "decision_function"),
        (of_tessera.LogisticRegression().fit(X, labels > 1), "decision_function"),
    ):
        read.clear()
        before = stream.reads
        found, expected = (getattr(model, call)(each) for each in (stream, X))
        assert stream.reads - before == 1
        if source == "by columns":  # the layout determines the order of summation
            close(found, expected)
        else:
            assert found.tobytes() == expected.tobytes()
        assert not read or sum(read) == X.size
    for model in (of_tessera.PCA(4).fit(X), of_tessera.TruncatedSVD(4).fit(X)):
        read.clear()
        before = stream.reads
        close(model.transform(stream), model.transform(X), rtol=1e-9, atol=1e-12)
        assert stream.reads - before == 1
        assert not read or sum(read) == X.size
        assert source != "callback" or max(read) <= 2**17 // 8


def test_coefficients_of_many_targets_do_not_count_towards_the_limit():
    X = np.random.default_rng(1).standard_normal((200, 3000))
    model = of_tessera.LinearRegression()
    model.coef_, model.intercept_, model.n_features_in_ = X[:40].copy(), np.zeros(40), 3000
    stream = tessera.from_callback(*X.shape, lambda rows, cols: X[rows, cols], memory_limit="512KiB")  # coef_: 938 KiB
    assert model.predict(stream).tobytes() == model.predict(X).tobytes()
    assert stream.reads == 1


def test_penalties_of_targets_are_as_many_as_targets():
    X, Y = datasets.load_linnerud(return_X_y=True)
    with pytest.raises(ValueError, match="Ridge: alpha has 2 penalties for 3 targets: expected one for each"):
        of_tessera.Ridge(alpha=[1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match="alpha has 2 penalties for 1 targets"):
        of_tessera.Ridge(alpha=np.array([1.0, 2.0])).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="alpha must be a number of at least 0, found -1"):
        of_tessera.Ridge(alpha=[1.0, 2.0, -1]).fit(X, Y)
    close(of_tessera.Ridge(alpha=[3.0]).fit(X, Y).coef_, linear_model.Ridge(alpha=3.0).fit(X, Y).coef_)




@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("n_components", [None, 2, 0.6, 0.95, "mle"])
@pytest.mark.parametrize("whiten", [False, True])
def test_principal_components_are_those_of_scikit_learn(name, n_components, whiten):
    X = getattr(datasets, f"load_{name}")().data
    found = of_tessera.PCA(n_components, whiten=whiten).fit(X)
    expected = decomposition.PCA(n_components, whiten=whiten, svd_solver="full").fit(X)
    assert found.n_components_ == expected.n_components_
    signs = np.sign((found.components_ * expected.components_).sum(1))
    large = expected.explained_variance_ > 1e-9 * expected.explained_variance_[0]
    scale = expected.explained_variance_[0]
    close(found.explained_variance_, expected.explained_variance_, atol=1e-10 * scale)
    close(found.explained_variance_ratio_, expected.explained_variance_ratio_)
    close(found.mean_, expected.mean_)
    close(found.noise_variance_, expected.noise_variance_, atol=1e-10 * scale)
    # With whiten=True, scikit-learn's covariance and likelihood do not describe the data.
    plain = decomposition.PCA(n_components, svd_solver="full").fit(X) if whiten else expected
    close(found.get_covariance(), plain.get_covariance(), atol=1e-10 * scale)
    close(found.transform(X)[:, large] * signs[large], expected.transform(X)[:, large], atol=1e-5)
    close(found.inverse_transform(found.transform(X)), expected.inverse_transform(expected.transform(X)), atol=1e-5)
    if large.all() and not 0 < expected.noise_variance_ < 1e-9 * scale:
        close(found.get_precision(), plain.get_precision(), atol=1e-6 * np.abs(plain.get_precision()).max())
        close(found.score_samples(X), plain.score_samples(X), rtol=1e-5)
        close(found.score(X), plain.score(X), rtol=1e-5)


@pytest.mark.parametrize("n_components", [25, 29, 0.9999999, "mle"])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_small_noise_variances_do_not_cancel(n_components, shift):
    X = datasets.load_breast_cancer().data + shift
    expected = decomposition.PCA(n_components, svd_solver="full").fit(X).noise_variance_
    close(of_tessera.PCA(n_components).fit(X).noise_variance_, expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["diabetes", "breast_cancer", "digits", "iris", "wine"])
@pytest.mark.parametrize("factor", [1e-20, 1e-6, 1e20])
def test_the_likeliest_dimension_does_not_depend_on_the_unit(name, factor):
    X = getattr(datasets, f"load_{name}")().data
    assert of_tessera.PCA("mle").fit(X * factor).n_components_ == of_tessera.PCA("mle").fit(X).n_components_


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("factor", [2.0**-60, 2.0**50])
def test_whitening_does_not_depend_on_the_unit(dtype, factor):
    X = datasets.load_iris().data.astype(dtype)
    found = of_tessera.PCA(whiten=True).fit_transform(X * X.dtype.type(factor))
    close(found, of_tessera.PCA(whiten=True).fit_transform(X), atol=1e-3 if dtype == "f4" else 1e-10)
    close(found.std(axis=0, ddof=1), np.ones(4), rtol=1e-3)
    constant = of_tessera.PCA(whiten=True).fit_transform(np.ones((5, 2), dtype))
    np.testing.assert_array_equal(constant, np.zeros((5, 2)))


def test_numbers_of_components_that_are_refused(tmp_path):
    X = datasets.load_iris().data
    for wrong in (1.5, 0.0, True, "most", [2]):
        with pytest.raises(ValueError, match="n_components must be a whole number, found"):
            of_tessera.PCA(wrong).fit(X)
    with pytest.raises(ValueError, match="n_components=0 must be between 1 and"):
        of_tessera.PCA(0).fit(X)
    with pytest.raises(ValueError, match='n_components="mle" is only supported if n_samples >= n_features'):
        of_tessera.PCA("mle").fit(X[:3])
    stream = stream_of(X, tmp_path)
    found = of_tessera.PCA(0.95, whiten=True).fit(stream)
    assert found.transform(stream).tobytes() == of_tessera.PCA(0.95, whiten=True).fit(X).transform(stream).tobytes()


@pytest.mark.parametrize("order", ["C", "F"])
def test_likelihoods_of_a_streamed_matrix(order):
    X = datasets.load_digits().data
    model = of_tessera.PCA(10).fit(X)
    stream = tessera.from_callback(*X.shape, lambda rows, cols: X[rows, cols], order=order, memory_limit="256KiB")
    close(model.score_samples(stream), model.score_samples(X), rtol=1e-12)
    assert stream.reads == 1
    close(model.score(stream), model.score(X), rtol=1e-12)


@pytest.mark.parametrize("estimator", [of_tessera.PCA(2), of_tessera.TruncatedSVD(2)])
def test_results_as_data_frames(estimator):
    pandas = package("pandas")
    frame = datasets.load_iris(as_frame=True).data
    found = clone(estimator).set_output(transform="pandas").fit_transform(frame)
    assert isinstance(found, pandas.DataFrame)
    name = type(estimator).__name__.lower()
    assert found.columns.tolist() == [f"{name}0", f"{name}1"] and found.index.equals(frame.index)
    assert clone(estimator).fit(frame).feature_names_in_.tolist() == frame.columns.tolist()


@pytest.mark.parametrize("estimator", [each for each in ESTIMATORS if hasattr(each, "predict")], ids=str)
def test_names_of_columns_are_kept_and_compared(estimator):
    package("pandas")
    frame = datasets.load_iris(as_frame=True).data
    model = clone(estimator).fit(frame, datasets.load_iris().target + 1)
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])


EXACT = {"solver": "newton-cholesky", "tol": 1e-12}
TABLE = [
    ("LinearRegression", {}, {}, DATA_SETS),
    ("Ridge", {"alpha": 0.5}, {}, DATA_SETS),
    ("PoissonRegressor", {"alpha": 0.1}, EXACT, DATA_SETS),
    ("GammaRegressor", {"alpha": 0.1}, EXACT, DATA_SETS),
    ("TweedieRegressor", {"power": 1.5, "alpha": 0.1, "link": "log"}, EXACT, DATA_SETS),
    ("LogisticRegression", {"C": 0.3}, {**EXACT, "max_iter": 1000}, ["breast_cancer", "digits", "iris", "wine"]),
]


@pytest.mark.parametrize(
    ("model", "arguments", "exact", "name"), [(*row[:3], name) for row in TABLE for name in row[3]]
)
def test_table_of_models_and_data_sets(model, arguments, exact, name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X = scaled(X[:, X.std(0) > 0])
    if model == "LogisticRegression":
        X = X[:, :40]
    elif model in ("PoissonRegressor", "GammaRegressor", "TweedieRegressor"):
        y = (y[:, 0] if y.ndim == 2 else y) + 1.0
    expected = getattr(linear_model, model)(**arguments, **exact).fit(X, y)
    found = getattr(of_tessera, model)(**{key: x for key, x in arguments.items() if key != "link"}).fit(X, y)
    shared = {key for key in vars(expected) if key.endswith("_") and not key.startswith("_")}
    left_out = {"n_iter_", "rank_", "singular_"}
    assert shared - left_out <= set(vars(found))
    size = np.abs(expected.coef_).max()
    close(found.coef_, expected.coef_, atol=1e-5 * size)
    close(found.intercept_, expected.intercept_, rtol=1e-5, atol=1e-5 * size)
    close(found.predict(X), expected.predict(X), rtol=1e-5)
    close(found.score(X, y), expected.score(X, y))
    assert np.shape(found.coef_) == np.shape(expected.coef_)
    assert np.shape(found.intercept_) == np.shape(expected.intercept_)


def test_summary():
    X = np.array([[0.0], [0], [0], [0], [1], [1], [1], [1]])
    found = of_tessera.LogisticRegression(C=np.inf).fit(X, [0, 1, 0, 0, 1, 1, 0, 1])
    close(found.standard_errors_, [np.sqrt(8 / 3), np.sqrt(4 / 3)])
    lines = found.summary().splitlines()
    assert lines[1].split() == ["x0", "2.19722", "1.633", "1.346", "0.178"]
    assert lines[2].split() == ["intercept", "-1.09861", "1.155", "-0.951", "0.341"]
    assert lines[3] == "deviance 8.99736   AIC 12.9974"
    with pytest.raises(ValueError, match="a summary needs a fit without a penalty"):
        of_tessera.Ridge().fit(X, np.arange(8.0)).summary()
    rates = of_tessera.PoissonRegressor(alpha=0).fit(X, [2, 4, 8, 6, 6, 12, 24, 18], offset=np.log([1, 2, 4, 3] * 2))
    close([rates.intercept_, rates.coef_[0]], np.log([2, 3]))


def test_without_scikit_learn():
    program = "import sys; sys.modules['sklearn'] = None\nimport tessera\ntry:\n import tessera.sklearn\n"
    program += "except ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == "tessera.sklearn needs scikit-learn 1.6 or newer\n"


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_pickles_have_the_public_module(estimator):
    X, y = datasets.load_diabetes(return_X_y=True)
    fitted = clone(estimator).fit(X, (y > 100).astype(float) + 1)
    text = pickle.dumps(fitted)
    assert b"tessera.sklearn" in text and b"_sklearn" not in text
    again = pickle.loads(text)
    assert type(again) is getattr(of_tessera, type(estimator).__name__)
    method = "predict" if hasattr(fitted, "predict") else "transform"
    assert np.array_equal(getattr(again, method)(X), getattr(fitted, method)(X))


def test_examples():
    assert doctest.testmod(of_tessera).failed == 0


@pytest.mark.parametrize(
    "estimator", [of_tessera.LinearRegression, of_tessera.LogisticRegression, of_tessera.PoissonRegressor]
)
def test_rows_of_weight_zero_may_hold_anything(estimator):
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 2))
    y = (X[:, 0] + random.normal(size=60) > 0).astype(float)
    masked = np.vstack([X, [[1e9, -1e9]]])
    weights = np.append(np.ones(60), 0.0)
    found = estimator().fit(masked, np.append(y, 1.0), sample_weight=weights)
    expected = estimator().fit(X, y)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=1e-8)


def test_inverse_of_whitening_looks_at_its_input_first():
    X = np.random.default_rng(5).normal(size=(60, 4))
    with pytest.raises(TypeError, match="PCA: X must not have masked elements"):
        of_tessera.PCA(whiten=True).fit(X).inverse_transform(np.ma.masked_greater(X, 1.0))
    with pytest.raises(NotFittedError):
        of_tessera.PCA(whiten=True).inverse_transform(X)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_masks(estimator):
    random = np.random.default_rng(5)
    X = random.normal(size=(60, 4))
    y = (X[:, 0] > 0) + 1.0
    masked, mask = np.ma.masked_greater(X, 1.0), X[:, 1] > 1
    model = clone(estimator).fit(np.ma.array(X), np.ma.array(y))
    calls = {"X": [lambda: clone(estimator).fit(masked, y), lambda: clone(estimator).fit(list(masked), y)]}
    if hasattr(estimator, "transform"):
        calls["X"] += [
            lambda: clone(estimator).fit_transform(masked),
            lambda: model.transform(masked),
            lambda: model.inverse_transform(masked[:, : model.components_.shape[0]]),
        ]
    else:
        its_y, its_weights = np.ma.array(y, mask=mask), np.ma.array(np.ones(60), mask=mask)
        stream = tessera.from_callback(60, 4, lambda rows, cols: X[rows, cols])
        calls["X"] += [lambda: model.predict(masked), lambda: model.score(masked, y)]
        calls["y"] = [
            lambda: clone(estimator).fit(X, its_y),
            lambda: clone(estimator).fit(stream, its_y),
            lambda: model.score(X, its_y),
        ]
        calls["sample_weight"] = [lambda: model.score(X, y, its_weights)]
        if not isinstance(estimator, of_tessera.RidgeCV):
            calls["sample_weight"].append(lambda: clone(estimator).fit(X, y, its_weights))
        np.testing.assert_array_equal(model.coef_, clone(estimator).fit(X, y).coef_)
        assert model.score(X, y, np.ones(60)) == pytest.approx(model.score(X, y))
    if hasattr(estimator, "predict_proba"):
        calls["X"] += [lambda: model.predict_proba(masked), lambda: model.decision_function(masked)]
    if isinstance(estimator, (of_tessera.PoissonRegressor, of_tessera.GammaRegressor, of_tessera.TweedieRegressor)):
        calls["offset"] = [lambda: clone(estimator).fit(X, y, None, np.ma.array(np.ones(60), mask=mask))]
    for name, its in calls.items():
        for call in its:
            sentence = f"^{type(estimator).__name__}: {name} must not have masked elements; pass its filled"
            with pytest.raises(TypeError, match=sentence):
                call()


@pytest.mark.parametrize("name", ["PoissonRegressor", "GammaRegressor", "TweedieRegressor"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_score_of_equal_targets(name, dtype):
    X = datasets.load_iris(return_X_y=True)[0].astype(dtype)
    y = np.full(len(X), 3.0)
    model = getattr(of_tessera, name)().fit(X, y)
    close(model.predict(X), y)
    assert model.score(X, y) == model.score(X, y.tolist()) == 1
    assert model.score(X, y + 1) == 0
    with pytest.raises(ValueError):
        model.score(X, -y)


def test_a_fit_to_a_stream_forgets_the_names_of_an_earlier_one(tmp_path):
    package("pandas")
    X, y = datasets.load_diabetes(return_X_y=True, as_frame=True)
    model = of_tessera.Ridge().fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    model.fit(stream_of(X.to_numpy()[:, :3].copy(), tmp_path), y)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 3
    assert model.predict(X.to_numpy()[:5, :3]).shape == (5,)


@pytest.mark.parametrize("estimator", [of_tessera.PCA(2), of_tessera.PCA(2, whiten=True), of_tessera.TruncatedSVD(2)])
def test_coordinates_of_another_number_are_refused(estimator):
    model = clone(estimator).fit(datasets.load_wine(return_X_y=True)[0])
    with pytest.raises(ValueError, match=f"X has 3 coordinates, but {type(model).__name__} has 2 components"):
        model.inverse_transform(np.ones((4, 3)))


NOT_ACCEPTED = {
    "LogisticRegression": {"multi_class"},
}


@pytest.mark.parametrize("name", of_tessera.__all__)
def test_arguments_of_scikit_learn_are_accepted(name):
    theirs = getattr(linear_model, name, getattr(decomposition, name, None))
    if theirs is None:
        assert name == "PerfectSeparationWarning"
        return
    ours = getattr(of_tessera, name)
    assert set(theirs().get_params()) - set(ours().get_params()) <= NOT_ACCEPTED.get(name, set())


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (of_tessera.LinearRegression(positive=True), "LinearRegression: positive must be False: .* found True"),
        (of_tessera.Ridge(positive=np.True_), "Ridge: positive must be False"),
        (of_tessera.LogisticRegression(penalty="l1"), "LogisticRegression: penalty must be 'l2' or None: .* found 'l1'"),
        (of_tessera.LogisticRegression(dual=True), "LogisticRegression: dual must be False"),
        (of_tessera.LogisticRegression(l1_ratio=0.5), "LogisticRegression: l1_ratio must be 0 or None"),
        (of_tessera.TweedieRegressor(link="identity"), "TweedieRegressor: link must be 'auto' or 'log'"),
    ],
)
def test_values_that_are_not_supported_are_refused(estimator, sentence):
    with pytest.raises(ValueError, match=sentence):
        estimator.fit(np.arange(6.0).reshape(3, 2), np.array([1, 2, 1]))


def test_arguments_that_are_not_used_change_nothing():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X = X[:, :5] / X[:, :5].max(axis=0)
    plain = of_tessera.LogisticRegression().fit(X, y)
    same = of_tessera.LogisticRegression(random_state=3, n_jobs=2, verbose=1, warm_start=True).fit(X, y)
    assert same.coef_.tobytes() == plain.coef_.tobytes()
    free, infinite = of_tessera.LogisticRegression(penalty=None).fit(X, y), of_tessera.LogisticRegression(np.inf).fit(X, y)
    assert free.coef_.tobytes() == infinite.coef_.tobytes() != plain.coef_.tobytes()
    found = of_tessera.PCA(2, copy=False, iterated_power=7, n_oversamples=3).fit(X)
    assert found.components_.tobytes() == of_tessera.PCA(2).fit(X).components_.tobytes()
