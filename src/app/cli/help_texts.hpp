// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// What stands below each `--help`: paragraphs of one line each, which are wrapped when they are
/// printed, and examples, whose lines begin with a space and are kept. Apart from the options so
/// that both stay readable.
namespace tessera::app::help {

inline constexpr char program[] =
    "A matrix is read from memory once for C = A^T(A V), and the result has the same bits "
    "for any number of threads, any backend and either method.\n\n"
    "Examples:\n"
    "  mkdir -p test && tessera gen --rows 768 --cols 512 --output test/7\n"
    "  tessera atax 7 --check                              C = A^T(A V) of test/7, into "
    "7-out.bin\n"
    "  tessera check 7 7-out.bin                           is 7-out.bin right?\n"
    "  tessera COMMAND --help                              all options of a command\n\n"
    "Exit status: 0 good, 1 a check found a difference or could not judge, or a solver did not "
    "converge, 2 bad usage, 3 "
    "bad input or file, 4 out of memory or device trouble.";

inline constexpr char generate[] =
    "The format follows the extension: .npy holds A, and V goes beside it (NAME-vector.npy); "
    ".ex3 or no extension holds A and V in one ex3 test file (f32 only). The same seed gives "
    "the same bytes on every machine. --output - writes to stdout, without an extension: an "
    "ex3 file, or with --output-format npy A alone.\n\n"
    "Examples:\n"
    "  mkdir -p test && tessera gen --rows 768 --cols 512 --output test/7\n"
    "  tessera gen --rows 100000 --cols 300 --type f64 --distribution normal --seed 1 "
    "--output a.npy\n"
    "  tessera gen --rows 4 --cols 3 --distribution integer --output a.npy --vector-output "
    "v.npy";

inline constexpr char convert[] =
    "INPUT is what its content says: .npy, .npz, HDF5, ex3 or Matrix Market; .csv and .bin "
    "are so by their names, or by --input-format. FILE.npz:NAME and FILE.h5:/DATASET are one "
    "of many. The format of OUTPUT follows its extension: .npy, .ex3 or no extension, .bin, "
    "FILE.h5:/DATASET. A .bin file holds the elements and nothing else: to be read as a "
    "matrix it needs --rows and --cols, else it is a vector. Files are converted piece by "
    "piece: their size does not matter; but text (.mtx, .csv) is read into memory, of which "
    "zeros that an .mtx leaves out take none. float16 and integers become f32 or f64, the "
    "smaller that holds all of their type; an integer that it does not hold is an error. "
    "A .csv may begin with a line of names, which is left out. A first line that may be names or "
    "data (NA, 1,000) is an error without --header yes or no. "
    "INPUT may be a pipe, such as - for stdin: then OUTPUT is in its order, and not in "
    "chunks; so it is with an array that is packed in an .npz. OUTPUT - is stdout, and gets "
    ".npy.\n\n"
    "Examples:\n"
    "  tessera convert a.npy a.ex3 --vector v.npy --output-type f32\n"
    "  tessera convert a.ex3 a.npy --vector-output v.npy\n"
    "  tessera convert a.npy columns.npy --layout column-major\n"
    "  tessera convert table.csv a.npy\n"
    "  tessera convert all.npz:A a.npy\n"
    "  gunzip < a.npy.gz | tessera convert - a.npy\n"
    "  tessera convert a.npy a.h5:/group/A --chunk 1000x100 --deflate 6\n"
    "  tessera convert b.npy a.h5:/group/B --add-dataset   beside A\n"
    "  tessera convert a.bin a.npy --rows 1000 --cols 300 --type f64 --input-layout "
    "column-major";

inline constexpr char compute[] =
    "INPUT is a .npy or an ex3 file, FILE.npz:NAME or FILE.h5:/DATASET, which its content "
    "says, not its name. float16 and integers are read as f32 or f64. A bare number N means "
    "test/N if there is no file N, and then the result goes to N-out.bin without --output. A "
    "result "
    "file is .npy, or .bin for the elements and nothing else. Times are of the work on data "
    "in memory, after a warm-up. On a GPU (cuda), copies to and from its memory are timed "
    "apart. --backend auto takes the GPU where all runs and the copies are estimated to be "
    "done earlier than on the host, and says so. A matrix that does not fit into memory (or "
    "into --memory-limit) is streamed from its file: one run, without a warm-up, timed with "
    "the reading; the bits are the same. INPUT may be a pipe, such as - for stdin, which is "
    "read once and to its end. A result that goes to - (stdout) is in the .npy format, and "
    "the report then goes to stderr. atax takes terms: C = alpha A^T f(A V) + beta z, where f is "
    "of --weights, --minus, or --map with --labels, and z is of --add. A --vector file with "
    "several "
    "rows and columns is a block of vectors, and the result a matrix.\n\n"
    "Examples:\n"
    "  tessera atax a.npy --vector v.npy --output c.npy\n"
    "  tessera atax a.npy --vector x.npy --map logistic --labels y.npy --output gradient.npy\n"
    "  tessera atax a.npy --vector v.npy --add v.npy --beta 0.1 --output ridge.npy\n"
    "  tessera atax a.npy --memory-limit 2GiB --checkpoint a.state --output c.npy\n"
    "  gunzip < a.npy.gz | tessera atax - --output - | gzip > c.npy.gz\n"
    "  tessera atax 7 --method two-stage --intermediate b.npy --check\n"
    "  tessera gemv a.npy --backend serial --type f64 --format json\n"
    "  tessera atax a.npy --backend cuda --device 1        on the second GPU\n"
    "  tessera gemv-both a.npy --vector x.npy --transposed-vector u.npy --output y.npy\n"
    "  tessera gemvt a.npy --vector b.npy --repeat 20";

inline constexpr char transpose[] =
    "OUTPUT is in the order of INPUT: rows stay contiguous, or columns do. Times are of the "
    "work on data in memory, after a warm-up. INPUT may be a pipe, and - is stdin or stdout.\n\n"
    "Examples:\n"
    "  tessera transpose a.npy at.npy --check\n"
    "  tessera transpose a.npy a.T.npy --in-place          of a square matrix";

inline constexpr char gemm[] =
    "C is in the order of A. Its bits are a function of A and B alone. Times are of the work "
    "on data in memory, after a warm-up.\n\n"
    "Examples:\n"
    "  tessera gemm a.npy b.npy c.npy --check\n"
    "  tessera gemm a.npy b.npy c.npy --repeat 20 --format json";

inline constexpr char least_squares[] =
    "A matrix with at most 512 columns is solved directly, by its Gram matrix and corrections by "
    "residuals: a few reads of A, whatever its condition number. Otherwise each step of lsmr, lsqr "
    "reads A once. It stops if |b - A x| is small compared with b, or |A^T r| with |A| |r|, for "
    "r = b - A x: --atol and --btol set how small, as in SciPy. The bits of x are a "
    "function of A, its layout, b and the options. A matrix that does not fit into memory (or "
    "into --memory-limit) is streamed from its file at each step. A run that was ended goes on "
    "from its --checkpoint, with the bits of one that was not; the file is removed when x is "
    "found. Where B is a matrix, X has a solution for each of its columns. Exit status 1: no "
    "solution within the tolerances, and the report says why.\n\n"
    "Examples:\n"
    "  tessera lstsq a.npy b.npy --output x.npy --check\n"
    "  tessera lstsq a.npy b.npy --memory-limit 2GiB --checkpoint a.state --output x.npy\n"
    "  tessera lstsq a.npy b.npy --method lsqr --atol 1e-10 --history steps.csv\n"
    "  tessera ridge a.npy b.npy --lambda 0.1 --output x.npy";

inline constexpr char svd[] =
    "A matrix with at most 512 columns is decomposed directly: one or two reads of A, and one more "
    "for U. Otherwise a step reads A once. The bits are a function of A, its layout, K and the "
    "options. A "
    "matrix that does not fit into memory (or into --memory-limit) is streamed from its file at "
    "each step. A run that was ended goes on from its --checkpoint, with the bits of one that was "
    "not; the file is removed when all are found. Exit status 1: they were not found within the "
    "tolerance, and the report says why.\n"
    "--method randomized multiplies a block of vectors at once. It takes as many reads as it is "
    "told, and two; its residuals say how good the values are.\n\n"
    "Examples:\n"
    "  tessera svd a.npy -k 10 --u u.npy --s s.npy --vt vt.npy --check\n"
    "  tessera svd a.npy -k 10 --memory-limit 2GiB --checkpoint a.state --s s.npy\n"
    "  tessera svd a.npy -k 3 --tol 1e-4 --history steps.csv\n"
    "  tessera svd a.npy -k 50 --method randomized --power-iterations 6 --s s.npy";

inline constexpr char pca[] =
    "A row of A is an observation. A is never centred in memory. The methods are as for svd; a "
    "direct decomposition takes at most three reads, and one more for the scores. The bits are a "
    "function of A, its layout, K and the options. A matrix that does not fit into memory (or "
    "into --memory-limit) is streamed from its file at each step. A run that was ended goes on "
    "from its --checkpoint. Exit status 1: they were not found within the tolerance, and the "
    "report says why.\n\n"
    "Examples:\n"
    "  tessera pca a.npy -k 2 --components v.npy --scores points.npy --ratio r.npy\n"
    "  tessera pca a.npy -k 10 --scale --variance variance.npy --check\n"
    "  tessera pca a.npy -k 10 --memory-limit 2GiB --checkpoint a.state --components v.npy";

inline constexpr char fit[] =
    "A row of A is an observation, and eta = A x + intercept. linear: sum (eta - y)^2/2. logistic: "
    "sum log(1 + e^eta) - y eta, labels y of 0 and 1. poisson: sum e^eta - y eta, counts y. A "
    "Newton step reads A twice, and once for each product with the Hessian; one of --solver lbfgs "
    "reads it once, mostly, and there are more of them. The intercept is not "
    "penalised, and stands in the report. The bits of x are a function of A, its layout, y and "
    "the options. A matrix that does not fit into memory (or into --memory-limit) is streamed "
    "from its file. A run that was ended goes on from its --checkpoint, with the bits of one that "
    "was not; the file is removed when x is found. Exit status 1: the gradient is not small, and "
    "the report says why.\n\n"
    "Examples:\n"
    "  tessera fit logistic a.npy labels.npy --penalty 1 --output x.npy --check\n"
    "  tessera fit poisson a.npy counts.npy --memory-limit 2GiB --checkpoint a.state\n"
    "  tessera fit logistic a.npy labels.npy --solver lbfgs --maxiter 500\n"
    "  tessera fit linear a.npy y.npy --no-intercept --history steps.csv";

inline constexpr char bench[] =
    "All that compute the operation take turns in random order, on the matrix of FILE (of "
    "gemm on two) or on random ones: our kernels, published ones (--variants), and the "
    "libraries that this program was built with. Before that, each result is compared with "
    "ours on random numbers: on whole ones, where every order of summation gives the same, "
    "and on real ones, bit by bit or within a bound that follows from the number of "
    "additions. --check compares each result on the very numbers that are timed with a "
    "reference of higher precision as well. A WRONG one has no time, and makes exit status "
    "1. Columns: GB/s counts each array once; `of read` (`of copy`) is the time in which the "
    "matrix could be read (copied), measured in the same run, over the time; `speed-up` is "
    "over the slowest; `repeats` says whether the bits come again. On a GPU, copies of the "
    "matrix are taken in turn, so that none is found in a cache.\n\n"
    "Examples:\n"
    "  tessera bench gemv a.npy --vector v.npy --variants team-atomic,ex3 --teams 1x64,8x32 "
    "--check\n"
    "  tessera bench gemm a.npy b.npy --variants tiled --teams 16x16 --tiles 8,16,32\n"
    "  tessera bench gemv --shapes 4096x4096,1000003x97\n"
    "  tessera bench transpose --teams 8x8,32x8,32x32 --variants tile,tile-padded\n"
    "  tessera bench atax --variants none --shapes grid --format json --output atax.json";

inline constexpr char tune[] =
    "Tries all launches of our kernels that the backend takes, ranks them, and keeps the "
    "fastest in $XDG_CACHE_HOME/tessera (else ~/.cache/tessera), one file for each device. "
    "Runs on the same device take it from there for the same operation, type and layout, and "
    "for shapes of half to twice the rows and columns; their reports say so, and "
    "--no-tuning-cache stops it. Results do not change by a bit. A file that is damaged or "
    "of another version is ignored with a warning.\n\n"
    "Examples:\n"
    "  tessera tune all --shape 8192x8192\n"
    "  tessera tune gemv --shape 100000x300 --type f64 --layout column-major\n"
    "  tessera tune --show\n"
    "  tessera tune --reset";

inline constexpr char check[] =
    "The reference is computed in higher precision. The bound of each element follows from "
    "the order of summation and the data; a result of another order of summation may fail. "
    "Where the order decides whether an infinity is right, nothing is: `NOT JUDGED`. Exit "
    "status 0: right, 1: wrong or not judged.\n\n"
    "Examples:\n"
    "  tessera check 7 7-out.bin\n"
    "  tessera check a.npy b.npy --operation gemv --vector v.npy\n"
    "  tessera check a.npy c.npy --vector v.npy --map logistic --labels y.npy --alpha 0.5";

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
