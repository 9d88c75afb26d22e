#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""gpu_summary.py BUILD JUNIT…: prints a table of what ctest ran on a GPU, as Markdown.

Each JUnit file is one run of ctest and becomes one row. Tests that failed or were skipped follow with the
reason that they printed.
"""

import collections
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def reason_of(case):
    """The line in which a test says why it did not run, without names and places of the test itself."""
    text = case.findtext("system-out") or ""
    found = re.search(r"(?:SKIPPED|Skipped)\W*(.+)", text)
    skipped = case.find("skipped")
    return found.group(1).strip() if found else skipped.get("message", "") if skipped is not None else ""


def outcome_of(case):
    status = case.get("status")
    if status == "run":
        return "passed"
    return "failed" if status == "fail" else "skipped"


def main():
    build, files = pathlib.Path(sys.argv[1]), sys.argv[2:]
    cache = (build / "CMakeCache.txt").read_text()
    architectures = re.search(r"^CMAKE_CUDA_ARCHITECTURES:\w+=(.*)$", cache, re.MULTILINE).group(1)
    device = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()[0]
    nvcc = re.search(r"release ([\d.]+)", output_of("nvcc", "--version")).group(1)
    commit = output_of("git", "rev-parse", "--short", "HEAD")
    print(f"{device}; CUDA {nvcc}; code for {architectures}; commit {commit}\n")

    notes = []
    print("| Run | Passed | Failed | Skipped |\n|---|--:|--:|--:|")
    for file in files:
        name = pathlib.Path(file).stem
        cases = list(xml.etree.ElementTree.parse(file).getroot().iter("testcase"))
        counts = collections.Counter(map(outcome_of, cases))
        print(f"| {name} | {counts['passed']} | {counts['failed']} | {counts['skipped']} |")
        notes += [f"- {name}, failed: {case.get('name')}" for case in cases if outcome_of(case) == "failed"]
        reasons = collections.Counter(reason_of(case) for case in cases if outcome_of(case) == "skipped")
        notes += [f"- {name}, skipped {count}: {reason or 'NO REASON PRINTED'}" for reason, count in reasons.items()]
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
