# SPDX-License-Identifier: Apache-2.0
"""docs/features.md names every promise once, and only tests and commands that exist."""
import pathlib
import re

import pytest

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
    assert [int(r[0]) for r in rows()] == list(range(1, 145))
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
