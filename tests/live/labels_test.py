# SPDX-License-Identifier: Apache-2.0
"""Features of nodes, asked for by some jobs or by none: see docs/architecture.md, "The
plan". Worked example B6 of the backfill rules, on nodes with features a, b, b, a."""
import re

import pytest

from commands_test import tasks

CONFIG = """
NODEALLOCATIONPOLICY FIRSTAVAILABLE
RESERVATIONDEPTH 1
RMPOLLINTERVAL 1
NODECFG[node01] FEATURES=a
NODECFG[node02] FEATURES=b
NODECFG[node03] FEATURES=b
NODECFG[node04] FEATURES=a
"""


@pytest.fixture
def labelled(daemon):
    """Three nodes are busy for 100 s; one job waits with a reservation, another without."""
    daemon.nodes = "4x1"
    daemon.configure(CONFIG)
    daemon.start()
    daemon.submit(requests=tasks(3), wclimit_s=100)
    daemon.wait(lambda: daemon.state("1") == "Running", "the first job")
    daemon.submit(requests=tasks(3), wclimit_s=100)
    daemon.wait(lambda: daemon.job("2").get("reservation_at"), "the reservation")
    daemon.submit(requests=tasks(4), wclimit_s=100)
    return daemon


def test_a_long_job_starts_beside_a_reservation_whatever_features_nodes_bear(labelled):
    start = labelled.job("2")["reservation_at"]
    labelled.submit(requests=tasks(1), wclimit_s=250)
    labelled.wait(lambda: labelled.state("4") == "Running", "the long job")
    assert labelled.job("2")["reservation_at"] == start


def test_so_it_does_when_a_waiting_job_asks_for_a_feature(labelled):
    labelled.ok("msub", "-l", "nodes=1,feature=a,walltime=1:00", "-h", stdin="sleep 1")
    labelled.submit(requests=tasks(1), wclimit_s=250)
    labelled.wait(lambda: labelled.state("5") == "Running", "the long job")
    assert labelled.job("2").get("reservation_at")


def test_a_question_about_a_feature_that_nobody_asked_for_changes_nothing(labelled):
    start = labelled.job("2")["reservation_at"]
    for feature in ("a", "b"):
        assert labelled.run("showbf", "-f", feature).returncode == 0
    free = labelled.ok("showbf", "-f", "a")
    assert re.search(r"1 proc", free), free
    assert "1 proc" not in labelled.run("showbf", "-f", "b").stdout
    assert labelled.job("2")["reservation_at"] == start
