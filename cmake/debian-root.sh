# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Debian sid roots for ./dev, which sources this.

roots_dir=${XDG_CACHE_HOME:-$HOME/.cache}/tessera
suite=sid
common_packages=(g++ cmake ninja-build ccache git ca-certificates libcli11-dev nlohmann-json3-dev libftxui-dev
  libssl-dev libgtest-dev libgmock-dev libbenchmark-dev)
# Debian's two packages of Kokkos exclude each other.
openmp_packages=(libkokkos-dev libopenblas-openmp-dev libhdf5-dev)
python_packages=(python3-dev python3-numpy python3-scipy python3-sklearn python3-tqdm python3-pytest
  python3-hypothesis python3-venv python3-nanobind nanobind-dev python3-scikit-build-core patchelf)
mpi_packages=(libopenmpi-dev openmpi-bin libmpich-dev mpich python3-mpi4py)
serial_packages=(libtrilinos-kokkos-dev libtrilinos-kokkos-kernels-dev libopenblas-openmp-dev)
hip_packages=(clang hipcc libamdhip64-dev libkokkos-dev)
lint_packages=(g++-12 clang clang-format clang-tidy libclang-rt-dev llvm libomp-dev python3 reuse)
docs_packages=(doxygen graphviz python3-sphinx python3-myst-parser python3-breathe furo)
arm64_packages=(cmake ninja-build git libcli11-dev nlohmann-json3-dev libftxui-dev libssl-dev
  libkokkos-dev libhdf5-dev python3-dev python3-numpy python3-venv python3-nanobind nanobind-dev
  python3-scikit-build-core patchelf)

root_name() {
  case $1 in
    serial | kokkos-kernels) echo serial ;;
    tidy | fuzz) echo lint ;;
    *) echo openmp ;;
  esac
}

root_packages() {
  case $1 in
    serial) echo "${common_packages[*]} ${serial_packages[*]}" ;;
    hip) echo "${hip_packages[*]}" ;;
    docs) echo "${docs_packages[*]}" ;;
    arm64) echo "${arm64_packages[*]}" ;;
    openmp) echo "${common_packages[*]} ${openmp_packages[*]} ${python_packages[*]} ${mpi_packages[*]}" ;;
    lint) echo "${common_packages[*]} ${openmp_packages[*]} ${lint_packages[*]} libopenmpi-dev openmpi-bin" ;;
  esac
}

root_path() {
  local hash
  hash=$({ echo "$suite"; root_packages "$1"; declare -f finish_root; } | sha256sum)
  echo "$roots_dir/$1-${hash:0:12}"
}

# From apt's sources; empty: mmdebstrap's default.
debian_mirror() {
  local codename mirror
  codename=$(. /etc/os-release && [[ $ID == debian ]] && echo "${VERSION_CODENAME:-}") || codename=-
  mirror=$(tail -n +1 /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null | awk -v suite="$codename" '
    function take(uri) { if (found == "" && uri ~ /^https?:/) found = uri }
    function end_stanza() { if (hit) take(uri); hit = 0; uri = "" }
    $1 == "deb" { sub(/\[[^]]*\]/, ""); if ($3 == suite) take($2) }
    tolower($1) == "uris:" { uri = $2 }
    tolower($1) == "suites:" { for (i = 2; i <= NF; i++) if ($i == suite) hit = 1 }
    NF == 0 || $1 == "==>" { end_stanza() }
    END { end_stanza(); print found }') || true
  echo "$mirror"
}

# Built in a temporary folder, renamed when complete. Only who needs a new root waits for one.
make_root() {
  local name=$1 path=$2 mirror old duration="about a minute"
  [[ $name != arm64 ]] || duration="about 20 minutes"
  mkdir -p "$roots_dir"
  until { exec 6<"$path" && flock -s 6 && [[ -d $path ]]; } 2>/dev/null; do # no other ./dev removes it
    exec 7>"$roots_dir/.lock-$name"
    flock -n 7 || { say "waiting for another ./dev that makes this root"; flock 7; }
    if [[ ! -d $path ]]; then
      command -v mmdebstrap >/dev/null || install_mmdebstrap
      mirror=$(debian_mirror)
      say "making the root once from ${mirror:-the default mirror of mmdebstrap}, $duration; log in $path.log"
      rm -rf --one-file-system "$path.partial"
      bootstrap_root "$mirror" "$path.partial" "$(root_packages "$name")" &>"$path.log" || explain_failure "$path.log"
      finish_root "$path.partial" >>"$path.log"
      [[ $name != arm64 ]] || add_cross_compiler "$mirror" "$path.partial" &>>"$path.log" || explain_failure "$path.log"
      mv "$path.partial" "$path"
      for old in "$roots_dir/$name"-*; do # earlier package lists
        [[ $old == "$path"* ]] || remove_root "$old"
      done
    fi
    exec 7>&-
  done
}

