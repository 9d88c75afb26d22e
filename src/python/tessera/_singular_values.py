# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""The largest singular values, and principal components."""

import numbers
from collections.abc import Callable
from typing import Any

import numpy

from tessera import _arrays, _core
from tessera._results import PcaResult, Step
from tessera._sentences import found
from tessera._solvers import Telling, is_array, is_distributed, is_whole, on_all_ranks, on_ranks_of, require_converged
from tessera._solvers import require_finite, shape_of, type_of_results


def _with_triplets(name: str, A: Any, parameter: str, k: int, copy: bool) -> Any:
    """A as an array or a stream, which has k singular values."""
    if copy and is_array(A):
        A = _arrays.array(A, f"{name}: A must be")
    most = min(shape_of(name, A))
    if most == 0:
        raise ValueError(f"{name}: `A` must not be empty, found shape {tuple(A.shape)}")
    is_number = isinstance(k, numbers.Real)
    if not is_number or not 0 < k <= most or int(k) != k:
        is_other = not is_number and not isinstance(k, str)  # SciPy's int(k) is a TypeError
        raise (TypeError if is_other else ValueError)(
            f"{name}: `{parameter}` must be an integer satisfying `0 < {parameter} <= min(A.shape)`, found {found(k)}"
        )
    return A


def _triplets(
    name: str,
    A: Any,
    k: int,
    *,
    tol: float,
    ncv: int | None,
    maxiter: int | None,
    want_u: bool,
    rises: bool,
    is_pca: bool,
    scale: bool,
    copy: bool,
    callback: Callable[[Step], Any] | None,
    progress: bool,
) -> tuple[Any, dict]:
    name = "linalg." + name
    A = _with_triplets("tessera." + name, A, "k", k, copy)
    if ncv is not None and (not is_whole(ncv) or ncv <= k):
        raise ValueError(f"tessera.{name}: `ncv` must be an integer satisfying `k < ncv`, found {found(ncv)}")
    if not isinstance(tol, numbers.Real) or not 0 <= tol < numpy.inf:
        raise ValueError(f"tessera.{name}: `tol` must be a non-negative floating point value, found {found(tol)}")
    if maxiter is not None and (not is_whole(maxiter) or maxiter <= 0):
        raise ValueError(f"tessera.{name}: `maxiter` must be a positive integer, found {found(maxiter)}")
    with Telling("tessera." + name, callback, progress) as on_step:
        result = on_ranks_of(A, lambda: _core._svd(
            name, A, int(k), float(tol), int(maxiter or 0), int(ncv or 0), want_u, rises, is_pca, scale, on_step, copy
        ))
    require_converged("tessera." + name, result, A=A)
    dtype = type_of_results(name, A).name
    return (lambda values: _arrays.of_numbers(result["vt"], values, dtype)), result


