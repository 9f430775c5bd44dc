# SPDX-License-Identifier: Apache-2.0
"""Sum the JUnit files of meson and pytest into one closing line.

    summarize.py [--stage NAME=RC]... [--skip NAME=REASON]... FILE.xml...

A stage without a JUnit file of its name counts as one case; a stage that failed
although its file shows no failure counts as one failure. Prints every skipped case
with its reason, every failed one by name, then `N passed, N failed[, N skipped]`.
Exit 0 only when something passed and nothing failed.
"""
import argparse
import os
import sys
import xml.etree.ElementTree as ET


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def add_case(self, label, case):
        name = f"{label}: {case.get('name')}"
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            self.failed.append(name)
        elif skip is not None:
            reason = skip.get("message") or (skip.text or "").strip()
            self.skipped.append(f"{name}: {reason or 'no reason given'}")
        else:
            self.passed += 1


def add_suite(tally, stage, suite):
    """One <testsuite>: a meson test program, or all of pytest."""
    cases = suite.findall("testcase")
    label = suite.get("name", stage)
    if label == "pytest":
        label = stage
    before = len(tally.failed)
    for case in cases:
        where = case.get("classname", "").rsplit(".", 1)[-1]
        tally.add_case(where if stage == "end-to-end" and where else label, case)
    # A program that crashed after its last case, or printed no plan.
    lost = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    if lost > 0 and len(tally.failed) == before:
        tally.failed.append(f"{label}: ended badly outside its cases")
    if not cases and lost == 0:
        reason = (suite.findtext("system-out") or "").strip()
        tally.skipped.append(f"{label}: {reason or 'no cases'}")


def add_file(tally, path):
    stage = os.path.splitext(os.path.basename(path))[0]
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as problem:
        tally.failed.append(f"{stage}: unreadable results: {problem}")
        return
    for suite in root.iter("testsuite"):
        add_suite(tally, stage, suite)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", action="append", default=[])
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()

    tally = Tally()
    files = {os.path.splitext(os.path.basename(f))[0]: f for f in args.files}
    for stage in args.stage:
        name, rc = stage.rsplit("=", 1)
        failed_before = len(tally.failed)
        path = files.pop(name, None)
        if path is not None and os.path.exists(path):
            add_file(tally, path)
            if rc != "0" and len(tally.failed) == failed_before:
                tally.failed.append(f"{name}: exit {rc}")
        elif rc == "0":
            tally.passed += 1
        else:
            tally.failed.append(f"{name}: exit {rc}")
    for path in files.values():
        if os.path.exists(path):
            add_file(tally, path)
    tally.skipped += [skip.replace("=", ": ", 1) for skip in args.skip]

    for line in tally.skipped:
        print(f"skipped  {line}")
    for line in tally.failed:
        print(f"FAILED   {line}")
    closing = f"{tally.passed} passed, {len(tally.failed)} failed"
    if tally.skipped:
        closing += f", {len(tally.skipped)} skipped"
    print(closing)
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main())
