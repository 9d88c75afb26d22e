# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Kokkos within a process: its start and end, threads, forks, and what else is in the package."""

import doctest
import inspect
import multiprocessing
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
        [sys.executable, "-B", "-X", "faulthandler", "-c", "import numpy as np, tessera, sys, os\n" + program],
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
    def is_conj(self): return False
    def is_inference(self): return True

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
    assert run(program) == "['slow'] tessera.atax: A must have two dimensions, found shape (2, 2, 2)"


def test_worlds_of_a_group_of_torch_share_its_duplicate():
    """Each group of PyTorch has threads and sockets. A module stands for PyTorch, with groups of this one process."""
    program = """
import gc, types
from tessera.distributed import World

class ProcessGroup: pass

class Tensor:
    def __init__(self, x): self.x = x
    def split(self, counts): return [Tensor(part) for part in np.split(self.x, np.cumsum(counts)[:-1])]
    def numel(self): return self.x.size
    def copy_(self, other): self.x[:] = other.x

def new_group(backend):
    assert backend == "gloo"
    made.append(ProcessGroup())
    return made[-1]

def get_rank(group):
    assert group in made, "messages go in the caller's own group"
    return 0

made, is_running = [], True
dist = types.ModuleType("torch.distributed")
dist.ProcessGroup, dist.new_group, dist.get_rank = ProcessGroup, new_group, get_rank
dist.is_initialized = lambda: is_running
dist.get_world_size = lambda group=None: 1
dist.get_global_rank = lambda group, rank: rank
dist.broadcast = lambda part, sender, group, async_op: types.SimpleNamespace(wait=lambda: None)
torch = types.ModuleType("torch")
torch.from_numpy, torch.distributed = Tensor, dist
sys.modules.update({"torch": torch, "torch.distributed": dist})

first, second = ProcessGroup(), ProcessGroup()
worlds = [World(first) for _ in range(100)] + [World(second) for _ in range(100)]
del worlds[50:150]
gc.collect()
a = np.random.default_rng(1).standard_normal((300, 4))
assert {tessera.digest(world.atax(a, a[0])) for world in worlds} == {tessera.digest(tessera.atax(a, a[0]))}
assert {id(world._ranks._group) for world in worlds[:50]} == {id(made[0])}
assert {id(world._ranks._group) for world in worlds[50:]} == {id(made[1])}
del worlds
World(first)
assert len(made) == 2
del first, second  # what PyTorch has destroyed is not kept: another group gets its own duplicate
gc.collect()
assert len(tessera._ranks._groups) == 0
World(ProcessGroup())
is_running = False
try:
    World(ProcessGroup())
except RuntimeError as error:
    print(len(made), error)
"""
    assert run(program) == "3 tessera.distributed.World: the process group is destroyed"


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


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_small_calls_wake_no_other_thread():
    program = """
import pathlib, tempfile
from tessera import linalg

def wakings():
    #How many other threads there are, and how often they were woken, when all sleep.
    while True:
        tasks = pathlib.Path("/proc/self/task").iterdir()
        others = [(task / "status").read_text() for task in tasks if int(task.name) != os.getpid()]
        if all("State:\\tS" in text for text in others):
            return len(others), sum(int(line.split()[1]) for text in others for line in text.splitlines() if "ctxt" in line)

if tessera.info()["host"] != "OpenMP":
    sys.exit(print("none"))
large = np.ones((3000, 3000))
a = np.random.default_rng(0).standard_normal((64, 64))
b = a[0].copy()
folder = tempfile.TemporaryDirectory()
np.save(folder.name + "/a.npy", a)
stream = tessera.open(folder.name + "/a.npy")
assert tessera.threads() == 3
tessera.matvec(large, large[0])
calls = {
    "transpose": lambda: tessera.transpose(a), "matmul": lambda: tessera.matmul(a, a),
    "matvec": lambda: tessera.matvec(a, b), "rmatvec": lambda: tessera.rmatvec(a, b),
    "atax": lambda: tessera.atax(a, b), "block": lambda: tessera.atax(a, a),
    "both": lambda: tessera.matvec_both(a, b, b), "dot": lambda: tessera.dot(b, b),
    "axpby": lambda: tessera.axpby(1.0, b, 1.0, b.copy()), "svds": lambda: linalg.svds(a, 2),
    "lanczos": lambda: linalg.svds(a, 2, maxiter=100), "pca": lambda: linalg.pca(a, 2),
    "randomized": lambda: linalg.randomized_svd(a, 2), "lstsq": lambda: linalg.lstsq(a, b),
    "lsmr": lambda: linalg.lsmr(a, b, maxiter=5), "ridge": lambda: linalg.ridge(a, b, 0.1),
    "stream": lambda: tessera.atax(stream, b), "lsmr of a stream": lambda: linalg.lsmr(stream, b, maxiter=5),
}
for name, call in calls.items():
    before = wakings()
    call()
    assert wakings() == before, (name, before, wakings())
before = wakings()
tessera.matvec(large, large[0])
assert wakings() > before and before[0] >= 2
print("none")
"""
    assert run(program, OMP_NUM_THREADS="3", OMP_WAIT_POLICY="passive") == "none"


