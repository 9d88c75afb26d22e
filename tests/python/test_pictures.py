# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of matrices, operators and results, and the pictures of results."""

import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import tessera
from tessera import linalg


@pytest.fixture
def a():
    return np.random.default_rng(5).standard_normal((90, 7))


def facts_of(thing):
    found = re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td></tr>", thing._repr_html_())
    assert found
    return dict(found)


def test_streams(a):
    stream = tessera.from_callback(90, 7, lambda rows, cols: a[rows, cols], memory_limit="2MiB")
    assert facts_of(stream) == {
        "shape": "90 x 7", "dtype": "float64", "order": "C", "memory limit": "2 MiB", "reads": "0",
    }  # fmt: skip
    tessera.atax(stream, np.ones(7))
    assert stream.reads == 1
    assert facts_of(stream)["reads"] == "1"
    assert "<caption>tessera.StreamedMatrix</caption>" in stream._repr_html_()


def test_operators(a):
    pytest.importorskip("scipy")
    for make, products in ((tessera.aslinearoperator, 2), (tessera.NormalOperator, 1)):
        operator = make(a)
        operator @ np.ones(7)
        if products == 2:
            operator.T @ np.ones(90)
        assert facts_of(operator) == {"matrix": "90 x 7", "dtype": "float64", "reads": str(products)}
        assert facts_of(pickle.loads(pickle.dumps(operator)))["matrix"] == "90 x 7"
    stream = tessera.from_blocks([a])
    operator = tessera.aslinearoperator(stream)
    tessera.atax(stream, np.ones(7))
    assert facts_of(operator)["reads"] == "1"


def test_results(a):
    found = linalg.lsmr(a, np.ones(90))
    assert facts_of(found)["x"] == "float64, 7"
    assert facts_of(found)["istop"] == str(found.istop)
    assert "tessera.linalg.LsqrResult" in linalg.lsqr(a, np.ones(90))._repr_html_()
    assert facts_of(linalg.pca(a, 2))["components"] == "float64, 2 x 7"
    x, *rest = found
    assert len(rest) == 7 and x is found.x and found._asdict()["itn"] == found.itn


@pytest.mark.parametrize("solver", [linalg.lsmr, linalg.lsqr])
def test_histories(solver, a):
    told = []
    found = solver(a, np.ones(90), history=True, callback=told.append)
    assert list(found.history) == told and len(told) == found.itn > 2
    assert pickle.loads(pickle.dumps(found)).history == found.history
    plain = solver(a, np.ones(90))
    assert plain.x.tobytes() == found.x.tobytes() and len(plain.history) == 0
    with pytest.raises(ValueError, match="there is no history: expected a call with history=True that iterated"):
        plain.plot()


def test_plots(a):
    pyplot = pytest.importorskip("matplotlib", reason="NOT RUN: matplotlib is not installed", exc_type=ImportError)
    pyplot.use("agg")
    from matplotlib import pyplot

    found = linalg.lsqr(a, np.ones(90), history=True)
    residual, tolerance = found.plot().lines
    assert residual.get_ydata().tolist() == [step.residual for step in found.history]
    assert tolerance.get_xdata().tolist() == list(range(1, found.itn + 1))
    parts = linalg.pca(a, 3)
    axes = pyplot.figure().add_subplot()
    assert parts.plot(axes) is axes
    assert [bar.get_height() for bar in axes.patches] == parts.explained_variance_ratio.tolist()
    assert axes.lines[0].get_ydata().tolist() == np.cumsum(parts.explained_variance_ratio).tolist()


def test_plots_without_matplotlib():
    program = "import sys; sys.modules['matplotlib'] = None\nimport numpy, tessera.linalg as linalg\n"
    program += "try:\n linalg.pca(numpy.eye(3), 1).plot()\nexcept ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == "tessera.linalg.PcaResult.plot needs the package matplotlib: pip install matplotlib\n"
