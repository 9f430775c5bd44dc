# SPDX-License-Identifier: Apache-2.0
"""The closing line of make check must not be able to lie."""
import pathlib
import subprocess

import pytest

pytestmark = pytest.mark.anybody

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "summarize.py"

GOOD = """<testsuites><testsuite name="unit" tests="2" failures="0" errors="0">
<testcase name="a"/><testcase name="b"/></testsuite></testsuites>"""
BAD = """<testsuites><testsuite name="unit" tests="2" failures="1" errors="0">
<testcase name="a"/><testcase name="b"><failure/></testcase></testsuite></testsuites>"""
SKIP = """<testsuites><testsuite name="unit" tests="1" failures="0" errors="0">
<testcase name="a"><skipped message="no data here"/></testcase></testsuite></testsuites>"""
PROGRAM_SKIP = """<testsuites><testsuite name="maui" tests="1" failures="0" errors="0">
<testcase name="b"><skipped/><system-out>1..0 # SKIP no traces</system-out></testcase>
</testsuite></testsuites>"""
DIED = """<testsuites><testsuite name="maui.unit" tests="1" failures="0" errors="0">
<testcase name="1 - a"/><system-out>1..3
ok 1 - a</system-out></testsuite></testsuites>"""
LEAKED = """<testsuites><testsuite name="maui.unit" tests="1" failures="0" errors="0">
<testcase name="1 - a"/><system-out>1..1
ok 1 - a</system-out><system-err>
(test program exited with status code 1)</system-err></testsuite></testsuites>"""
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
    assert lines == ["skipped  unit: a: no data here", "skipped  fuzz: all: no clang",
                     "2 passed, 0 failed, 2 skipped"]


def test_what_is_skipped_for_one_reason_is_one_line_and_told_whole_in_a_file(tmp_path):
    def skipping(file, n):
        cases = "".join(f"""<testcase classname="tests.live.{file}" name="c{i}"><skipped
message="needs root"/></testcase>""" for i in range(n))
        return f"""<testsuite name="pytest" tests="{n}">{cases}</testsuite>"""
    whole = tmp_path / "skipped"
    suites = "".join(skipping(f"f{i}_test", i) for i in range(1, 7))
    code, lines = summarize(tmp_path, "--stage", "end-to-end=0", "--skipped-to", whole,
                            **{"end-to-end": f"<testsuites>{suites}</testsuites>", "good": GOOD})
    assert code == 0
    assert lines == ["skipped  21 cases: needs root: f6_test (6), f5_test (5), f4_test (4), "
                     "f3_test (3) and 2 more files", f"skipped  case by case: {whole}",
                     "2 passed, 0 failed, 21 skipped"]
    assert len(whole.read_text().splitlines()) == 21
    assert whole.read_text().startswith("f1_test: c0: needs root\n")


def test_a_program_that_crashes_outside_its_cases_is_a_failure(tmp_path):
    assert summarize(tmp_path, unit=CRASH)[0] == 1


def test_the_reason_of_a_program_that_skips_itself_is_shown(tmp_path):
    _, lines = summarize(tmp_path, unit=PROGRAM_SKIP)
    assert lines[0] == "skipped  unit: b: no traces"


def test_a_program_that_dies_before_its_last_case_is_a_failure(tmp_path):
    code, lines = summarize(tmp_path, unit=DIED)
    assert code == 1
    assert lines[0] == "FAILED   unit: died before its last 2 cases"


def test_a_program_that_fails_after_its_last_case_is_a_failure(tmp_path):
    code, lines = summarize(tmp_path, unit=LEAKED)
    assert code == 1
    assert lines[0] == "FAILED   unit: failed outside its cases"


def test_a_stage_that_fails_without_results_is_a_failure(tmp_path):
    code, lines = summarize(tmp_path, "--stage", "build=1", unit=GOOD)
    assert code == 1
    assert lines == ["FAILED   build: exit 1", "2 passed, 1 failed"]


