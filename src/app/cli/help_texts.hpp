// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Paragraphs are one line; see wrapped().
namespace tessera::app::help {

inline constexpr char program[] =
    "tessera computes with dense matrices in files. C = A^T(A V) needs one pass over A. Results "
    "are bitwise identical for any number of threads, any backend and any method.\n\n"
    "Examples:\n"
    "  tessera gen --rows 10000 --cols 300 --output a.npy\n"
    "  tessera atax a.npy --output c.npy --check           compute, and verify the result\n"
    "  tessera COMMAND --help                              options and examples of a command\n\n"
    "Exit status: 0 success; 1 a check failed or could not judge, or a solver did not converge; 2 "
    "wrong usage; 3 bad input or file; 4 not enough memory, or a problem with a device.";

inline constexpr char generate[] =
    "The extension of --output selects the format. A .npy file holds A; V is written to a second "
    "file, NAME-vector.npy. A .ex3 file, or one without extension, holds A and V (f32 only): it is "
    "a test file of the course project ex3. --distribution ex3 generates the numbers of these "
    "tests. The same seed gives the same bytes on every machine. --output - writes to stdout.\n\n"
    "Examples:\n"
    "  tessera gen --rows 100000 --cols 300 --type f64 --distribution normal --seed 1 --output "
    "a.npy\n"
    "  mkdir -p test && tessera gen --rows 768 --cols 512 --output test/7";

inline constexpr char convert[] =
    "INPUT: the format is detected from the contents: .npy, .npz, HDF5, .bed, ex3 or Matrix "
    "Market. Raw "
    "elements (.bin) and CSV (.csv, .tsv) are recognised by their names or by --input-format. "
    "FILE.npz:NAME and FILE.h5:/DATASET name one array of a file. A .bin file is a vector, unless "
    "--rows and --cols are given. - is stdin.\n"
    "OUTPUT: the extension selects the format: .npy, .ex3 or none, .bin, FILE.h5:/DATASET. - is "
    "stdout, in .npy format.\n"
    "Files are converted in pieces, so their size does not matter; text files are read into "
    "memory. float16 and integers become f32 or f64. An integer that the type cannot represent "
    "exactly is an error. A pipe, or a compressed array of an .npz, keeps its layout, and cannot "
    "be written in chunks. The first line of a .csv file may have names, which are left out; if it "
    "may also be data, --header decides.\n\n"
    "Examples:\n"
    "  tessera convert table.csv a.npy\n"
    "  tessera convert a.npy columns.npy --layout column-major\n"
    "  tessera convert a.npy a.h5:/group/A --chunk 1000x100 --deflate 6\n"
    "  tessera convert a.bin a.npy --rows 1000 --cols 300 --type f64";

inline constexpr char compute[] =
    "INPUT is A: a .npy, .bed or ex3 file, FILE.npz:NAME or FILE.h5:/DATASET. The format is "
    "detected "
    "from the contents. - is stdin. A number N is the file N, or test/N if there is no file N; the "
    "result of test/N goes to N-out.bin without --output. float16 and integers are read as f32 or "
    "f64.\n"
    "Results are .npy files, or .bin files with the elements only. - is stdout in .npy format; the "
    "report then goes to stderr.\n"
    "Times are in seconds, of data in memory, after a warm-up. Copies to and from a GPU are timed "
    "separately. --backend auto selects the backend that should finish first, copies included.\n"
    "A matrix that needs more memory than is free, or than --memory-limit, is streamed from its "
    "file: one run without a warm-up, timed with the reading. The result is the same.\n"
    "atax computes C = alpha A^T f(A V) + beta z: --weights, --minus, or --map with --labels, "
    "select f, and --add has z. A --vector file with several rows and columns is a block of "
    "vectors; the result is then a matrix.\n\n"
    "Examples:\n"
    "  tessera atax a.npy --vector v.npy --output c.npy --check\n"
    "  tessera atax a.npy --vector x.npy --map logistic --labels y.npy --output gradient.npy\n"
    "  tessera atax a.npy --memory-limit 2GiB --checkpoint a.state --output c.npy\n"
    "  tessera aatx a.npy --vector u.npy --output b.npy\n"
    "  tessera gemv a.npy --vector v.npy --type f64 --format json\n"
    "  tessera gemvt a.npy --vector b.npy --backend cuda --repeat 20\n"
    "  tessera gemv-both a.npy --vector x.npy --transposed-vector u.npy --output y.npy";

inline constexpr char transpose[] =
    "OUTPUT has the layout of INPUT: row-major or column-major. Times are in seconds, of data in "
    "memory, after a warm-up. - is stdin or stdout.\n\n"
    "Examples:\n"
    "  tessera transpose a.npy at.npy --check\n"
    "  tessera transpose a.npy a.T.npy --in-place          of a square matrix";

inline constexpr char gemm[] =
    "C has the layout of A. The result depends on A and B only. Times are in seconds, of data in "
    "memory, after a warm-up.\n\n"
    "Examples:\n"
    "  tessera gemm a.npy b.npy c.npy --check\n"
    "  tessera gemm a.npy b.npy c.npy --repeat 20 --format json";

inline constexpr char least_squares[] =
    "A matrix with at most 512 columns is solved directly, with a few passes over A. With "
    "more columns, or with --maxiter, lsmr or lsqr need one pass per iteration. They stop if |b - "
    "A x| is small compared with |b|, or |A^T r| compared with |A| |r|, r = b - A x; --atol and "
    "--btol are the bounds, as in SciPy.\n"
    "If B is a matrix, X has a solution for each of its columns. If ridge has several --lambda, X "
    "has a solution for each, and all share the passes over A. x depends on A, its layout, b and "
    "the options only.\n"
    "A matrix that needs more memory than --memory-limit is streamed from its file in each pass. A "
    "run that was interrupted resumes from its --checkpoint, with the same result; the file is "
    "removed when x is written. Exit status 1: no solution within the tolerances; the report "
    "contains the reason.\n\n"
    "Examples:\n"
    "  tessera lstsq a.npy b.npy --output x.npy --check\n"
    "  tessera lstsq a.npy b.npy --memory-limit 2GiB --checkpoint a.state --output x.npy\n"
    "  tessera ridge a.npy b.npy --lambda 0.1 --output x.npy\n"
    "  tessera ridge a.npy b.npy --lambda 0.01,0.1,1 --output path.npy";

inline constexpr char svd[] =
    "A matrix with at most 512 columns is decomposed directly, with one or two passes over A, and "
    "one more for U. With more columns, or with --ncv or --maxiter, a pass per iteration is "
    "needed. --method randomized needs --power-iterations + 2 passes; its residuals show how "
    "accurate the values are. The result depends on A, its layout, K and the options only.\n"
    "A matrix that needs more memory than --memory-limit is streamed from its file in each pass. A "
    "run that was interrupted resumes from its --checkpoint, with the same result; the file is "
    "removed when the results are written. Exit status 1: not converged; the report contains the "
    "reason.\n\n"
    "Examples:\n"
    "  tessera svd a.npy -k 10 --u u.npy --s s.npy --vt vt.npy --check\n"
    "  tessera svd a.npy -k 10 --memory-limit 2GiB --checkpoint a.state --s s.npy\n"
    "  tessera svd a.npy -k 50 --method randomized --power-iterations 6 --s s.npy";

inline constexpr char pca[] =
    "A row of A is an observation. The mean of each column is subtracted while A is read; there is "
    "no centred copy. The methods are those of `tessera svd`; the means and deviations need one or "
    "two more passes over A. The result depends on A, its layout, K and the options only. "
    "--memory-limit, --checkpoint and exit status 1 are as in `tessera svd`. With --missing, an "
    "entry is 0 after centring if it is missing.\n\n"
    "Examples:\n"
    "  tessera pca a.npy -k 2 --components v.npy --scores points.npy --ratio r.npy\n"
    "  tessera pca a.npy -k 10 --scale --variance variance.npy --check";

inline constexpr char stats[] =
    "One pass over A, in double. The variance of a column is the mean of its squared distances "
    "from the mean; with --ddof 1 the sum is divided by the number of entries minus 1. Variances "
    "are right for columns far from 0, and 0 for columns of equal entries.\n"
    "Entries equal to --missing are left out and counted; so are missing genotypes of a .bed file. "
    "Other NaN and infinities are counted as not finite, and make the variance of their column "
    "nan. The result depends on A, its type and the options only. The output files have an f64 for "
    "each column.\n"
    "A matrix that needs more memory than is free, or than --memory-limit, is streamed from its "
    "file.\n\n"
    "Examples:\n"
    "  tessera stats a.npy --mean mean.npy --deviations deviations.npy\n"
    "  tessera stats images.npy --missing 255 --ddof 1 --format json";

inline constexpr char fit[] =
    "A row of A is an observation, and eta = A x + intercept. LOSS is minimised over x and the "
    "intercept:\n"
    "  linear     sum (eta - y)^2/2\n"
    "  logistic   sum log(1 + e^eta) - y eta    y: two numbers, the smaller one is 0\n"
    "  poisson    sum e^eta - y eta             y: counts\n"
    "  gamma      sum y e^-eta + eta            y > 0\n"
    "  tweedie    half the deviance             y >= 0, or y > 0 if --power >= 2\n"
    "In tweedie the variance is the mean e^eta to the power --power. --weights multiplies each "
    "row's loss; --offset is added to eta, such as the logarithm of an exposure. The intercept is "
    "not penalised, and is printed in the report.\n"
    "logistic with more than two whole numbers as labels is multinomial: each class k has its own "
    "eta_k, the loss is sum log(sum_k e^eta_k) - eta_y, and --output is a matrix with one class "
    "per row. Classes x (columns + 1) is at most 1024; --offset and other solvers than newton are "
    "refused.\n"
    "A matrix with at most 512 columns is solved by Newton's method with the complete Hessian, one "
    "pass over A per iteration. With more columns newton-cg needs up to two passes per iteration "
    "and one per product with the Hessian; lbfgs usually needs one, and more iterations. The "
    "result depends on A, its layout, y and the options only.\n"
    "A matrix that needs more memory than --memory-limit is streamed from its file in each pass. A "
    "run that was interrupted resumes from its --checkpoint, with the same result; the file is "
    "removed when x is written. Exit status 1: not converged, or the loss has no minimum; the "
    "report contains the reason.\n\n"
    "Examples:\n"
    "  tessera fit logistic a.npy labels.npy --penalty 1 --output x.npy --check\n"
    "  tessera fit logistic a.npy species.npy --penalty 1 --output one_class_per_row.npy\n"
    "  tessera fit poisson a.npy counts.npy --offset log_exposure.npy\n"
    "  tessera fit logistic a.npy labels.npy --memory-limit 2GiB --checkpoint a.state\n"
    "  tessera fit tweedie a.npy y.npy --power 1.5 --weights w.npy\n"
    "  tessera fit linear a.npy y.npy --no-intercept --history iterations.csv";

inline constexpr char bench[] =
    "Tessera's kernels, published kernels (--variants) and the libraries of this build run "
    "alternately, in random order, on the matrix in FILE (gemm: two files) or on random matrices. "
    "Each result is compared first: exactly on small integers, and bitwise or within a derived "
    "bound on real numbers. --check also compares the results on the timed numbers with a "
    "reference of higher precision. A WRONG row has no time, and the exit status is 1.\n"
    "Columns: `time` is the median; GB/s counts each array once; `of read` (`of copy`) is the time "
    "to read (copy) the matrix, measured in the same run, divided by `time`; `speed-up` is "
    "relative to the slowest row; `repeats` shows whether the results of all runs are identical. "
    "On a GPU copies of the matrix are used in turn, so that none is in a cache.\n\n"
    "Examples:\n"
    "  tessera bench gemv --shapes 4096x4096,1000003x97\n"
    "  tessera bench gemv a.npy --vector v.npy --variants team-atomic,ex3 --teams 1x64,8x32 "
    "--check\n"
    "  tessera bench gemm a.npy b.npy --variants tiled --teams 16x16 --tiles 8,16,32\n"
    "  tessera bench atax --variants none --shapes grid --format json --output atax.json";

inline constexpr char tune[] =
    "Measures launch configurations (a grid around the backend's choice; on a GPU also all "
    "compiled tiles), and saves the fastest in $XDG_CACHE_HOME/tessera, otherwise "
    "~/.cache/tessera, one file per device. Later runs on the same device use it for the same "
    "operation, type and layout, and half to twice as many rows and columns; their reports show "
    "it, and --no-tuning-cache disables it. A tuning never changes a result. A file that is "
    "damaged or of another version is ignored with a warning.\n\n"
    "Examples:\n"
    "  tessera tune all --shape 8192x8192\n"
    "  tessera tune gemv --shape 100000x300 --type f64 --layout column-major\n"
    "  tessera tune --show";

inline constexpr char check[] =
    "The reference is computed in higher precision. The bound of each element follows from "
    "Tessera's order of summation and the data; a result with another order may fail. `NOT JUDGED` "
    "means that the order decides whether an infinity is right. Exit status: 0 right, 1 wrong or "
    "not judged.\n\n"
    "Examples:\n"
    "  tessera check a.npy c.npy --vector v.npy\n"
    "  tessera check a.npy b.npy --operation gemv --vector v.npy\n"
    "  tessera check a.npy c.npy --vector v.npy --map logistic --labels y.npy --alpha 0.5";

inline constexpr char show[] =
    "An .npz or HDF5 file without a name lists its arrays.\n\n"
    "Examples:\n"
    "  tessera show a.npy\n"
    "  tessera show test/7 --data";

inline constexpr char completion[] =
    "`cmake --install` installs the script. Otherwise load it in the current shell, or add the "
    "first example to ~/.bashrc.\n\n"
    "Examples:\n"
    "  source <(tessera completion bash)\n"
    "  tessera completion bash > ~/.local/share/bash-completion/completions/tessera";

inline constexpr char info[] =
    "Examples:\n"
    "  tessera info\n"
    "  tessera info --format json                          backends and GPUs, for programs";

}  // namespace tessera::app::help
