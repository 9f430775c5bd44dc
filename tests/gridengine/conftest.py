# SPDX-License-Identifier: Apache-2.0
"""One Grid Engine for all tests of a process: nine seconds to bring up."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from gridengine_cluster import GridEngine, Maui, missing  # noqa: E402


@pytest.fixture(scope="session")
def cell():
    why = missing()
    if why:
        pytest.skip(why)
    cluster = GridEngine()
    yield cluster
    cluster.end()


@pytest.fixture
def ge(cell, build):
    """The cell without jobs, and a daemon on top that is started by the test."""
    cell.clear()
    cell.maui = Maui(build / "src" / "client" / "maui", cell)
    yield cell
    cell.maui.clean()
    cell.clear()
