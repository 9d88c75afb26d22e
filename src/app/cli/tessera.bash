# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
# bash completion for tessera; made by `tessera completion bash`
_tessera() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "gen atax aatx gemv gemvt gemv-both transpose gemm lstsq ridge svd pca stats fit bench tune check show convert info --help --version" -- "$current"))
    return
  fi
  case ${COMP_WORDS[1]} in
    gen)
      case $previous in
        --type) words="f32 f64" ;;
        --distribution) words="ex3 uniform normal integer" ;;
        --layout) words="row-major column-major" ;;
        --output-format) words="by-name npy ex3" ;;
        *) [[ $current == -* ]] && words="--help --rows --cols --type --distribution --layout --seed --output --output-format --vector-output --add-dataset" ;;
      esac ;;
    atax)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --method) words="auto fused two-stage" ;;
        --map) words="weights minus logistic logistic-weights poisson poisson-weights" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json csv" ;;
        *) [[ $current == -* ]] && words="--help --input-format --vector --output --intermediate --method --map --weights --minus --labels --alpha --beta --add --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      esac ;;
    aatx)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --method) words="auto fused two-stage" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json csv" ;;
        *) [[ $current == -* ]] && words="--help --input-format --vector --output --intermediate --method --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      esac ;;
    gemv)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json csv" ;;
        *) [[ $current == -* ]] && words="--help --input-format --vector --output --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      esac ;;
    gemvt)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json csv" ;;
        *) [[ $current == -* ]] && words="--help --input-format --vector --output --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      esac ;;
    gemv-both)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json csv" ;;
        *) [[ $current == -* ]] && words="--help --input-format --vector --output --transposed-vector --transposed-output --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      esac ;;
    transpose)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --input-format --in-place --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      esac ;;
    gemm)
      case $previous in
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      esac ;;
    lstsq)
      case $previous in
        --method) words="auto direct lsmr lsqr" ;;
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --damp --output --plot --method --atol --btol --conlim --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      esac ;;
    ridge)
      case $previous in
        --method) words="auto direct lsmr lsqr" ;;
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --lambda --output --plot --method --atol --btol --conlim --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      esac ;;
    svd)
      case $previous in
        --method) words="auto direct lanczos randomized" ;;
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --count --u --s --vt --plot --method --oversampling --power-iterations --seed --tol --ncv --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      esac ;;
    pca)
      case $previous in
        --method) words="auto direct lanczos" ;;
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --count --scale --method --components --scores --variance --ratio --mean --deviations --plot --tol --ncv --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      esac ;;
    stats)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --ddof --missing --mean --variance --deviations --min --max --count --input-format --memory-limit --backend --kernels --device --threads --add-dataset --format --report" ;;
      esac ;;
    fit)
      case $previous in
        --solver) words="auto newton newton-cg lbfgs" ;;
        --input-format) words="by-content npy npz hdf5 ex3 bed" ;;
        --backend) words="auto openmp serial cuda" ;;
        --kernels) words="auto portable accelerated" ;;
        --type) words="as-is f32 f64" ;;
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --weights --offset --output --penalty --power --no-intercept --solver --tol --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      esac ;;
    bench)
      case $previous in
        --type) words="f32 f64" ;;
        --layout) words="row-major column-major" ;;
        --backend) words="auto openmp serial cuda" ;;
        --cache-preference) words="none l1 shared equal" ;;
        --format) words="text json csv" ;;
        *) [[ $current == -* ]] && words="--help --vector --variants --shapes --teams --tiles --most-teams --check --type --layout --backend --device --threads --repeat --seconds --cache-preference --format --output" ;;
      esac ;;
    tune)
      case $previous in
        --type) words="f32 f64" ;;
        --layout) words="row-major column-major" ;;
        --backend) words="auto openmp serial cuda" ;;
        *) [[ $current == -* ]] && words="--help --shape --type --layout --backend --device --threads --repeat --seconds --show --reset" ;;
      esac ;;
    check)
      case $previous in
        --operation) words="atax aatx gemv gemvt" ;;
        --map) words="weights minus logistic logistic-weights poisson poisson-weights" ;;
        --format) words="text json csv" ;;
        *) [[ $current == -* ]] && words="--help --operation --vector --map --weights --minus --labels --alpha --beta --add --threads --format" ;;
      esac ;;
    show)
      case $previous in
        --header) words="auto yes no" ;;
        *) [[ $current == -* ]] && words="--help --header --data --all" ;;
      esac ;;
    convert)
      case $previous in
        --input-format) words="by-content npy npz hdf5 ex3 bed raw csv mtx" ;;
        --output-format) words="by-name npy ex3 raw" ;;
        --layout) words="as-is row-major column-major" ;;
        --output-type) words="as-is f32 f64" ;;
        --type) words="f32 f64" ;;
        --input-layout) words="row-major column-major" ;;
        --header) words="auto yes no" ;;
        *) [[ $current == -* ]] && words="--help --input-format --output-format --layout --output-type --chunk --deflate --rows --cols --type --input-layout --header --vector --vector-output --add-dataset" ;;
      esac ;;
    info)
      case $previous in
        --format) words="text json" ;;
        *) [[ $current == -* ]] && words="--help --threads --format" ;;
      esac ;;
  esac
  if [[ $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _tessera tessera