@on_all_ranks
def svds(
    A: Any,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: Any = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | str = True,
    solver: str = "arpack",
    rng: Any = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Any = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> Any:
    """Compute the k largest singular values and vectors, like scipy.sparse.linalg.svds.

    Parameters
    ----------
    A
    k : int, default 6
        Number of values, at most min(m, n).
    ncv : int, optional
        Size of the basis of the iterative method.
    tol
    which : {"LM"}
        Only the largest values are supported.
    v0 : array, optional
        Starting vector of SciPy's methods, of min(m, n) entries, or m for "propack". It is checked and not used: the
        result does not depend on where a method begins.
    maxiter : int, optional
        Most iterations of the iterative method.
    return_singular_vectors : bool or {"u", "vh"}, default True
        Which vectors are returned.
    solver : {"arpack", "propack", "lobpcg"}, default "arpack"
        Name of a method of SciPy. Tessera uses its own method for all of them, to the same tolerance.
    rng : int, numpy.random.Generator or numpy.random.RandomState, optional
        Accepted as by SciPy, and not used: there are no random numbers.
    options : dict, optional
        Options of SciPy's methods. It must be empty.
    random_state : int, numpy.random.Generator or numpy.random.RandomState, optional
        Earlier name of `rng`.
    copy, callback, progress

    Returns
    -------
    tuple of array or array
        The triple u, s, vh with ascending values, or only s without vectors. The largest entry of each row of vh is positive.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it does not converge.

    Warns
    -----
    ConvergenceWarning
        If the precision of the type allows no smaller residuals. The result is returned.

    Notes
    -----
    A matrix with at most 512 columns is decomposed directly, unless `ncv` or `maxiter` is given. Values that are zero
    to the precision of the largest are exactly 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import svds
    >>> A = np.array([[3.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    >>> np.round(svds(A, 2, return_singular_vectors=False), 12)
    array([3., 5.])
    """
    if which != "LM":
        raise ValueError(f'tessera.linalg.svds: `which` must be in {{"LM"}}, found {which!r}')
    if return_singular_vectors not in (True, False, "u", "vh"):
        raise ValueError(
            f'tessera.linalg.svds: `return_singular_vectors` must be in {{True, False, "u", "vh"}}, '
            f"found {return_singular_vectors!r}"
        )
    _check_scipy_options(A, v0, solver, rng if random_state is None else random_state, options)
    want_u = return_singular_vectors in (True, "u")
    made, result = _triplets(
        "svds", A, k, tol=tol, ncv=ncv, maxiter=maxiter, want_u=want_u, rises=True, is_pca=False, scale=False,
        copy=copy, callback=callback, progress=progress
    )
    s = made(result["s"])
    if not return_singular_vectors:
        return s
    return _left(A, result) if want_u else None, s, result["vt"] if return_singular_vectors != "u" else None


def _check_scipy_options(A: Any, v0: Any, solver: str, rng: Any, options: Any) -> None:
    """Refuses what SciPy refuses of arguments that do not change the result."""
    name = "tessera.linalg.svds"
    if solver not in ("arpack", "lobpcg", "propack"):
        raise ValueError(f'{name}: `solver` must be one of {{"arpack", "lobpcg", "propack"}}, found {solver!r}')
    if v0 is not None:
        v0 = numpy.atleast_1d(_arrays.on_host(v0))
        if v0.dtype.kind not in "fc":
            raise TypeError(f"{name}: `v0` must be of floating or complex floating data type, found {v0.dtype}")
        rows, cols = shape_of(name, A)
        shape = (rows,) if solver == "propack" else (min(rows, cols),)
        if v0.shape != shape:
            raise ValueError(f"{name}: `v0` must have shape {shape}, found {v0.shape}")
    if options:
        raise ValueError(f"{name}: `options` must be empty, found {sorted(options)}")
    if not isinstance(rng, numpy.random.RandomState):
        numpy.random.default_rng(rng)  # SciPy's error


def _left(A: Any, result: dict) -> Any:
    """Left singular vectors, of a matrix on many processes this rank's rows of them."""
    ut = result["ut"][:, A.rows] if is_distributed(A) else result["ut"]
    return ut.T


@on_all_ranks
def randomized_svd(
    A: Any,
    n_components: int,
    *,
    n_oversamples: int = 10,
    n_iter: int = 4,
    random_state: int = 0,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> tuple[Any, Any, Any]:
    """Approximate the largest singular values and vectors, like sklearn.utils.extmath.randomized_svd.

    Parameters
    ----------
    A
    n_components : int
        Number of values.
    n_oversamples : int, default 10
        Additional vectors of the block.
    n_iter : int, default 4
        Power iterations; A is read n_iter + 2 times.
    random_state : int, default 0
        Seed below 2**24. Two calls with the same seed give the same result.
    copy, callback, progress

    Returns
    -------
    tuple of array
        The triple u, s, vh with descending values. Signs are not normalised.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import randomized_svd
    >>> A = np.array([[3.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    >>> np.round(randomized_svd(A, 2)[1], 12)
    array([5., 3.])
    """
    name = "tessera.linalg.randomized_svd"
    A = _with_triplets(name, A, "n_components", n_components, copy)
    for parameter, value in (("n_oversamples", n_oversamples), ("n_iter", n_iter), ("random_state", random_state)):
        if not isinstance(value, (int, numpy.integer)) or value < 0:
            raise ValueError(f"{name}: `{parameter}` must be a whole number of at least 0, found {value!r}")
    with Telling(name, callback, progress) as on_step:
        result = on_ranks_of(A, lambda: _core._randomized_svd(
            "linalg.randomized_svd", A, int(n_components), int(n_oversamples), int(n_iter), int(random_state), on_step,
            copy
        ))
    require_finite(name, result, A=A)
    return _left(A, result), _arrays.of_numbers(result["vt"], result["s"], type_of_results(name, A).name), result["vt"]


@on_all_ranks
def pca(
    A: Any,
    k: int,
    *,
    scale: bool = False,
    tol: float = 0,
    ncv: int | None = None,
    maxiter: int | None = None,
    copy: bool = False,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> PcaResult:
    """Compute k principal components without centring or copying A.

    Parameters
    ----------
    A
    k : int
        Number of components.
    scale : bool, default False
        Divide the columns by their standard deviation. Columns of equal entries are left out.
    tol
    ncv, maxiter : int, optional
        Size of the basis and most iterations of the iterative method.
    copy, callback, progress

    Returns
    -------
    PcaResult
        The components in descending order of variance, and statistics of the columns.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it does not converge.

    Warns
    -----
    ConvergenceWarning
        If the precision of the type allows no smaller residuals. The result is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from tessera.linalg import pca
    >>> pca(np.array([[1.0, 7.0], [3.0, 7.0], [5.0, 7.0]]), 1).explained_variance
    array([4.])
    """
    made, result = _triplets(
        "pca", A, k, tol=tol, ncv=ncv, maxiter=maxiter, want_u=False, rises=False, is_pca=True, scale=scale, copy=copy,
        callback=callback, progress=progress
    )
    return PcaResult(
        result["vt"], *(made(result[key]) for key in ("s", "variance", "ratio", "mean", "deviation"))
    )
