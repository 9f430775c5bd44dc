# SPDX-License-Identifier: Apache-2.0
"""showq, checkjob, checknode and diagnose say the same on every resource manager: states,
users, order, reasons, holds, exit codes. The recorded ones always; LOCAL, Slurm and Grid
Engine with several users, by root."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import alike_sites  # noqa: E402
from alike_story import Story, common  # noqa: E402


@pytest.fixture(scope="module")
def pattern(build):
    """What is said with a server of the WIKI protocol, which has a record for everything."""
    site = alike_sites.Wiki(build)
    try:
        told = {title: common(title, text) for title, text in Story(site).told().items()}
        assert "Busy" in told["checknode NODE1"] and "Expected State" not in told["checknode NODE1"]
        yield told
    finally:
        site.end()


def open_site(build, kind):
    lacks = kind.lacks()
    if lacks:
        pytest.skip(lacks)
    return kind(build)


@pytest.mark.parametrize("kind", ["Native", "Local", "Slurm", "Ge"])
def test_the_same_is_said_on_every_resource_manager(build, pattern, kind):
    site = open_site(build, getattr(alike_sites, kind))
    try:
        story = Story(site)
        told = story.told()
        for title, text in told.items():
            assert common(title, text) == pattern[title], f"{site.name}: {title}\n{text}"
        measured = [line for line in told["checknode NODE1"].splitlines() if "Utilized" in line]
        assert measured and "[ALL]" not in measured[0]  # what is not measured is not told
        if "after" in site.can:
            check_what_waits_for_others(story)
    finally:
        site.end()


def check_what_waits_for_others(story):
    story.go_on()
    text = story.text("checkjob", story.ids["after"])
    assert "this job depends on job one and waits for it" in text, text
    assert "after USER1 requires completion of job 'one'" in story.text("showq", "-b")
    for task in ("array2", "array3"):
        waits = story.text("checkjob", story.ids[task])
        assert any(words in waits for words in (
            "waits for it", "may be on nodes at once",
            "as many tasks of its array run as its limit allows")), waits
        assert "State: Idle" in waits and "Holds:" not in waits, waits
