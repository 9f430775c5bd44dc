# SPDX-License-Identifier: Apache-2.0
"""Where chapters are tried: a folder with the commands in PATH and a daemon's home; on top of
a resource manager's testbed where the chapter is about one."""
import os
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS / name) for name in ("live", "pbs", "slurm", "gridengine")]
from guide_page import Chapter, run_in  # noqa: E402
from live_daemon import ME, MY_GROUP, Daemon  # noqa: E402

# There is no systemd in a test: what its commands would do.
SYSTEMCTL = """#!/bin/sh
case "$1 $2" in
"start maui"*) exec maui serve ;;
"restart maui"*) maui schedctl -k >/dev/null; exec maui serve ;;
"stop maui"*) exec maui schedctl -k >/dev/null ;;
"reload maui"*) exec maui schedctl -R >/dev/null ;;
"restart slurmctld") kill "$(cat "$SLURM_CONF.pid")" ;;
esac
echo "systemctl: $* is not known here" >&2; exit 1
"""


def commands():
    text = (ROOT / "src/client/commands.def").read_text()
    return re.findall(r"^COMMAND\(([a-z-]+), \w+, CLIENT,", text, re.M)


def make_path(build, folder):
    """A folder with `maui`, the classic names and `systemctl`."""
    bin = pathlib.Path(folder) / "bin"
    bin.mkdir()
    programs = build / "src" / "client"
    (bin / "maui").symlink_to(programs / "maui")
    (bin / "profiler").symlink_to(programs / "maui")
    for name in commands():
        (bin / name).symlink_to(programs / "maui-client")
    (bin / "systemctl").write_text(SYSTEMCTL)
    (bin / "systemctl").chmod(0o755)
    return bin


class Local:
    """A home and nothing below it: the chapter's own configuration and `maui serve`."""

    def __init__(self, build):
        self.daemon = Daemon(build / "src/client/maui")
        home = pathlib.Path(self.daemon.home)
        (home / "maui.cfg").unlink()
        os.chmod(home, 0o755)
        self.folder = home / "work"
        self.folder.mkdir()
        (self.folder / "examples").symlink_to(ROOT / "examples")
        self.env = dict(self.daemon.env, COLUMNS="200",
                        PATH=f"{make_path(build, home)}:{self.daemon.env['PATH']}:/usr/sbin:/sbin")

    def chapter(self, page):
        return Chapter(page, self.daemon.home, self.folder,
                       run_in([], self.env, self.folder), {"ann": ME, "staff": MY_GROUP})

    def end(self):
        self.daemon.clean()


SITES = {"Local": Local}
