#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Files of a release, and the checks that come before. `./dev release` calls it; it uploads nothing.

release.py --check                           compares every copy of the version with CMakeLists.txt
release.py make VERSION --output FOLDER      writes the archives, the bill of materials and the notes
release.py sums FOLDER                       writes FOLDER/SHA256SUMS
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent

# They cannot read CMakeLists.txt. The pattern's first group is the version.
COPIES = {
    "CITATION.cff": r"(?m)^version: (\S+)$",
    "packaging/arch/PKGBUILD": r"(?m)^pkgver=(\S+)$",
    "packaging/conda/recipe.yaml": r'(?m)^  version: "(\S+)"$',
    "packaging/debian/changelog": r"\Atessera \(([0-9.]+)-\d+\)",
    "packaging/homebrew/tessera.rb": r'(?m)^  version "(\S+)"$',
    "packaging/spack/package.py": r'(?m)^    version\("(\S+)"\)$',
    "packaging/vcpkg/vcpkg.json": r'(?m)^  "version": "(\S+)",$',
}

# And whether a user's build needs it.
LICENCES = {
    "Kokkos": ("Apache-2.0 WITH LLVM-exception", "required"),
    "KokkosKernels": ("Apache-2.0 WITH LLVM-exception", "optional"),
    "CLI11": ("BSD-3-Clause", "required"),
    "nlohmann_json": ("MIT", "required"),
    "ftxui": ("MIT", "required"),
    "GTest": ("BSD-3-Clause", "optional"),
    "benchmark": ("Apache-2.0", "optional"),
}


class Problem(Exception):
    """Why there is no release."""


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def git(*arguments):
    command = ["git", "-C", str(ROOT), "-c", "safe.directory=*", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def project_version():
    return re.search(r"(?m)^  VERSION ([0-9.]+)$", read("CMakeLists.txt"))[1]


def differing_copies(version):
    """One line for each file whose version is another one."""
    problems = []
    for name, pattern in COPIES.items():
        found = re.search(pattern, read(name))
        if found is None:
            problems.append(f"{name}: no version found; expected a match of {pattern}")
        elif found[1] != version:
            problems.append(f"{name}: version {found[1]}; CMakeLists.txt has {version}")
    return problems


def changelog_section(version):
    """The text below `## [version] - date`, or None."""
    found = re.search(
        rf"(?ms)^## \[{re.escape(version)}\](?: - \d{{4}}-\d\d-\d\d)?\n(.*?)(?=^## \[|\Z)", read("CHANGELOG.md")
    )
    return found and found[1].strip() + "\n"


def unmet(version):
    """What has to be done before this commit can be released."""
    todo = []
    if not re.search(rf"(?m)^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", read("CHANGELOG.md")):
        todo.append(f"CHANGELOG.md has no line `## [{version}] - YYYY-MM-DD`: rename [Unreleased]")
    if git("status", "--porcelain"):
        todo.append("there are changes that are not committed: commit them; the archives have the last commit")
    tag = subprocess.run(
        ["git", "-C", str(ROOT), "-c", "safe.directory=*", "rev-parse", "--quiet", "--verify", f"v{version}^{{commit}}"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    if tag != git("rev-parse", "HEAD"):
        todo.append(f"the tag v{version} is {'at another commit' if tag else 'missing'}: tag this commit")
    return todo


def dependencies():
    """Name, version, address and SHA-256 (or None) of each FetchContent_Declare."""
    result = []
    for block in re.findall(r"FetchContent_Declare\((.*?)\n\)", read("cmake/Dependencies.cmake"), re.S):
        name = block.split()[0]
        url = re.search(r"(?:URL|GIT_REPOSITORY) (\S+)", block)[1]
        tag = re.search(r"GIT_TAG (\S+)", block)
        found = tag or re.search(r"/v?(\d[0-9.]*\d)(?:/|\.tar|$)", url)
        digest = re.search(r"SHA256=([0-9a-f]{64})", block)
        if name not in LICENCES:
            raise Problem(f"{name} of cmake/Dependencies.cmake has no entry in LICENCES of tools/release.py: add one")
        result.append((name, found[1], url, digest and digest[1]))
    return result


def bill_of_materials(version, commit, time):
    """CycloneDX 1.6: the project and what CMake downloads for it. The same commit gives the same text."""
    components = []
    for name, release, url, digest in dependencies():
        owner, repository = re.match(r"https://github\.com/([^/]+)/([^/.]+)", url).groups()
        licence, scope = LICENCES[name]
        component = {
            "type": "library",
            "bom-ref": name,
            "name": name,
            "version": release,
            "scope": scope,
            "licenses": [{"expression": licence}],
            "purl": f"pkg:github/{owner.lower()}/{repository.lower()}@{release}",
            "externalReferences": [{"type": "distribution", "url": url}],
        }
        if digest:
            component["hashes"] = [{"alg": "SHA-256", "content": digest}]
        components.append(component)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, f'tessera {version} {commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(time, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "library",
                "bom-ref": "tessera",
                "name": "tessera",
                "version": version,
                "licenses": [{"expression": "Apache-2.0"}],
            },
        },
        "components": components,
        "dependencies": [{"ref": "tessera", "dependsOn": [component["bom-ref"] for component in components]}],
    }


