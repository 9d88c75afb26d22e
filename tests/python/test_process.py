# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Kokkos within a process: its start and end, threads, forks, and what else is in the package."""

import doctest
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import tessera
import tessera.linalg


def run(program, **environment):
    """What a Python of its own prints."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", "import numpy as np, tessera, sys, os\n" + program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_kokkos_starts_at_the_first_call():
    assert run("print(tessera.info()['running']); tessera.dot(np.ones(2), np.ones(2)); print(tessera.info()['running'])") == "False\nTrue"


def test_tensors_are_shown_without_the_streams_of_their_dlpack():
    """PyTorch's Tensor.__dlpack__ is Python, and makes streams wait; where it fails, it says why. A module stands for PyTorch."""
    program = """
import types
calls = []

class Tensor:
    requires_grad = False
    def __init__(self, array): self.array = array
    def __dlpack__(self, **how): calls.append("slow"); return self.array.__dlpack__()
    def __dlpack_device__(self): return self.array.__dlpack_device__()
    def is_neg(self): return False

Tensor.__module__ = "torch"

def to_dlpack(x):
    if x.array.ndim == 3:
        raise RuntimeError("no")
    calls.append("fast")
    return x.array.__dlpack__()

torch = types.ModuleType("torch")
sys.modules["torch"] = torch
a, v, out = Tensor(np.eye(3)), Tensor(np.arange(3.0)), Tensor(np.empty(3))
tessera.atax(a, v, out=out)  # nothing is known of a module that is being imported
assert calls == ["slow"] * 3, calls
torch.Tensor, torch.utils = Tensor, types.SimpleNamespace(dlpack=types.SimpleNamespace(to_dlpack=to_dlpack))
calls.clear()
assert tessera.atax(a, v, out=out) is out
assert calls == ["fast"] * 3, calls
np.testing.assert_array_equal(out.array, np.arange(3.0))
calls.clear()
try:
    tessera.atax(Tensor(np.zeros((2, 2, 2))), v)
except ValueError as error:
    print(calls, error)
"""
    assert run(program) == "['slow'] tessera.atax: A must have one or two dimensions, found shape (2, 2, 2)"


def test_threads_change_no_bit():
    program = """
a = np.random.default_rng(1).standard_normal((300, 400)).astype('f4')
v = np.random.default_rng(2).standard_normal(400).astype('f4')
n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
assert tessera.threads(3) == 3
found = set()
for n in (3, 2, 1):
    assert tessera.threads(n) == n == tessera.threads()
    found.add(tessera.digest(tessera.atax(a, v)) + tessera.digest(tessera.atax(np.asfortranarray(a), v)))
print(len(found))
"""
    assert run(program) == "1"


def test_more_threads_than_kokkos_has():
    program = """
tessera.threads(2)
try:
    tessera.threads(3)
except ValueError as error:
    print(error)
"""
    assert "Kokkos was started with 2 threads, found 3" in run(program)


def test_threads_of_python_call_at_a_time():
    a = np.random.default_rng(1).standard_normal((200, 300))
    v = np.random.default_rng(2).standard_normal(300)
    expected = tessera.digest(tessera.atax(a, v))
    found = []
    threads = [
        threading.Thread(target=lambda: found.extend(tessera.digest(tessera.atax(a, v)) for _ in range(20)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 80


def test_others_run_during_a_call():
    """A call lets go of the GIL: the function of a streamed matrix waits for another thread."""
    begun, go_on = threading.Event(), threading.Event()

    def read(rows, cols):
        begun.set()
        assert go_on.wait(30)
        return np.ones((rows.stop - rows.start, cols.stop - cols.start))

    other = threading.Thread(target=lambda: begun.wait(30) and go_on.set())
    other.start()
    assert tessera.matvec(tessera.from_callback(2, 2, read), np.ones(2)).tolist() == [2, 2]
    other.join()


FORK = """
import warnings
warnings.simplefilter("ignore")
{before}
if os.fork() == 0:
    try:
        print(tessera.dot(np.ones(2), np.ones(2)))
    except RuntimeError as error:
        print(error)
    sys.exit(0)
os.wait()
print(tessera.dot(np.ones(2), np.ones(2)))
"""


def test_a_child_that_was_forked_before_the_first_call_works():
    assert run(FORK.format(before="")) == "2.0\n2.0"


def test_a_child_that_was_forked_later_is_told():
    child, parent = run(FORK.format(before="tessera.dot(np.ones(2), np.ones(2))")).splitlines()
    assert "this process was forked after tessera had started its threads" in child
    assert '"spawn" or "forkserver"' in child
    assert parent == "2.0"


def test_calls_after_the_end_are_refused():
    program = """
import atexit, tessera._core
tessera.dot(np.ones(2), np.ones(2))
tessera._core._finish()
tessera._core._finish()
try:
    tessera.dot(np.ones(2), np.ones(2))
except RuntimeError as error:
    print(error)
"""
    assert run(program) == "tessera: Kokkos has ended in this process"


def test_a_daemon_thread_in_a_call_does_not_keep_the_process():
    program = """
import threading
begun, never = threading.Event(), threading.Event()

def read(rows, cols):
    begun.set()
    never.wait()

stream = tessera.from_callback(2, 2, read)
threading.Thread(target=tessera.matvec, args=(stream, np.ones(2)), daemon=True).start()
assert begun.wait(30)
print("end")
"""
    assert run(program) == "end"


def test_info():
    info = tessera.info()
    assert info["version"] == tessera.__version__
    assert set(info) == {"version", "commit", "host", "gpu", "hdf5", "kokkos", "running", "threads"}


def test_digest():
    a = np.arange(12.0).reshape(3, 4)
    assert tessera.digest(a) == tessera.digest(np.asfortranarray(a)) == tessera.digest(a.astype(">f8"))
    assert tessera.digest(a[0, ::2]) == tessera.digest(np.array([0.0, 2.0]))
    assert tessera.digest(a) != tessera.digest(a.T)
    with pytest.raises(TypeError, match="expected an array of numbers"):
        tessera.digest(np.array([None]))


def test_the_command_line_program_and_its_digest(tmp_path):
    def program(*arguments):
        return subprocess.run(
            [sys.executable, "-B", "-m", "tessera", *arguments], capture_output=True, text=True, timeout=100, check=True
        ).stdout

    assert program("--version").split()[1] == tessera.__version__
    a = np.random.default_rng(1).standard_normal((70, 50)).astype("f4")
    v = np.random.default_rng(2).standard_normal(50).astype("f4")
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "v.npy", v)
    printed = program("atax", str(tmp_path / "a.npy"), "--vector", str(tmp_path / "v.npy"), "--output", str(tmp_path / "c.npy"))
    c = tessera.atax(a, v)
    assert np.load(tmp_path / "c.npy").tobytes() == c.tobytes()
    assert tessera.digest(c) in printed


@pytest.mark.parametrize("name", tessera.__all__)
def test_examples(name):
    thing = getattr(tessera, name)
    tests = doctest.DocTestParser().get_doctest(thing.__doc__, {}, name, None, None)
    if name in ("aslinearoperator", "NormalOperator"):
        pytest.importorskip("scipy")
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(tests).failed == 0


def test_examples_of_solvers():
    found = doctest.testmod(tessera.linalg)
    assert found.failed == 0 and found.attempted > 20


def test_types_come_with_the_package():
    folder = pathlib.Path(tessera.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_core.pyi").read_text()
    for name in ("atax", "matvec", "rmatvec", "matvec_both", "transpose", "matmul", "dot", "axpby", "threads", "info"):
        assert f"def {name}(" in stub
