// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// The examples below each `--help`. Kept apart from the options so that both stay readable.
namespace tessera::app::help {

inline constexpr char program[] =
    "A matrix is read from memory once for C = A^T(A V), and the result has the same bits for any\n"
    "number of threads, any backend and either method.\n\n"
    "Examples:\n"
    "  tessera gen --rows 768 --cols 512 --output test/7   make a test in the ex3 format\n"
    "  tessera atax 7 --check                              C = A^T(A V) of test/7, into 7-out.bin\n"
    "  tessera check 7 7-out.bin                           is 7-out.bin right?\n"
    "  tessera COMMAND --help                              all options of a command\n\n"
    "Exit status: 0 good, 1 a check found a difference, 2 bad usage, 3 bad input or file,\n"
    "4 out of memory or device trouble.";

inline constexpr char generate[] =
    "The format follows the extension: .npy holds A, and V goes beside it (NAME-vector.npy);\n"
    ".ex3 or no extension holds A and V in one ex3 test file (f32 only).\n"
    "The same seed gives the same bytes on every machine.\n\n"
    "Examples:\n"
    "  tessera gen --rows 768 --cols 512 --output test/7\n"
    "  tessera gen --rows 100000 --cols 300 --type f64 --distribution normal --seed 1 --output "
    "a.npy\n"
    "  tessera gen --rows 4 --cols 3 --distribution integer --output a.npy --vector-output v.npy";

inline constexpr char compute[] =
    "INPUT is a .npy or an ex3 file; a bare number N means test/N, and then the result goes to\n"
    "N-out.bin unless --output says otherwise. A result file is .npy, or .bin for the elements "
    "and\n"
    "nothing else. Times are of the work on data in memory, after a warm-up.\n"
    "On a GPU (cuda), copies to and from its memory are timed apart. --backend auto takes the GPU\n"
    "where all runs and the copies are estimated to be done earlier than on the host, and says "
    "so.\n\n"
    "Examples:\n"
    "  tessera atax a.npy --vector v.npy --output c.npy\n"
    "  tessera atax 7 --method two-stage --intermediate b.npy --check\n"
    "  tessera gemv a.npy --backend serial --type f64 --format json\n"
    "  tessera atax a.npy --backend cuda --device 1        on the second GPU\n"
    "  tessera gemvt a.npy --vector b.npy --repeat 20";

inline constexpr char check[] =
    "The reference is computed in higher precision. The bound of each element follows from the\n"
    "order of summation and the data; a result of another order of summation may fail.\n"
    "Exit status 0: right, 1: not.\n\n"
    "Examples:\n"
    "  tessera check 7 7-out.bin\n"
    "  tessera check a.npy b.npy --operation gemv --vector v.npy";

inline constexpr char show[] =
    "Examples:\n"
    "  tessera show a.npy\n"
    "  tessera show test/7 --data";

inline constexpr char info[] =
    "Examples:\n"
    "  tessera info\n"
    "  OMP_NUM_THREADS=4 tessera info\n"
    "  tessera info --format json                          backends and GPUs, for programs";

}  // namespace tessera::app::help