def make_sdist(archive, output):
    """Builds the sdist from the archive, so that files which git does not have are left out."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (sources,) = pathlib.Path(folder).iterdir()
        call = "import sys; from scikit_build_core import build; print(build.build_sdist(sys.argv[1]))"
        made = subprocess.run(
            [sys.executable, "-c", call, str(output)], cwd=sources, capture_output=True, text=True, check=False
        )
        if made.returncode != 0:
            raise Problem(f"no sdist was made; it needs the Python package scikit-build-core:\n{made.stderr[-2000:]}")


def make(version, output, dry_run):
    if version != project_version():
        raise Problem(f"the version is {version}; CMakeLists.txt has {project_version()}: change one of them")
    if differing := differing_copies(version):
        raise Problem("\n".join(differing))
    todo = unmet(version)
    if todo and not dry_run:
        raise Problem("not ready (--dry-run makes the files all the same):\n" + "\n".join(f"- {line}" for line in todo))
    for line in todo:
        print(f"release: to do before the release: {line}")

    output.mkdir(parents=True, exist_ok=True)
    section, notes = version, changelog_section(version)
    if notes is None:
        section, notes = "Unreleased", changelog_section("Unreleased")
    if notes is None:
        raise Problem(f"CHANGELOG.md has neither [{version}] nor [Unreleased]")
    (output / "notes.md").write_text(notes, encoding="utf-8")
    print(f"release: notes.md has the section [{section}] of CHANGELOG.md")

    commit, time = git("rev-parse", "HEAD"), int(git("log", "-1", "--format=%ct"))
    os.environ["SOURCE_DATE_EPOCH"] = str(time)
    archive = output / f"tessera-{version}.tar.gz"
    git("archive", "--format=tar.gz", f"--prefix=tessera-{version}/", f"--output={archive}", "HEAD")
    make_sdist(archive, output)
    (output / f"tessera-{version}.cdx.json").write_text(
        json.dumps(bill_of_materials(version, commit, time), indent=2) + "\n", encoding="utf-8"
    )


def sums(folder):
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}"
        for file in sorted(folder.iterdir())
        if file.name not in ("SHA256SUMS", "notes.md")
    ]
    (folder / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare versions, and print what differs")
    commands = parser.add_subparsers(dest="command")
    making = commands.add_parser("make", help="write the files of a release")
    making.add_argument("version")
    making.add_argument("--output", type=pathlib.Path, required=True)
    making.add_argument("--dry-run", action="store_true", help="also for a commit that cannot be released yet")
    summing = commands.add_parser("sums", help="write SHA256SUMS")
    summing.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        if arguments.check:
            bill_of_materials(project_version(), "", 0)  # each dependency has a licence
            if differing := differing_copies(project_version()):
                raise Problem("\n".join(differing))
        elif arguments.command == "make":
            make(arguments.version, arguments.output.resolve(), arguments.dry_run)
        elif arguments.command == "sums":
            sums(arguments.folder)
        else:
            parser.error("name a command or --check")
    except Problem as problem:
        sys.exit(f"release: {problem}")


if __name__ == "__main__":
    main()
