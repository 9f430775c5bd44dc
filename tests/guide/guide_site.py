# SPDX-License-Identifier: Apache-2.0
"""Where chapters are tried: a folder with the commands in PATH and a daemon's home; on top of
a resource manager's testbed where the chapter is about one."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS / name) for name in ("live", "pbs", "slurm", "gridengine", "wiki", "loadleveler")]
from guide_page import Chapter, run_in  # noqa: E402
import server  # noqa: E402
from live_daemon import ME, MY_GROUP, Daemon  # noqa: E402

# There is no systemd in a test: what its commands would do.
SYSTEMCTL = """#!/bin/sh
case "$1 $2" in
"stop maui"*) exec maui schedctl -k >/dev/null ;;
"reload maui"*) exec maui schedctl -R >/dev/null ;;
"start maui"*) # one that was killed has its lock for a moment longer
    for i in $(seq 100); do ! maui serve >"$MAUIHOMEDIR/serve" 2>&1 || exit 0; sleep 0.1; done
    cat "$MAUIHOMEDIR/serve" ;;
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


class Pool(Local):
    """Programs of the site's own under /opt."""

    def chapter(self, page):
        chapter = super().chapter(page)
        opt = pathlib.Path(self.daemon.home, "opt")
        opt.mkdir(mode=0o755)
        chapter.known["/opt"] = str(opt)
        return chapter


class LoadLeveler(Pool):
    """A made-up one of two machines with a step that waits."""

    def __init__(self, build):
        super().__init__(build)
        import fake
        there = pathlib.Path(self.daemon.home, "loadleveler")
        there.mkdir()
        (there / "ll.json").write_text(json.dumps({
            "machines": {"ll1": {"cpus": 4}, "ll2": {"cpus": 4}}, "starts": [],
            "steps": {"ll1.7.0": {"owner": "nobody", "class": "small", "st": "I", "hosts": [], "nodes": 1,
                                  "queued": int(time.time()), "limit": 600, "began": 0,
                                  "seconds": 1000}}}))
        for name in ("llq", "llstatus", "llcancel", "ll_start"):
            (there / name).symlink_to(fake.__file__)
        self.env["LL_FAKE"] = str(there / "ll.json")
        self.env["PATH"] = f"{there}:{self.env['PATH']}"

    def chapter(self, page):
        chapter = super().chapter(page)
        chapter.known |= {"ann": "nobody", "staff": "staff"}
        beside = pathlib.Path(chapter.known["/opt"], "maui")
        beside.mkdir()
        (beside / "ll_start").symlink_to(pathlib.Path(self.daemon.home, "loadleveler", "ll_start"))
        return chapter


class Wiki(Local):
    """A server of ours that speaks the protocol."""

    def __init__(self, build):
        super().__init__(build)
        self.world = server.World(f"{self.daemon.home}/world", {"n1": 2, "n2": 2})
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.eport = free.getsockname()[1]

    def chapter(self, page):
        chapter = super().chapter(page)
        chapter.known |= {"head1": "127.0.0.1", "7321": str(self.world.port), "7322": str(self.eport),
                          "/dev/tcp/head2/7322": f"/dev/tcp/127.0.0.1/{self.eport}"}
        return chapter

    def end(self):
        super().end()
        self.world.kill()


