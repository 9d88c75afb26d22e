# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
# bash completion for tessera; made by `tessera completion bash`
_tessera() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "gen atax aatx gemv gemvt gemv-both transpose gemm lstsq ridge svd pca stats fit bench tune check show convert info --help --version" -- "$current"))
    return
  fi
  case "${COMP_WORDS[1]} $previous" in
    'atax --type' | 'aatx --type' | 'gemv --type' | 'gemvt --type' | 'gemv-both --type' | 'transpose --type' | 'gemm --type' | 'lstsq --type' | 'ridge --type' | 'svd --type' | 'pca --type' | 'fit --type' | 'convert --output-type') words="as-is f32 f64" ;;
    'convert --layout') words="as-is row-major column-major" ;;
    'check --operation') words="atax aatx gemv gemvt" ;;
    'pca --method') words="auto direct lanczos" ;;
    'svd --method') words="auto direct lanczos randomized" ;;
    'lstsq --method' | 'ridge --method') words="auto direct lsmr lsqr" ;;
    'atax --method' | 'aatx --method') words="auto fused two-stage" ;;
    'fit --solver') words="auto newton newton-cg lbfgs" ;;
    'atax --backend' | 'aatx --backend' | 'gemv --backend' | 'gemvt --backend' | 'gemv-both --backend' | 'transpose --backend' | 'gemm --backend' | 'lstsq --backend' | 'ridge --backend' | 'svd --backend' | 'pca --backend' | 'stats --backend' | 'fit --backend' | 'bench --backend' | 'tune --backend') words="auto openmp serial cuda" ;;
    'atax --kernels' | 'aatx --kernels' | 'gemv --kernels' | 'gemvt --kernels' | 'gemv-both --kernels' | 'transpose --kernels' | 'gemm --kernels' | 'lstsq --kernels' | 'ridge --kernels' | 'svd --kernels' | 'pca --kernels' | 'stats --kernels' | 'fit --kernels') words="auto portable accelerated" ;;
    'show --header' | 'convert --header') words="auto yes no" ;;
    'atax --input-format' | 'aatx --input-format' | 'gemv --input-format' | 'gemvt --input-format' | 'gemv-both --input-format' | 'transpose --input-format' | 'lstsq --input-format' | 'ridge --input-format' | 'svd --input-format' | 'pca --input-format' | 'stats --input-format' | 'fit --input-format') words="by-content npy npz hdf5 ex3 bed" ;;
    'convert --input-format') words="by-content npy npz hdf5 ex3 bed raw csv mtx" ;;
    'gen --output-format') words="by-name npy ex3" ;;
    'convert --output-format') words="by-name npy ex3 raw" ;;
    'gen --distribution') words="ex3 uniform normal integer" ;;
    'gen --type' | 'bench --type' | 'tune --type' | 'convert --type') words="f32 f64" ;;
    'atax --cache-preference' | 'aatx --cache-preference' | 'gemv --cache-preference' | 'gemvt --cache-preference' | 'gemv-both --cache-preference' | 'transpose --cache-preference' | 'gemm --cache-preference' | 'bench --cache-preference') words="none l1 shared equal" ;;
    'gen --layout' | 'bench --layout' | 'tune --layout' | 'convert --input-layout') words="row-major column-major" ;;
    'transpose --format' | 'gemm --format' | 'lstsq --format' | 'ridge --format' | 'svd --format' | 'pca --format' | 'stats --format' | 'fit --format' | 'info --format') words="text json" ;;
    'atax --format' | 'aatx --format' | 'gemv --format' | 'gemvt --format' | 'gemv-both --format' | 'bench --format' | 'check --format') words="text json csv" ;;
    'atax --map' | 'check --map') words="weights minus logistic logistic-weights poisson poisson-weights" ;;
  esac
  if [[ ! $words && $current == -* ]]; then
    case ${COMP_WORDS[1]} in
      gen) words="--help --rows --cols --type --distribution --layout --seed --output --output-format --vector-output --add-dataset" ;;
      atax) words="--help --input-format --vector --output --intermediate --method --map --weights --minus --labels --alpha --beta --add --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      aatx) words="--help --input-format --vector --output --intermediate --method --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      gemv) words="--help --input-format --vector --output --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      gemvt) words="--help --input-format --vector --output --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      gemv-both) words="--help --input-format --vector --output --transposed-vector --transposed-output --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      transpose) words="--help --input-format --in-place --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      gemm) words="--help --backend --kernels --device --cache-preference --type --repeat --threads --check --no-tuning-cache --add-dataset --format --report" ;;
      lstsq) words="--help --damp --output --plot --method --atol --btol --conlim --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      ridge) words="--help --lambda --output --plot --method --atol --btol --conlim --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      svd) words="--help --count --u --s --vt --plot --method --oversampling --power-iterations --seed --tol --ncv --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      pca) words="--help --count --scale --method --components --scores --variance --ratio --mean --deviations --plot --tol --ncv --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      stats) words="--help --ddof --missing --mean --variance --deviations --min --max --count --input-format --memory-limit --backend --kernels --device --threads --add-dataset --format --report" ;;
      fit) words="--help --weights --offset --output --penalty --power --no-intercept --solver --tol --input-format --missing --history --maxiter --memory-limit --checkpoint --checkpoint-every --backend --kernels --device --type --threads --check --add-dataset --format --report" ;;
      bench) words="--help --vector --variants --shapes --teams --tiles --most-teams --check --type --layout --backend --device --threads --repeat --seconds --cache-preference --format --output" ;;
      tune) words="--help --shape --type --layout --backend --device --threads --repeat --seconds --show --reset" ;;
      check) words="--help --operation --vector --map --weights --minus --labels --alpha --beta --add --threads --format" ;;
      show) words="--help --header --data --all" ;;
      convert) words="--help --input-format --output-format --layout --output-type --chunk --deflate --rows --cols --type --input-layout --header --vector --vector-output --add-dataset" ;;
      info) words="--help --threads --format" ;;
    esac
  fi
  if [[ $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _tessera tessera
