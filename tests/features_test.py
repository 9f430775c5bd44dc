# SPDX-License-Identifier: Apache-2.0
"""docs/features.md names every promise once, and only tests and commands that exist."""
import pathlib
import re

import pytest

pytestmark = pytest.mark.anybody

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "features.md"


def rows():
    """(number, promise, for whom, shown by) of each row of the tables."""
    found = []
    for line in PAGE.read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            assert len(cells) == 4, line
            found.append(cells)
    return found


def shown_by():
    """(number, words in `...` of the last column)."""
    return [(int(r[0]), word) for r in rows() for word in re.findall(r"`([^`]+)`", r[3])]


def test_every_promise_is_there_once():
    assert [int(r[0]) for r in rows()] == list(range(1, 176))
    for number, promise, who, shown in rows():
        assert promise and who in ("U", "A", "U, A"), number
        assert "`" in shown or shown.startswith("not yet: "), number


def named_tests():
    return [(n, w) for n, w in shown_by() if re.search(r"_test\.(py::|c: )", w)]


def missing(words):
    """Those of the tests `file::function` and `file: function` that are not there or not run."""
    for word in words:
        file, name = re.split(r"::|: ", word)
        path = ROOT / file if file.startswith("tests/") else ROOT / "tests" / "unit" / file
        text = path.read_text() if path.is_file() else ""
        begin = rf"^def {name}\(" if file.endswith(".py") else rf"^static void {name}\("
        run = file.endswith(".py") or len(re.findall(rf"\b{name}\b", text)) > 1
        if not re.search(begin, text, re.M) or not run:
            yield word


def test_every_test_named_exists():
    assert len(named_tests()) > 150
    assert not list(missing(word for _, word in named_tests()))


def test_every_test_that_shows_a_statement_exists():
    text = (ROOT / "docs" / "statements.md").read_text()
    named = re.findall(r"`([^`]+_test\.(?:py::|c: )[^`]+)`", text)
    assert len(named) > 50
    assert not list(missing(named))


GUIDE = ROOT / "docs" / "slurm.md"
# how every probe submits, and other names for an option that stands beside it
BESIDE = {"--parsable": "sbatch", "-b": "--begin", "-W": "--wait", "--oversubscribe": "-s",
          "--distribution": "-m", "--overcommit": "-O", "--extra-node-info": "-B",
          "--quiet": "-Q", "--clusters": "-M"}


def slurm_tests():
    """name: source, of probes and tests of tests/slurm."""
    found = {}
    for path in (ROOT / "tests" / "slurm").glob("*.py"):
        text = path.read_text()
        for part in re.split(r"^(?=def )", text, flags=re.M)[1:]:
            found[re.match(r"def (\w+)", part).group(1)] = part
    probes = (ROOT / "tests/slurm/twin_probes.py").read_text()
    found["what_could_never_run"] += probes[probes.index("IMPOSSIBLE = "):].split("\n\n")[0]
    return found


def guide_rows(begin, end):
    text = GUIDE.read_text()
    for line in text[text.index(begin):text.index(end)].splitlines():
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[-1] not in ("tested by", "---"):
            yield cells


def test_each_row_on_an_option_of_sbatch_names_what_tests_it():
    """By a test that is there and uses the option, or none."""
    known, rows_seen = slurm_tests(), 0
    for cells in guide_rows("## Options of sbatch", "## Through scontrol"):
        named = re.findall(r"`(\w+)`", cells[-1])
        rows_seen += 1
        if cells[-1] == "no":
            continue
        assert named and not set(named) - set(known), cells
        source = "".join(known[n] for n in named)
        for word in re.findall(r"`(--?\w[\w-]*)", cells[0]):
            assert word in source or BESIDE.get(word, word) in source, (word, cells)
    assert rows_seen > 45


def test_each_row_on_a_limit_names_what_tests_it():
    known = slurm_tests()
    for cells in guide_rows("| limit | who keeps it", "A device is counted by name"):
        for name in re.findall(r"`(\w+)`", cells[-1]):
            assert any(n in (name, f"test_{name}") or n.startswith(f"test_{name}_")
                       for n in known), cells
        assert "`" in cells[-1] or cells[-1] in ("no", "units"), cells


def words_of_commands():
    """(number, command) that the page writes as `command -x` or `maui command`."""
    for r in rows():
        for word in re.findall(r"`([^`]+)`", r[1] + r[3]):
            if re.search(r"_test\.|^[^a-z]", word):
                continue
            words = word.split()
            yield int(r[0]), words[1] if words[0] == "maui" else words[0]


def test_every_command_named_is_known(maui):
    known = set(re.findall(r"^  ([a-z]+) ", maui("--help").stdout, re.M))
    named = list(words_of_commands())
    assert len(named) > 20
    assert [w for w in named if w[1] not in known] == []


@pytest.mark.parametrize("page", ["README.md", "docs/testing.md"])
def test_the_page_is_linked(page):
    assert "features.md" in (ROOT / page).read_text()
