# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""What ranks do together: they meet, gather, and add sums in the order of one process."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _arrays, _core, _ranks


class DistributedError(RuntimeError):
    """Error of one rank, raised on all ranks.

    Parameters
    ----------
    rank : int
        Rank that failed.
    sentence : str
        Its error message.

    Attributes
    ----------
    rank : int
        Rank that failed.
    """

    def __init__(self, rank: int, sentence: str) -> None:
        super().__init__(f"rank {rank}: {sentence}")
        self.rank = rank


# MPI counts in 32 bits.
_MOST_ELEMENTS = 2**28


class Collectives:
    """Calls that all ranks make in the same order, with the arguments of the same operation."""

    def __init__(self, comm: Any) -> None:
        self._ranks = _ranks.ranks_of(comm)
        self._told: BaseException | None = None  # this rank's error, known to all ranks

    @property
    def rank(self) -> int:
        """Number of this process, starting at 0."""
        return self._ranks.rank

    @property
    def size(self) -> int:
        """Number of processes."""
        return self._ranks.size

    def _all(self, body: Callable[[], Any], *, keep_common: bool = False) -> list[Any]:
        """body() of every rank. If it throws on one, all throw a DistributedError.

        Also what ends a program, such as SystemExit: the rank itself throws that. All ranks meet here in the same
        exchange, whatever body() is. A rank that has left an earlier body() is heard by the others in their next one.
        With `keep_common` each rank throws its own error if all ranks have the same one.
        """
        error: BaseException | None = None
        mine = None
        try:
            mine = body()
        except DistributedError:
            raise  # known to all ranks
        except BaseException as thrown:
            if thrown is self._told:
                raise
            error = thrown
        every = self._ranks.allgather((None if error is None else f"{type(error).__name__}: {error}", mine))
        sentences = [sentence for sentence, _ in every]
        if error is not None:
            is_common = keep_common and sentences == [sentences[0]] * self.size
            if is_common or not isinstance(error, Exception):
                self._told = error
                raise error
        for rank, sentence in enumerate(sentences):
            if sentence is not None:
                raise DistributedError(rank, sentence) from error
        return [its for _, its in every]

    def _together(self, body: Callable[[], Any], *, keep_common: bool = False) -> Any:
        """This rank's body(); if it throws on one rank, all throw."""
        result = None

        def run() -> None:
            nonlocal result
            result = body()

        self._all(run, keep_common=keep_common)
        return result

    def _require_alike(self, operation: str, look: Callable[[], tuple[dict[str, Any], Any]]) -> list[Any]:
        """look() of every rank: facts that are the same on all, by their names, and something else, which is returned."""
        every = self._all(look)
        compare(operation, [facts for facts, _ in every])
        return [its for _, its in every]

    def _require_same_arguments(self, operation: str, arguments: dict[str, Any]) -> None:
        """Refuses a call whose arguments are not the same on all ranks."""

        def look() -> tuple[dict[str, Any], None]:
            facts = {"operation": operation}
            for name, x in arguments.items():
                is_array = getattr(x, "ndim", 0) > 0
                facts[name] = digest_of(x) if is_array else x.item() if hasattr(x, "item") else x
            return facts, None

        self._require_alike(operation, look)

    def _gather(self, mine: Callable[[], Any], counts: Sequence[int]) -> Any:
        """Arrays of all ranks, one after the other; mine() is this rank's, of counts[rank] rows."""

        def prepare() -> tuple[Any, Any]:
            its = numpy.ascontiguousarray(mine())
            return its, numpy.empty((sum(counts), *its.shape[1:]), dtype=its.dtype)

        its, every = self._together(prepare)
        width = int(numpy.prod(its.shape[1:]))
        if width > 0:
            self._ranks.gather(its.reshape(-1), every.reshape(-1), [count * width for count in counts])
        return every

    def _gather_arrays(self, b: Any) -> Any:
        mine = None

        def look() -> tuple[dict[str, Any], int]:
            nonlocal mine
            mine = numpy.asanyarray(_arrays.on_host(b))
            if mine.ndim < 1 or mine.dtype.hasobject or isinstance(mine, numpy.ma.MaskedArray):
                raise TypeError(
                    "gather_rows: expected an array of rows, not masked, with elements of a fixed size, found "
                    f"{type(b).__name__} of {mine.dtype} and shape {mine.shape}"
                )
            mine = numpy.ascontiguousarray(mine)
            return {"elements": str(mine.dtype), "rows of shape": mine.shape[1:]}, mine.shape[0]

        counts = self._require_alike("gather_rows", look)
        every = self._gather(lambda: mine, counts)
        return _arrays.of_numbers(b, every, every.dtype)

    def _add_roots(
        self, make: Callable[[], tuple[Sequence[int], Any]], length: int, dtype: Any, fields: int = 1
    ) -> Any:
        """The tree over the sums of all ranks' aligned subtrees: docs/distributed.md.

        make() is the levels of this rank's, and the sums, one a row. Each rank owns a slice of the columns, adds it,
        and hands it to all. `fields` adjacent elements belong together: one is added, more are moments.
        """
        roots = None

        def make_own() -> Sequence[int]:
            nonlocal roots
            own, roots = make()
            return list(own)

        levels = self._all(make_own)
        of_all = [level for its in levels for level in its]
        width = max(1, _MOST_ELEMENTS // max(1, len(of_all)) // fields) * fields  # columns per exchange
        sums = self._together(lambda: numpy.zeros(length, dtype=dtype))
        if not of_all:
            return sums  # no rows
        for begin in range(0, length, width):
            end = min(begin + width, length)
            self._add_columns(roots[:, begin:end], [len(its) for its in levels], of_all, sums[begin:end], fields)
        return sums

    def _add_columns(self, roots: Any, counts: Sequence[int], levels: Sequence[int], sums: Any, fields: int) -> None:
        """The same of as many columns as one exchange has; counts[r] roots are rank r's."""
        length = sums.shape[0] // fields
        edges = [length * r // self.size * fields for r in range(self.size + 1)]
        widths = [edges[r + 1] - edges[r] for r in range(self.size)]
        width = widths[self.rank]

        def pack() -> tuple[Any, Any]:
            slices = [roots[:, edges[r] : edges[r + 1]].ravel() for r in range(self.size)]
            return numpy.concatenate(slices), numpy.empty((len(levels), width), dtype=sums.dtype)

        sent, got = self._together(pack)
        sizes = [roots.shape[0] * w for w in widths]
        its_sizes = [count * width for count in counts]
        self._ranks.exchange(sent, sizes, got.reshape(-1), its_sizes)

        def add() -> Any:
            mine = numpy.empty(width, dtype=sums.dtype)
            _core._add_roots(got, levels, mine, fields)
            return mine

        self._ranks.gather(self._together(add), sums, widths)


def compare(operation: str, every: Sequence[dict[str, Any]]) -> None:
    """Refuses facts of ranks that are not those of rank 0."""
    expected = every[0]
    for rank, found in enumerate(every):
        for name in {**expected, **found}:
            if repr(found.get(name)) != repr(expected.get(name)):  # NaN differs from itself
                raise DistributedError(
                    rank, f"{operation}: expected what rank 0 has, {name} {expected.get(name)}, found {found.get(name)}"
                )


def digest_of(x: Any) -> str:
    """What tells vectors of different bits apart. Those on a GPU are copied: they are small beside the matrix."""
    x = numpy.ascontiguousarray(_arrays.on_host(x))
    return f"with digest {hashlib.blake2b(x.data if x.size > 0 else b'', digest_size=8).hexdigest()} of {x.dtype}"