def test_more_threads_than_kokkos_has():
    program = """
tessera.threads(2)
try:
    tessera.threads(3)
except ValueError as error:
    print(error)
"""
    assert "Kokkos was started with 2 threads, found 3" in run(program, OMP_NUM_THREADS="2")


def test_fewer_threads_at_the_first_call_are_no_limit():
    program = "print(tessera.threads(1), tessera.threads(2), tessera.threads(), tessera.info()['threads'])"
    assert run(program, OMP_NUM_THREADS="2") == "1 2 2 2"
    assert run(program.replace("threads(1)", "threads(2)"), KOKKOS_NUM_THREADS="1") == "2 2 2 2"
    assert run("print(tessera.threads())", OMP_NUM_THREADS="2", KOKKOS_NUM_THREADS="1") == "1"


def test_threads_that_others_have_limited():
    pytest.importorskip("threadpoolctl")
    program = """
import threading, threadpoolctl
tessera.threads(3)
with threadpoolctl.threadpool_limits(1):
    print(tessera.threads())
    a = np.ones((500, 500))
    assert tessera.matvec(a, a[0]).tolist() == [500] * 500
    other = threading.Thread(target=lambda: print(tessera.threads()))  # which has set no number
    other.start()
    other.join()
print(tessera.threads())
"""
    assert run(program, OMP_NUM_THREADS="2") == "1\n3\n3"
    first = "import threadpoolctl\nwith threadpoolctl.threadpool_limits(1): print(tessera.threads())\nprint(tessera.threads())"
    assert run(first, OMP_NUM_THREADS="2") == "1\n2"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("KOKKOS_NUM_THREADS", value) for value in ("abc", "0", "-1", "")),
        ("KOKKOS_DEVICE_ID", "x"),
        ("KOKKOS_MAP_DEVICE_ID_BY", "foo"),
        ("KOKKOS_PRINT_CONFIGURATION", "maybe"),
        ("KOKKOS_TUNE_INTERNALS", "abc"),
        ("KOKKOS_DISABLE_WARNINGS", "xx"),
    ],
)
def test_an_environment_that_kokkos_cannot_read(name, value):
    program = f"""
for _ in range(2):
    try:
        tessera.dot(np.ones(2), np.ones(2))
    except ValueError as error:
        print(error)
del os.environ[{name!r}]
print(tessera.dot(np.ones(2), np.ones(2)))
"""
    *errors, result = run(program, **{name: value}).splitlines()
    assert len(errors) == 2 and result == "2.0"
    for error in errors:
        assert error.startswith(f"tessera: the environment variable {name}: expected ") and f"found '{value}'" in error


