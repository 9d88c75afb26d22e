# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""One process with tessera and another package that has threads, or a Kokkos, imported in either order."""

import functools
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

USES = {
    "tessera": ("import tessera", "assert tessera.atax(np.eye(3), np.arange(3.0)).tolist() == [0, 1, 2]"),
    "other_package": ("import other_package", "assert other_package.sum(1000) == 499500"),
    "torch": ("import torch", "assert (torch.ones(300, 300) @ torch.ones(300, 300)).sum() == 300**3"),
    "sklearn": (
        "import sklearn.cluster",
        "assert set(sklearn.cluster.KMeans(2, n_init=1).fit(np.eye(2)[[0, 1, 1]]).labels_) == {0, 1}",
    ),
}


def run(*lines):
    """What a Python of its own prints, which has nothing to say at its end."""
    folder = pathlib.Path(__file__).parent / "other"
    done = subprocess.run(
        [sys.executable, "-B", "-c", "\n".join([f"import sys; sys.path.append({str(folder)!r})", "import numpy as np", *lines])],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def require(name):
    if name == "other_package":
        if "TESSERA_OTHER_PACKAGE" not in os.environ:
            pytest.skip("TESSERA_OTHER_PACKAGE names no other package with Kokkos: NOT RUN")
    elif importlib.util.find_spec(name) is None:
        pytest.skip(f"there is no {name}: NOT RUN beside it")


@pytest.fixture
def other_package():
    require("other_package")


@functools.cache
def kokkos_of(name):
    """The shared libraries of Kokkos that a process with this package has; none where it is linked into the package."""
    maps = "print(*sorted({line.split()[-1] for line in open('/proc/self/maps') if 'libkokkoscore' in line}))"
    return run(*USES[name], maps)


def one_kokkos():
    """Whether both packages have the same one."""
    return kokkos_of("tessera") == kokkos_of("other_package") != ""


@pytest.mark.parametrize("late", [False, True], ids=["used at once", "used later"])
@pytest.mark.parametrize("order", [("tessera", "other"), ("other", "tessera")], ids="-".join)
@pytest.mark.parametrize("other", ["other_package", "torch", "sklearn"])
def test_either_order(other, order, late):
    require(other)
    (first, use_first), (second, use_second) = (USES[other if name == "other" else name] for name in order)
    run(*([first, second] if late else [first, use_first, second]), use_second, use_first, use_second)


@pytest.mark.parametrize("names", [("tessera", "other_package"), ("other_package", "tessera")], ids="-".join)
def test_symbols_that_all_see(other_package, names):
    """Some packages are imported with symbols that are found before those of later libraries."""
    (first, use_first), (second, use_second) = (USES[name] for name in names)
    run("import os; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)", first, second, use_first, use_second)


@pytest.mark.parametrize("step", [1, -1], ids=["tessera first", "tessera last"])
def test_both_packages_with_all_options(other_package, step):
    uses = [use for name, use in USES.items() if name == "other_package" or importlib.util.find_spec(name)][::step]
    run(*(imported for imported, _ in uses), *(used for _, used in uses))


def test_the_other_finds_the_kokkos_that_tessera_has_started(other_package):
    started = run(*USES["tessera"], *USES["other_package"], "print(other_package.has_started)")
    assert started == str(not one_kokkos())


def test_tessera_takes_the_kokkos_that_the_other_has_started(other_package):
    run(
        "import other_package, tessera",
        "assert not tessera.info()['running']",
        USES["tessera"][1],
        "tessera._core._finish()  # leaves what is not its own",
        "assert other_package.is_running()",
        USES["other_package"][1],
    )


def test_tessera_ends_what_it_has_started(other_package):
    ends = run(*USES["tessera"], *USES["other_package"], "tessera._core._finish(); print(other_package.is_running())")
    assert ends == str(not one_kokkos())


@pytest.mark.parametrize("use", ["", USES["tessera"][1]], ids=["before the first call", "between calls"])
def test_the_other_ends_its_kokkos_early(other_package, use):
    found = run(
        "import other_package, tessera",
        use,
        "other_package.finish()",
        "try:",
        "    " + USES["tessera"][1],
        "except RuntimeError as error:",
        "    print(error)",
    )
    assert found == ("tessera: Kokkos has ended in this process" if one_kokkos() else "")


def test_calls_of_both_at_a_time(other_package):
    run(
        "import threading, other_package, tessera",
        "found = []",
        "def use():",
        "    for _ in range(50):",
        "        found.append(other_package.sum(1000))",
        "thread = threading.Thread(target=use)",
        "thread.start()",
        "for _ in range(50):",
        "    " + USES["tessera"][1],
        "thread.join()",
        "assert found == [499500] * 50",
    )
