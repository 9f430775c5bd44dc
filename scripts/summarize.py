# SPDX-License-Identifier: Apache-2.0
"""Sum the JUnit files of meson and pytest into one closing line.

    summarize.py [--stage NAME=RC]... [--skip NAME=REASON]... [--skipped-to FILE] FILE.xml...
    summarize.py --worth-another-try FILE.xml [FILE-again-N.xml]...

A stage without a JUnit file of its name counts as one case; a stage that failed
although its file shows no failure counts as one failure. Prints each reason for which
cases were skipped (the cases themselves to FILE), every failed one by name, then
`N passed, N failed[, N skipped]`.
Exit 0 only when something passed and nothing failed.

With --worth-another-try: the failed cases of pytest, to be tried again; none if they are
many, and of several files (the tries so far) those that passed since. A case that passed in every file NAME-again-N counts as passed; it is printed as
UNSTABLE, or as LATE where it had waited too long.
"""
import argparse
import collections
import os
import re
import sys
import xml.etree.ElementTree as ET

# What meson appends to a program's stderr when the program itself ended badly.
BAD_END = re.compile(r"^\(test program exited with|^\(killed by signal", re.M)
# A test's wait that is over.
LATE = re.compile(r"has not come in [0-9.]+ s\b|^subprocess\.TimeoutExpired")
FEW = 8  # as many may be an accident of a busy machine,
SHARE = 50  # or one of so many cases
NAMED = 4  # files, in a line that tells what was skipped in many


class Tally:
    def __init__(self):
        self.passed = 0
        self.again = {}  # (classname, name): passed each time that it was tried again?
        self.unstable = []
        self.failed = []
        self.skipped = []  # (label, case, reason)

    def add_case(self, label, case):
        if is_bad(case) and self.again.get(case_key(case)):
            self.unstable.append(f"{'LATE    ' if is_late(case) else 'UNSTABLE'} {label}: "
                                 f"{case.get('name')}")
            self.passed += 1
        elif is_bad(case):
            self.failed.append(f"{label}: {case.get('name')}")
        elif case.find("skipped") is not None:
            self.skipped.append((label, case.get("name"), skip_reason(case)))
        else:
            self.passed += 1

    def print_skipped(self):
        """One line a reason, with the files in which most cases have it."""
        groups = {}
        for label, name, reason in self.skipped:
            groups.setdefault(reason, []).append((label, name))
        for reason, cases in groups.items():
            if len(cases) == 1:
                print(f"skipped  {cases[0][0]}: {cases[0][1]}: {reason}")
                continue
            files = collections.Counter(label for label, _ in cases).most_common()
            where = ", ".join(f"{label} ({n})" for label, n in files[:NAMED])
            if len(files) > NAMED:
                where += f" and {len(files) - NAMED} more files"
            print(f"skipped  {len(cases)} cases: {reason}: {where}")

    def write_skipped(self, path):
        """Each case with its reason, for those who want to know."""
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(f"{label}: {name}: {reason}\n" for label, name, reason in self.skipped)


def is_bad(case):
    return case.find("failure") is not None or case.find("error") is not None


def case_key(case):
    return case.get("classname", ""), case.get("name")


def is_late(case):
    failure = case.find("failure")
    return failure is not None and bool(LATE.search(failure.get("message") or ""))


def worth_another_try(path, tries):
    """Names for pytest of the failed cases of the file, unless they are many; of those, the
    ones that passed in each of the tries."""
    cases = list(ET.parse(path).getroot().iter("testcase"))
    bad = [case_key(c) for c in cases if is_bad(c)]
    if len(bad) > max(FEW, len(cases) // SHARE):
        return []
    for again in tries:
        good = {case_key(c) for c in ET.parse(again).getroot().iter("testcase") if not is_bad(c)}
        bad = [key for key in bad if key in good]
    return [classname.replace(".", "/") + ".py::" + name for classname, name in bad]


def skip_reason(case):
    said = case.find("skipped").get("message")
    tap = re.search(r"# SKIP\s+(.+)", case.findtext("system-out") or "")
    return said or (tap and tap[1]) or "no reason given"


def add_suite(tally, stage, suite):
    """One <testsuite>: a program run by meson, or all of pytest."""
    cases = suite.findall("testcase")
    label = suite.get("name", stage)
    label = stage if label in ("pytest", "maui") else label.removeprefix("maui.")
    before = len(tally.failed)
    for case in cases:
        where = case.get("classname", "").rsplit(".", 1)[-1]
        tally.add_case(where if stage == "end-to-end" and where else label, case)

    plan = re.search(r"^1\.\.(\d+)", suite.findtext("system-out") or "", re.M)
    lost = int(plan[1]) - len(cases) if plan else 0
    errors = int(suite.get("failures", 0)) + int(suite.get("errors", 0)) \
        - sum(is_bad(c) and bool(tally.again.get(case_key(c))) for c in cases)
    ended_badly = BAD_END.search(suite.findtext("system-err") or "")
    if lost > 0:
        tally.failed.append(f"{label}: died before its last {lost} cases")
    elif (errors or ended_badly) and len(tally.failed) == before:
        tally.failed.append(f"{label}: failed outside its cases")


def add_file(tally, path):
    stage = os.path.splitext(os.path.basename(path))[0]
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as problem:
        tally.failed.append(f"{stage}: unreadable results: {problem}")
        return
    for suite in root.iter("testsuite"):
        add_suite(tally, stage, suite)


def add_stage(tally, name, code, path):
    failed_before = len(tally.failed)
    if path is not None:
        add_file(tally, path)
        if code != "0" and len(tally.failed) == failed_before:
            tally.failed.append(f"{name}: exit {code}")
    elif code == "0":
        tally.passed += 1
    else:
        tally.failed.append(f"{name}: exit {code}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", action="append", default=[])
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--skipped-to")
    parser.add_argument("--worth-another-try")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.worth_another_try:
        names = worth_another_try(args.worth_another_try, args.files)
        print("".join(n + "\n" for n in names), end="")
        return 0

    tally = Tally()
    files = {os.path.splitext(os.path.basename(f))[0]: f for f in args.files
             if os.path.exists(f)}
    for name in [n for n in files if re.search(r"-again-\d+$", n)]:
        for case in ET.parse(files.pop(name)).getroot().iter("testcase"):
            good = not is_bad(case) and case.find("skipped") is None
            tally.again[case_key(case)] = good and tally.again.get(case_key(case), True)
    for stage in args.stage:
        name, code = stage.rsplit("=", 1)
        add_stage(tally, name, code, files.pop(name, None))
    for path in files.values():
        add_file(tally, path)
    for skip in args.skip:
        name, reason = skip.split("=", 1)
        tally.skipped.append((name, "all", reason))

    tally.print_skipped()
    if args.skipped_to and tally.skipped:
        tally.write_skipped(args.skipped_to)
        print(f"skipped  case by case: {args.skipped_to}")
    for line in tally.unstable:
        print(f"{line}: passed each time that it was tried again, alone")
    for line in tally.failed:
        print(f"FAILED   {line}")
    closing = f"{tally.passed} passed, {len(tally.failed)} failed"
    if tally.skipped:
        closing += f", {len(tally.skipped)} skipped"
    print(closing)
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main())
