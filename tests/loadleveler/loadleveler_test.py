# SPDX-License-Identifier: Apache-2.0
"""examples/loadleveler in front of a LoadLeveler that is made up (fake.py). A real one has
never been seen."""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "live")]
from live_daemon import ME, Daemon  # noqa: E402

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "loadleveler"
VERBS = {"nodes": "CLUSTERQUERYURL", "jobs": "WORKLOADQUERYURL", "start": "JOBSTARTURL",
         "cancel": "JOBCANCELURL"}


class Site(Daemon):
    def __init__(self, build):
        super().__init__(build / "src" / "client" / "maui")
        self.path = f"{self.home}/ll.json"
        self.write({"machines": {"ll1": {"cpus": 1}, "ll2": {"cpus": 1}}, "steps": {}, "starts": []})
        script = shutil.copy(EXAMPLE / "loadleveler", f"{self.home}/loadleveler")
        lines = ["RMCFG[ll] TYPE=NATIVE POLLINTERVAL=1", f"ADMIN1 {ME}", "RESERVATIONPOLICY NEVER"]
        fake = shutil.copy(pathlib.Path(__file__).parent / "fake.py", f"{self.home}/fake.py")
        for name in ("llq", "llstatus", "llcancel", "ll_start"):
            os.symlink(fake, f"{self.home}/{name}")
        for verb, name in VERBS.items():
            program = pathlib.Path(f"{self.home}/{verb}")
            program.write_text(f"#!/bin/sh\nLL_FAKE={self.path} PATH={self.home}:$PATH "
                               f"exec {script} {verb} \"$@\"\n")
            program.chmod(0o755)
            lines.append(f"RMCFG[ll] {name}=exec://{program}")
        self.configure("\n".join(lines) + "\n")

    def write(self, o):
        with open(self.path + ".t", "w") as f:
            json.dump(o, f)
        os.rename(self.path + ".t", self.path)

    def change(self, step=None, **fields):
        with open(self.path + ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            o = {**self.read(), **fields}
            o["steps"].update(step or {})
            self.write(o)

    def read(self):
        with open(self.path) as f:
            return json.load(f)

    def begin(self):
        self.ok("serve", "-L", "5")
        self.wait(lambda: self.run("showq").returncode == 0, "an answer", 60)
        return self

    def submit(self, name, **fields):
        self.change({name: {
            "owner": "nobody", "class": "small", "st": "I", "queued": int(time.time()), "hosts": [],
            "nodes": 1, "limit": 600, "began": 0, "seconds": 1000, **fields}})
        return name

    def step(self, name):
        return self.read()["steps"][name]

    def until(self, name, *words):
        self.wait(lambda: self.step(name)["st"] in words, f"{words} of {name}", 60)


@pytest.fixture
def site(build):
    s = Site(build)
    yield s
    s.stop()
    s.end_processes()
    shutil.rmtree(s.home, ignore_errors=True)


def test_steps_start_where_they_are_put_and_end(site):
    site.begin()
    short = site.submit("head1.site.1.0", seconds=1)
    site.until(short, "R", "C")
    wide = site.submit("head1.site.2.0", nodes=2)
    site.until(wide, "R")
    assert sorted(site.step(wide)["hosts"]) == ["ll1", "ll2"]
    assert "nobody" in site.ok("checkjob", wide) and "00:10:00" in site.ok("checkjob", wide)
    waits = site.submit("head1.site.3.0")
    site.wait(lambda: site.state(waits) == "Idle", "the third", 60)
    site.ok("canceljob", wide)
    site.until(wide, "CA")
    site.until(waits, "R")
    assert site.read()["starts"] == [short, wide, waits]


def test_held_steps_wait_and_a_central_manager_away_stops_nothing(site):
    held = site.submit("head1.1.0", st="S")
    runs = site.submit("head1.2.0")
    site.begin()
    site.wait(lambda: site.state(runs) == "Running", "the run", 60)
    site.wait(lambda: site.state(held) == "Hold", "the hold", 60)
    site.change(broken="llq: 2512-301 cannot connect to the central manager")
    site.wait(lambda: "2512-301" in site.ok("diagnose", "-R"), "why", 60)
    assert site.state(runs) == "Running"
    site.change(broken="")
    later = site.submit("head1.3.0")
    site.until(later, "R")
    assert site.state(runs) == "Running"


def test_each_state_has_a_meaning(site):
    states = ("I D NQ H S HS P ST R E EP V VP X XP CP C CA RM RP NR TX").split()
    for i, word in enumerate(states):
        site.submit(f"h.{i}.0", st=word, hosts=["ll1"] if word in ("R", "E") else [],
                    began=int(time.time()))
    done = subprocess.run([f"{site.home}/jobs"], capture_output=True, text=True, check=True)
    lines = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert len(lines) == len(states)
    assert "STATE=Running" in lines[f"h.{states.index('R')}.0"]
    assert "STATE=SystemHold" in lines[f"h.{states.index('HS')}.0"]
    assert "TASKLIST=ll1" in lines[f"h.{states.index('E')}.0"]
    assert all("UNAME=nobody" in line and "WCLIMIT=600" in line for line in lines.values())


def test_the_helper_can_be_built(tmp_path):
    """Against a header that is made up as well."""
    (tmp_path / "llapi.h").write_text(
        "#define LL_PROC_VERSION 9\ntypedef struct { int cluster, proc; char *from_host; } LL_STEP_ID;\n"
        "typedef struct { int version_num; LL_STEP_ID StepId; char **nodeList; } LL_start_job_info;\n"
        "int ll_start_job(LL_start_job_info *);\n")
    (tmp_path / "ll.c").write_text(
        '#include <llapi.h>\n#include <stdio.h>\nint ll_start_job(LL_start_job_info *i)\n{\n'
        '    printf("%s %d %d", i->StepId.from_host, i->StepId.cluster, i->StepId.proc);\n'
        '    for (char **n = i->nodeList; *n; n++)\n        printf(" %s", *n);\n    return 0;\n}\n')
    subprocess.run(["cc", "-Wall", "-Werror", f"-I{tmp_path}", "-o", tmp_path / "ll_start",
                    EXAMPLE / "ll_start.c", tmp_path / "ll.c"], check=True)
    done = subprocess.run([tmp_path / "ll_start", "head1.site.17.2", "n1", "n1", "n2"],
                          capture_output=True, text=True, check=True)
    assert done.stdout == "head1.site 17 2 n1 n1 n2"
    assert subprocess.run([tmp_path / "ll_start", "17", "n1"]).returncode == 2
