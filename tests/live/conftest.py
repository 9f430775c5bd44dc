# SPDX-License-Identifier: Apache-2.0
"""A scheduler of its own for each test: the real daemon, the local resource manager,
real processes, in a folder that goes away with the test."""
import pytest

from live_daemon import Daemon
from live_users import LEVELS, Users, need_users


@pytest.fixture
def daemon(build):
    """A daemon not yet started: daemon.configure(...), daemon.start()."""
    d = Daemon(build / "src" / "client" / "maui")
    yield d
    d.clean()


@pytest.fixture
def live(daemon):
    """A daemon that runs, with four nodes of two processors."""
    return daemon.start()


@pytest.fixture
def site(daemon):
    """Four nodes of two processors; root, bin and daemon administrate, nobody and games
    do not."""
    daemon.configure(LEVELS)
    daemon.start()
    return daemon


@pytest.fixture
def users(site):
    return Users(site)


@pytest.fixture(scope="module")
def matrix(build):
    """A paused daemon with administrators of each level, and its users."""
    need_users()
    d = Daemon(build / "src" / "client" / "maui")
    d.configure(LEVELS)
    d.start("--paused")
    yield d, Users(d)
    d.clean()