@pytest.mark.parametrize("value", ["abc", "0", "-1", ""])
def test_a_number_of_threads_that_openmp_cannot_read(value):
    program = "import tessera, numpy as np\ntry: tessera.dot(np.ones(2), np.ones(2))\nexcept ValueError as error: print(error)"
    environment = os.environ | {"OMP_NUM_THREADS": value}
    done = subprocess.run([sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr  # where libgomp complains, too
    expected = "tessera: the environment variable OMP_NUM_THREADS: expected a whole number of threads, at least 1, found"
    assert done.stdout.startswith(f"{expected} '{value}'")


def test_small_work_starts_no_threads():
    """Kokkos' region of threads starts those of OpenMP: there is one thread more in the process for each."""
    program = """
import tessera.linalg, warnings
warnings.simplefilter("ignore", tessera.linalg.ConvergenceWarning)  # the answer is of no matter here
tessera.threads(4)
tessera.transpose(np.ones((2000, 2000)))  # all threads have worked

def ticks():
    me = str(os.getpid())
    own = 0
    for task in os.listdir("/proc/self/task"):
        if task == me:
            continue
        with open(f"/proc/self/task/{task}/status") as file:
            own += sum(int(line.split()[1]) for line in file if line.startswith(("voluntary", "nonvoluntary")))
    return own

import time
time.sleep(1)  # they sleep
a = np.random.default_rng(1).standard_normal((64, 64))
small = a[:40, :40].copy()
before = ticks()
for _ in range(20):
    tessera.transpose(a), tessera.matmul(small, small), tessera.axpby(1.0, a[0], 1.0, a[1].copy()), tessera.atax(a, a)
    tessera.linalg.svds(a, 2), tessera.linalg.lsmr(a, a[0], maxiter=5)
print(ticks() - before)
before = ticks()
tessera.transpose(np.ones((2000, 2000)))
print(ticks() > before)
"""
    if not os.path.exists("/proc/self/task"):
        pytest.skip("no /proc")
    assert run(program, OMP_NUM_THREADS="4", OMP_WAIT_POLICY="passive", OPENBLAS_NUM_THREADS="1") == "0\nTrue"


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


def test_a_function_waits_for_a_thread_that_calls():
    """Such calls need not wait for the one that runs the function; there may be more of them in each other."""
    program = """
import concurrent.futures, faulthandler, tessera.linalg, warnings
warnings.simplefilter("ignore", tessera.linalg.ConvergenceWarning)  # the answer is of no matter here
faulthandler.dump_traceback_later(60, exit=True)
pool = concurrent.futures.ThreadPoolExecutor(2)
A = np.random.default_rng(1).standard_normal((40, 40))
expected = tessera.digest(tessera.matvec(tessera.matmul(A, A), A[0]))

def product(rows, cols):
    return pool.submit(lambda: tessera.matmul(A, A)[rows, cols]).result()

def read(rows, cols):
    columns = [tessera.matvec(tessera.from_callback(40, 40, product), column) for column in np.eye(40)[cols]]
    return np.stack(columns, axis=1)[rows].copy()

assert tessera.digest(tessera.matvec(tessera.from_callback(40, 40, product), A[0])) == expected
outer = tessera.from_callback(40, 40, lambda rows, cols: pool.submit(read, rows, cols).result())
assert tessera.digest(tessera.matvec(outer, A[0])) == expected

found = []
def step(_):
    found.append(pool.submit(tessera.dot, A[0], A[0]).result() == tessera_dot)
tessera_dot = tessera.dot(A[0], A[0])
tessera.linalg.lsmr(A, A[0], maxiter=5, callback=step)
assert found and all(found)
print(len(pool.submit(tessera.matmul, A, A).result()))
"""
    assert run(program) == "40"


def test_a_signal_handler_that_calls():
    program = """
import faulthandler, signal, time
faulthandler.dump_traceback_later(60, exit=True)
ones = np.ones(2)
signal.signal(signal.SIGALRM, lambda *_: print(tessera.dot(ones, ones)))

def read(rows, cols):
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        pass
    return np.ones((rows.stop - rows.start, cols.stop - cols.start))

stream = tessera.from_callback(4, 4, read)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    tessera.matvec(stream, np.ones(4))
except RuntimeError as error:
    print(error)
signal.raise_signal(signal.SIGALRM)
"""
    assert run(program) == "tessera: a callback of a call cannot call tessera itself\n2.0"


CONTROL_C = """
import _thread, faulthandler, signal, threading, time
faulthandler.dump_traceback_later(60, exit=True)
signal.signal(signal.SIGINT, signal.default_int_handler)
begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

def read(rows, cols):
    begun.set()
    go_on.wait()
    ended.set()
    return np.ones((rows.stop - rows.start, cols.stop - cols.start))

def press():
    begun.wait()
    time.sleep(0.2)  # for the call of the main thread
    os.kill(os.getpid(), signal.SIGINT)

stream = tessera.from_callback(4, 4, read)
threading.Thread(target=press, daemon=True).start()
"""


def test_control_c_during_a_slow_read():
    program = CONTROL_C + """
try:
    tessera.matvec(stream, np.ones(4))
except KeyboardInterrupt:
    print("ended", ended.is_set())
go_on.set()
ended.wait()
print(tessera.matvec(stream, np.ones(4)).tolist())
"""
    assert run(program) == "ended False\n[4.0, 4.0, 4.0, 4.0]"


def test_control_c_while_another_thread_has_the_turn():
    program = CONTROL_C + """
other = threading.Thread(target=tessera.threads, args=(1,))  # waits for the first lane
worker = threading.Thread(target=tessera.matvec, args=(stream, np.ones(4)), daemon=True)
worker.start()
begun.wait()
other.start()
try:
    tessera.threads(1)
except KeyboardInterrupt:
    print("ended", ended.is_set())
go_on.set()
worker.join()
other.join()
print(tessera.threads())
"""
    assert run(program) == "ended False\n1"


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
    assert "this process was forked after tessera's first call" in child
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


def test_the_collector_of_cycles_sees_streams():
    import gc
    import weakref

    class Big:
        def __init__(self):
            self.A = np.eye(4)
            self.stream = tessera.from_callback(4, 4, lambda rows, cols: self.A[rows, cols])

    big = Big()
    assert gc.is_tracked(big.stream)
    assert tessera.matvec(big.stream, np.arange(4.0)).tolist() == [0, 1, 2, 3]
    gone = weakref.ref(big)
    gc.collect()
    assert tessera.matvec(big.stream, np.arange(4.0)).tolist() == [0, 1, 2, 3]
    del big
    gc.collect()
    assert gone() is None


def read_of_this_module(rows, cols):
    return np.eye(4)[rows, cols]


def test_pickles(tmp_path, monkeypatch):
    import copy
    import pickle

    import tessera.distributed

    for module in (tessera, tessera.linalg, tessera.distributed):
        for name in module.__all__:
            thing = getattr(module, name)
            assert pickle.loads(pickle.dumps(thing)) is thing
            assert copy.deepcopy(thing) is thing
            assert module is tessera or thing.__module__ == module.__name__
    a = np.arange(12.0).reshape(4, 3)
    v = np.array([1.0, -1.0, 2.0])
    np.save(tmp_path / "a.npy", a)
    a.astype("f4").T.tofile(tmp_path / "a.raw")
    monkeypatch.chdir(tmp_path)
    streams = [
        tessera.open("a.npy", memory_limit="3MiB", dtype="f4"),
        tessera.open("a.raw", shape=(4, 3), dtype="f4", order="F"),
        tessera.from_callback(4, 4, read_of_this_module, memory_limit=2**22),
    ]
    monkeypatch.chdir("/")
    for stream in streams:
        for again in (pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream)):
            for name in ("shape", "dtype", "order", "memory_limit"):
                assert getattr(again, name) == getattr(stream, name)
            x = np.arange(stream.shape[1]).astype(stream.dtype)
            assert tessera.matvec(again, x).tobytes() == tessera.matvec(stream, x).tobytes()
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        pickle.dumps(tessera.from_callback(4, 3, lambda rows, cols: a[rows, cols]))
    pytest.importorskip("scipy")
    for A in (a, streams[0]):
        x = v.astype(A.dtype)
        for operator in (tessera.NormalOperator(A), tessera.NormalOperator(A, shift=0.5), tessera.aslinearoperator(A)):
            again = pickle.loads(pickle.dumps(operator))
            assert (again @ x).tobytes() == (operator @ x).tobytes()
            u = np.ones(operator.shape[0], A.dtype)
            assert again.rmatvec(u).tobytes() == operator.rmatvec(u).tobytes()


def products_of(things):
    return [(thing @ x).tobytes() if hasattr(thing, "matvec") else tessera.matvec(thing, x).tobytes() for thing, x in things]


@pytest.mark.parametrize("way", ["spawn", "forkserver", "loky"])
def test_other_processes_get_functions_and_operators(way, tmp_path):
    pytest.importorskip("scipy")
    a = np.arange(12.0).reshape(4, 3)
    np.save(tmp_path / "a.npy", a)
    stream = tessera.open(tmp_path / "a.npy")
    made = tessera.from_callback(4, 4, read_of_this_module)
    matrices = [stream, made, tessera.from_blocks([a, a]), tessera.aslinearoperator(stream), tessera.NormalOperator(a, shift=0.5)]
    things = [(each, np.arange(1.0, each.shape[1] + 1)) for each in matrices]
    expected = products_of(things)
    ones = [(np.ones(n), np.ones(n)) for n in (2, 3)]
    if way == "loky":
        joblib = pytest.importorskip("joblib")
        found = joblib.Parallel(2)(joblib.delayed(products_of)(things) for _ in range(2))
        dots = joblib.Parallel(2)(joblib.delayed(tessera.dot)(*each) for each in ones)
    else:
        with multiprocessing.get_context(way).Pool(2) as pool:
            found, dots = pool.map(products_of, [things, things]), pool.starmap(tessera.dot, ones)
    assert found == [expected] * 2
    assert dots == [2, 3]


def test_names():
    import types

    program = """
from tessera import *
assert open("/dev/null", "rb").read() == b""
import tessera
print(tessera.distributed.World.__name__, "sklearn" in dir(tessera))
try:
    tessera.nothing
except AttributeError as error:
    print(error)
"""
    assert run(program) == "World True\nmodule 'tessera' has no attribute 'nothing'"
    assert tessera.open is not open
    pytest.importorskip("sklearn")
    assert run("print(tessera.sklearn.PCA.__name__)") == "PCA"
    for module in (tessera, tessera.linalg, tessera.distributed, tessera.sklearn):
        names = [name for name in dir(module) if not name.startswith("_")]
        assert set(names) - {"open", "distributed", "jax", "linalg", "sklearn", "torch"} == set(module.__all__) - {"open"}
        for name in names:
            thing = getattr(module, name)
            assert thing.__doc__, name
            if isinstance(thing, types.ModuleType):
                continue
            if not (isinstance(thing, type) and issubclass(thing, Warning)):
                inspect.signature(thing)
            if not isinstance(thing, type):
                assert inspect.isroutine(thing), name
            else:
                for part, its in vars(thing).items():
                    if not part.startswith("_") and (callable(its) or isinstance(its, property)):
                        assert its.__doc__, f"{name}.{part}"


def test_a_processor_that_lacks_instructions(tmp_path):
    from tessera import _processor, _requirements

    known = tmp_path / "cpuinfo"
    known.write_text("processor\t: 0\nflags\t\t: fpu avx avx2 fma\n\nprocessor\t: 1\n")
    assert _processor.missing(("avx", "fma"), str(known)) == []
    assert _processor.missing(("avx", "avx512f", "bmi2"), str(known)) == ["avx512f", "bmi2"]
    assert _processor.missing(("avx",), str(tmp_path / "none")) == []
    known.write_text("processor : 0\nFeatures : fp\n")
    assert _processor.missing(("avx",), str(known)) == []
    known.write_text("flags : fpu\n")
    with pytest.raises(ImportError, match="built for .* processors, and this one has no avx, fma; build it with"):
        _processor.require(("avx", "fma"), str(known))
    if _requirements.host_arch == "x86-64-v3":
        assert "avx2" in _requirements.instructions and "fma" in _requirements.instructions
    _processor.require()
    program = """
import builtins, io
of_files = builtins.open
builtins.open = lambda path, *how, **more: io.StringIO("flags : fpu\\n") if path == "/proc/cpuinfo" else of_files(path, *how, **more)
for name in [name for name in sys.modules if name.startswith("tessera")]:
    del sys.modules[name]
try:
    import tessera
    print("imported")
except ImportError as error:
    print(error)
assert not any(name == "tessera._core" for name in sys.modules)
"""
    if _requirements.instructions:
        assert "this one has no " in run(program)


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


def test_the_command_line_program_may_use_every_processor(tmp_path):
    """OpenMP binds the thread that loads it, here the one that becomes the program."""
    np.save(tmp_path / "a.npy", np.ones((3, 2), "f4"))
    settings = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"} | {"OMP_PROC_BIND": "true"}
    command = [sys.executable, "-B", "-m", "tessera", "stats", str(tmp_path / "a.npy")]
    count = len(os.sched_getaffinity(0))
    if count < 2:
        pytest.skip("NOT RUN: needs two processors")
    report = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True, env=settings).stdout
    assert ", 1 thread" not in report


@pytest.mark.parametrize("name", [*tessera.__all__, "open"])
def test_examples(name):
    thing = getattr(tessera, name)
    tests = doctest.DocTestParser().get_doctest(thing.__doc__, {}, name, None, None)
    if name in ("aslinearoperator", "NormalOperator"):
        pytest.importorskip("scipy")
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(tests).failed == 0


@pytest.mark.parametrize("name", tessera.linalg.__all__)
def test_examples_of_solvers(name):
    thing = getattr(tessera.linalg, name)
    tests = doctest.DocTestParser().get_doctest(thing.__doc__, {}, name, None, None)
    assert (len(tests.examples) > 0) == inspect.isfunction(thing)
    assert doctest.DocTestRunner().run(tests).failed == 0


def test_types_come_with_the_package():
    folder = pathlib.Path(tessera.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_core.pyi").read_text()
    import re

    used = set()
    for source in folder.glob("*.py"):
        used |= set(re.findall(r"\b_core\.(\w+)", source.read_text(encoding="utf-8")))
    assert used > {"atax", "matvec", "_open", "_least_squares", "_parts_of", "_check"}
    for name in used:
        assert f"def {name}(" in stub or f"class {name}" in stub, name