install_mmdebstrap() {
  say "installing mmdebstrap with apt-get"
  { apt-get update && apt-get install -y --no-install-recommends mmdebstrap; } >&2 </dev/null ||
    die "mmdebstrap is needed: apt-get install mmdebstrap"
}

# With apt's settings of this machine.
bootstrap_root() {
  local options=() line keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  while read -r line; do options+=("--aptopt=$line"); done < <(
    apt-config dump | grep -E '^Acquire::(Check-Valid-Until|Check-Date|Retries|https?::Proxy[^ ]*) '
  )
  [[ ! -e $keyring ]] || options+=("--keyring=$keyring")
  [[ $2 != */arm64-*.partial ]] || options+=(--architectures=arm64)
  mmdebstrap --mode=root --variant=apt --include="${3// /,}" "${options[@]}" \
    --aptopt='APT::Sandbox::User "root"' --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    "$suite" "$2" ${1:+"$1"} </dev/null
}

# libkokkos-dev's CMake files name two archives that it does not ship, of header-only libraries.
finish_root() {
  local library dir
  for dir in "$1"/usr/lib/*/cmake/Kokkos; do
    for library in algorithms simd; do
      grep -q "libkokkos$library\.a" "$dir"/KokkosTargets*.cmake || continue
      [[ -e $dir/../../libkokkos$library.a ]] || printf '!<arch>\n' >"$dir/../../libkokkos$library.a"
    done
  done
}

# A compiler that runs on this processor, for a root whose other programs run in an emulator: its own root in
# /usr/cross, and links where it looks for libraries and CMake for tools.
add_cross_compiler() {
  local folder name
  bootstrap_root "$1" "$2/usr/cross" "g++-aarch64-linux-gnu ccache" || return
  for folder in lib64 usr/lib/x86_64-linux-gnu usr/aarch64-linux-gnu; do ln -sfn "/usr/cross/$folder" "$2/$folder"; done
  for name in g++ gcc nm ar ranlib strip; do ln -s "/usr/cross/usr/bin/aarch64-linux-gnu-$name" "$2/usr/local/bin/$name"; done
  ln -s g++ "$2/usr/local/bin/c++"
  ln -s gcc "$2/usr/local/bin/cc"
  ln -s /usr/cross/usr/bin/ccache "$2/usr/local/bin/ccache"
}

explain_failure() {
  tail -n 15 "$1" >&2
  if grep -qE 'NO_PUBKEY|not signed|no longer signed|EXPKEYSIG|Missing key' "$1"; then
    die "the keyring of this machine does not verify Debian $suite: install a newer debian-archive-keyring"
  fi
  die "making the Debian root failed; the whole log is $1"
}

remove_root() {
  if [[ -d $1 ]]; then
    (flock -n 5 || { say "$1 is in use, it stays"; exit 0; }; rm -rf --one-file-system "$1") 5<"$1"
  else
    rm -f "$1"
  fi
}

remove_roots() {
  local old
  rm -rf "$roots_dir/ccache"
  for old in "$roots_dir"/{openmp,serial,lint,hip,docs,arm64}-*; do [[ ! -e $old ]] || remove_root "$old"; done
}

# in_root PATH CMD ARGS…: in the current folder; mounts end with the command.
in_root() {
  local path=$1
  shift
  unshare --mount --propagation private bash -c '
    set -e
    root=$1 here=$2 cwd=$3 cache=$4; shift 4
    mkdir -p "$cache"
    for dir in /*/ "$here/" "$cwd/" "$cache/"; do
      dir=${dir%/}
      case $dir in
        /proc | /sys | /dev) ;;
        /bin | /sbin | /lib* | /usr | /etc | /var | /boot | /run | "") continue ;;
      esac
      [[ -L $dir ]] || mountpoint -q "$root$dir" || { mkdir -p "$root$dir"; mount --rbind "$dir" "$root$dir"; }
    done
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
    cd /
    exec env -u LD_LIBRARY_PATH -u LD_PRELOAD -u CMAKE_PREFIX_PATH -u PYTHONPATH -u PYTHONHOME LC_ALL=C.UTF-8 \
      CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_DIR="$cache" CCACHE_BASEDIR="$here" CCACHE_NOHASHDIR=1 \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      chroot "$root" bash -c "cd \"\$0\" && exec \"\$@\"" "$cwd" "$@"
  ' dev "$path" "$here" "$PWD" "$roots_dir/ccache" "$@"
}

# exec_from_root PATH NAME PROGRAM ARGS…: on this machine, with the root's shared libraries.
exec_from_root() {
  local libraries=("$1"/usr/lib/*-linux-gnu*) loader folder path
  loader=$(echo "$libraries"/ld-linux*.so.*)
  path=$libraries
  # The links of Debian's alternatives are valid inside the root only.
  for folder in "$libraries"/{blas,lapack,openblas}*/; do [[ ! -d $folder ]] || path+=:${folder%/}; done
  exec "$loader" --library-path "$path" --argv0 "$2" "${@:3}"
}