def test_unreadable_results_are_a_failure(tmp_path):
    assert summarize(tmp_path, good=GOOD, torn=GOOD[:40])[0] == 1


LATE = """<testsuites><testsuite name="pytest" tests="2" failures="1" errors="0">
<testcase classname="tests.live.a_test" name="ok"/>
<testcase classname="tests.live.a_test" name="slow[x-1]"><failure
message="AssertionError: the end of all jobs has not come in 60 s&#10;story"/></testcase>
</testsuite></testsuites>"""
AGAIN = """<testsuites><testsuite name="pytest" tests="1" failures="0" errors="0">
<testcase classname="tests.live.a_test" name="slow[x-1]"/></testsuite></testsuites>"""
WRONG = LATE.replace("the end of all jobs has not come in 60 s", "assert 2 == 1")
BOTH = LATE.replace("</testsuite>", """<testcase classname="tests.live.a_test" name="w">
<failure message="assert 2 == 1"/></testcase></testsuite>""", 1)


def again(tmp_path, *texts):
    paths = [tmp_path / f"end-to-end{'-again-' * bool(n)}{n or ''}.xml" for n in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_text(text)
    return subprocess.run(["/usr/bin/python3", str(SCRIPT), "--worth-another-try", *paths],
                          capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_few_that_fail_are_worth_another_try(tmp_path):
    slow = "tests/live/a_test.py::slow[x-1]"
    assert again(tmp_path, LATE) == again(tmp_path, WRONG) == [slow]
    assert again(tmp_path, BOTH) == [slow, "tests/live/a_test.py::w"]
    assert again(tmp_path, GOOD) == []


def test_what_fails_again_is_not_tried_once_more(tmp_path):
    slow = "tests/live/a_test.py::slow[x-1]"
    assert again(tmp_path, BOTH, AGAIN) == again(tmp_path, BOTH, AGAIN, AGAIN) == [slow]
    assert again(tmp_path, BOTH, AGAIN, LATE) == again(tmp_path, BOTH, LATE, AGAIN) == []


# 8 of however few, one in fifty of many: with LATE's own, bad + 1 of good + bad + 2
@pytest.mark.parametrize("good, bad, tried", [
    (0, 7, True), (0, 8, False), (390, 7, True), (390, 8, False), (500, 9, True), (440, 9, False)])
def test_many_that_fail_are_no_accident(tmp_path, good, bad, tried):
    more = "".join(f'<testcase classname="tests.live.a_test" name="g{i}"/>' for i in range(good))
    more += "".join(f"""<testcase classname="tests.live.a_test" name="w{i}">
        <failure message="assert 2 == 1"/></testcase>""" for i in range(bad))
    names = again(tmp_path, LATE.replace("</testsuite>", more + "</testsuite>", 1))
    assert len(names) == (bad + 1 if tried else 0)


@pytest.mark.parametrize("text, word", [(LATE, "LATE    "), (WRONG, "UNSTABLE")])
def test_other_tries_are_told(tmp_path, text, word):
    code, lines = summarize(tmp_path, "--stage", "end-to-end=0", **{
        "end-to-end": text, "end-to-end-again-1": AGAIN, "end-to-end-again-2": AGAIN})
    assert code == 0
    assert lines == [f"{word} a_test: slow[x-1]: passed each time that it was tried again, alone",
                     "2 passed, 0 failed"]


@pytest.mark.parametrize("what", ["failure", "skipped"])
@pytest.mark.parametrize("order", [1, -1])
def test_another_try_that_fails_or_skips_is_the_one_that_counts(tmp_path, what, order):
    bad = AGAIN.replace("/></testsuite>", f"><{what}/></testcase></testsuite>")
    first, second = (bad, AGAIN)[::order]
    code, lines = summarize(tmp_path, "--stage", "end-to-end=1", **{
        "end-to-end": LATE, "end-to-end-again-1": first, "end-to-end-again-2": second})
    assert (code, lines) == (1, ["FAILED   a_test: slow[x-1]", "1 passed, 1 failed"])
