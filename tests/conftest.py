# SPDX-License-Identifier: Apache-2.0
"""What the tests of the whole program share: where it is, how it is called."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.pop("MAUIHOMEDIR", None)  # of whoever runs the tests


def pytest_configure(config):
    config.addinivalue_line("markers", "long(like): left to make check-long; `like` is a test "
                            "of make check that shows the same behaviour")
    config.addinivalue_line("markers", "anybody: comes out the same whoever runs it, so that "
                            "scripts/check-ordinary leaves it to make check")


def pytest_itemcollected(item):
    """What a browser draws of the scheduler's answers is the same for all; the way in is not."""
    if "browser" in item.fixturenames and item.path.name != "page_way_in_test.py":
        item.add_marker("anybody")


def pytest_collection_modifyitems(items):
    """Files that take minutes come first, so that none of them is alone at the end. Those
    that need a browser are spread over the whole run: a few browsers at once are enough."""
    items.sort(key=lambda item: "slurm" not in item.path.parts)
    place = {}
    for browser in (True, False):
        files = list(dict.fromkeys(
            item.path for item in items if ("web" in item.path.parts) == browser))
        place |= {path: (n + 0.5) / len(files) for n, path in enumerate(files)}
    items.sort(key=lambda item: place[item.path])


@pytest.fixture(scope="session")
def build():
    """The build folder under test: $MAUI_BUILD, or build/release; build/slurm where
    $MAUI_SLURM names another Slurm."""
    usual = "slurm" if os.environ.get("MAUI_SLURM") else "release"
    folder = pathlib.Path(os.environ.get("MAUI_BUILD", ROOT / "build" / usual))
    assert (folder / "build.ninja").is_file(), f"{folder}: not built; run make"
    return folder


@pytest.fixture(scope="session")
def maui(build):
    """Run `maui ARGS...`; returns the finished process, output as text."""
    program = build / "src" / "client" / "maui"

    def run(*args, check=True, **options):
        done = subprocess.run(
            [str(program), *map(str, args)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, **options,
        )
        if check:
            assert done.returncode == 0, f"maui {args}: {done.stderr}{done.stdout}"
        return done

    return run


@pytest.fixture(scope="session")
def shared():
    """Reference traces and schedules, kept outside the repository for their size:
    $MAUI_SHARED, or the folder `shared` beside the checkout."""
    folder = pathlib.Path(os.environ.get("MAUI_SHARED", ROOT.parent / "shared"))
    if not (folder / "golden").is_dir():
        pytest.skip(f"no golden schedules in {folder} (set MAUI_SHARED)")
    return folder
