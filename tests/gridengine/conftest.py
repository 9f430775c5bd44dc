# SPDX-License-Identifier: Apache-2.0
"""One Grid Engine for all tests of a process: nine seconds to bring up. And one that is beaten."""
import concurrent.futures
import contextlib
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from gridengine_chaos_test import beat  # noqa: E402
from gridengine_cluster import GridEngine, Maui, missing  # noqa: E402


# A host registers with a new master 30 s after it did so last, and not sooner: tests that kill
# the master lie apart (again, beside). What is begun beside them is waited for at the end.
ORDER = ["again", "faults", "beside", "life", "chaos"]


def place(item):
    word = item.path.stem.split("_")[1]
    return ORDER.index(word) if word in ORDER else len(ORDER)


def pytest_collection_modifyitems(items):
    """Those of this folder, in their places among the others."""
    mine = [item for item in items if item.path.parent == pathlib.Path(__file__).parent]
    at = iter(sorted(mine, key=place))
    items[:] = [next(at) if item in mine else item for item in items]


@pytest.fixture(scope="session")
def cell():
    why = missing()
    if why:
        pytest.skip(why)
    cluster = GridEngine()
    yield cluster
    cluster.end()


@contextlib.contextmanager
def emptied(cell, build):
    """The cell without jobs, and a daemon on top that is not started yet."""
    cell.clear()
    cell.maui = Maui(build / "src" / "client" / "maui", cell)
    yield cell
    cell.maui.clean()
    cell.clear()


@pytest.fixture
def ge(cell, build):
    with emptied(cell, build):
        yield cell


def beat_another(build):
    cell = GridEngine()
    try:
        with emptied(cell, build):
            return beat(cell)
    finally:
        cell.end()


@pytest.fixture(scope="session", autouse=True)
def beaten(request):
    """The blows of gridengine_chaos_test.py, which wait most of the time: beside other tests.
    Of several processes, which all know all tests, only the one that runs that test begins them."""
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    wanted = any(item.path.stem == "gridengine_chaos_test" for item in request.session.items)
    with concurrent.futures.ThreadPoolExecutor(1) as aside:
        def begin():
            return aside.submit(beat_another, request.getfixturevalue("build"))
        begun = begin() if alone and wanted and not missing() else None
        yield lambda: (begun or begin()).result()
