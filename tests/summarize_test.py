# SPDX-License-Identifier: Apache-2.0
"""The closing line of make check must not be able to lie."""
import pathlib
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "summarize.py"

GOOD = """<testsuites><testsuite name="unit" tests="2" failures="0" errors="0">
<testcase name="a"/><testcase name="b"/></testsuite></testsuites>"""
BAD = """<testsuites><testsuite name="unit" tests="2" failures="1" errors="0">
<testcase name="a"/><testcase name="b"><failure/></testcase></testsuite></testsuites>"""
SKIP = """<testsuites><testsuite name="unit" tests="1" failures="0" errors="0">
<testcase name="a"><skipped message="no data here"/></testcase></testsuite></testsuites>"""
CRASH = """<testsuites><testsuite name="unit" tests="1" failures="0" errors="1">
<testcase name="a"/></testsuite></testsuites>"""


def summarize(tmp_path, *args, **files):
    paths = []
    for name, text in files.items():
        path = tmp_path / f"{name}.xml"
        path.write_text(text)
        paths.append(str(path))
    done = subprocess.run(["/usr/bin/python3", str(SCRIPT), *args, *paths],
                          capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def test_passed_cases_are_counted(tmp_path):
    assert summarize(tmp_path, unit=GOOD) == (0, ["2 passed, 0 failed"])


def test_one_failed_case_fails_the_whole(tmp_path):
    code, lines = summarize(tmp_path, unit=BAD)
    assert code == 1
    assert lines == ["FAILED   unit: b", "1 passed, 1 failed"]


def test_nothing_run_is_a_failure(tmp_path):
    assert summarize(tmp_path) == (1, ["0 passed, 0 failed"])


def test_skipped_cases_are_shown_with_their_reason(tmp_path):
    code, lines = summarize(tmp_path, "--skip", "fuzz=no clang", skips=SKIP, good=GOOD)
    assert code == 0
    assert lines == ["skipped  unit: a: no data here", "skipped  fuzz: no clang",
                     "2 passed, 0 failed, 2 skipped"]


def test_a_program_that_crashes_outside_its_cases_is_a_failure(tmp_path):
    assert summarize(tmp_path, unit=CRASH)[0] == 1


def test_a_stage_that_fails_without_results_is_a_failure(tmp_path):
    code, lines = summarize(tmp_path, "--stage", "build=1", unit=GOOD)
    assert code == 1
    assert lines == ["FAILED   build: exit 1", "2 passed, 1 failed"]


def test_unreadable_results_are_a_failure(tmp_path):
    assert summarize(tmp_path, good=GOOD, torn=GOOD[:40])[0] == 1