class Slurm:
    """A real Slurm of three nodes that nothing of ours is in yet."""

    @staticmethod
    def lacks():
        import slurm_cluster
        missing = slurm_cluster.missing()
        if missing:
            return f"no Slurm here: {missing} is not installed"
        return None if os.geteuid() == 0 else "root administrates Slurm in this chapter"

    def __init__(self, build):
        import slurm_cluster
        self.cluster = slurm_cluster.SlurmCluster(
            build / "src/client/maui", nodes=3, cpus=2, gpus=0, gate=False, config="",
            partitions=["PartitionName=batch Nodes=n[1-3] Default=YES DefaultTime=60 "
                        "MaxTime=INFINITE State=UP"])
        self.daemon = self.cluster.maui
        pathlib.Path(self.daemon.home, "maui.cfg").unlink()
        self.cluster.up(scheduler=False)
        self.folder = f"{self.cluster.dir}/out"
        self.env = dict(self.daemon.env, PATH=f"{make_path(build, self.daemon.home)}:{self.daemon.env['PATH']}")

    def chapter(self, page):
        shell = run_in([], self.env, self.folder)

        def run(command):
            if command == "systemctl restart slurmctld":
                self.cluster.restart("slurmctld")
                return subprocess.CompletedProcess(command, 0, "")
            return shell(command)
        return Chapter(page, self.daemon.home, self.folder, run,
                       {"ann": ME, "staff": MY_GROUP, "/etc/slurm": f"{self.cluster.dir}/etc",
                        "slurmadmin": self.cluster.user})

    def end(self):
        self.cluster.down()


class Pbs:
    """A recorded OpenPBS, with a qmgr that knows hooks."""

    @staticmethod
    def lacks():
        return None

    def __init__(self, build):
        import install_test
        from recorded import Recorded
        self.daemon = Daemon(build / "src/client/maui")
        home = pathlib.Path(self.daemon.home)
        (home / "maui.cfg").unlink()
        self.folder = home / "work"
        self.folder.mkdir()
        server = Recorded(home / "pbs", nodes=3, cpus=2)
        state = home / "pbs" / "qmgr.json"
        state.write_text(json.dumps({"scheduling": "True", "hooks": {}, "lines": [], "refuses": ""}))
        (server.bin / "qmgr").unlink()
        (server.bin / "qmgr").write_text(install_test.QMGR.format(state=state))
        (server.bin / "qmgr").chmod(0o755)
        bin = make_path(build, home)
        self.env = dict(self.daemon.env, **server.environment())
        self.env["PATH"] = f"{bin}:{server.bin}:{self.daemon.env['PATH']}"

    def chapter(self, page):
        return Chapter(page, self.daemon.home, self.folder,
                       run_in([], self.env, self.folder),
                       {"ann": "alice", "staff": "physics", "pbsadmin": ME})

    def end(self):
        self.daemon.stop()
        shutil.rmtree(self.daemon.home, ignore_errors=True)


class GridEngine:
    """A real one of three hosts, without our verifier."""

    @staticmethod
    def lacks():
        import gridengine_cluster
        return gridengine_cluster.missing()

    def __init__(self, build):
        import gridengine_cluster
        self.cell = gridengine_cluster.GridEngine(hosts=3, slots=2, gate=None)
        self.daemon = gridengine_cluster.Maui(build / "src/client/maui", self.cell)
        home = pathlib.Path(self.daemon.home)
        (home / "maui.cfg").unlink()
        self.folder = home / "work"
        self.folder.mkdir()
        self.env = dict(self.daemon.env, PATH=f"{make_path(build, home)}:{self.daemon.env['PATH']}")

    def chapter(self, page):
        # PATH inside has Grid Engine's own commands in front
        words = [f"{self.cell.dir}/run", "sh", "-c",
                 f'cd {self.folder} && PATH={self.daemon.home}/bin:$PATH && exec "$@"', "inside"]
        inside = run_in(words, self.env, "/")
        user = run_in([f"{self.cell.dir}/as", "alice"], self.env, "/")  # root may not submit
        return Chapter(page, self.daemon.home, self.folder,
                       lambda command: (user if command.startswith("qsub ") else inside)(command),
                       {"ann": "alice", "staff": "alice",
                        "/var/lib/gridengine": f"{self.cell.dir}/root"})

    def end(self):
        self.daemon.clean()
        self.cell.end()


SITES = {"admin-slurm": Slurm, "admin-pbs": Pbs, "admin-gridengine": GridEngine,
         "native": Pool, "managers": Pool, "wiki": Wiki,
         "pbs": Pbs, "gridengine": GridEngine, "loadleveler": LoadLeveler}
