# SPDX-License-Identifier: Apache-2.0
"""What an adapter tells while an order of ours is on its way. The adapter is the test: it
says what it is told to, line by line."""
import json
import os
import pathlib
import shutil

import pytest

from live_daemon import ME, Daemon

ADAPTER = '''#!/usr/bin/python3
import os, sys, threading, time
said = 0
def say():
    global said
    while True:
        path = f"{HOME}/say/{said}"
        if os.path.exists(path):
            os.write(0, open(path, "rb").read())  # a socket both ways
            said += 1
        else:
            time.sleep(0.02)
threading.Thread(target=say, daemon=True).start()
for line in sys.stdin:
    with open(f"{HOME}/heard", "a") as f:
        f.write(line)
'''


class Told(Daemon):
    """The scheduler with such an adapter in the place of Slurm's."""

    def __init__(self, program):
        super().__init__(program, config=f"RMCFG[x] TYPE=SLURM\nADMIN1 {ME}\n"
                                         "DEFERTIME 0\nRMPOLLINTERVAL 1\n")
        folder = pathlib.Path(self.home, "bin")
        folder.mkdir()
        for name in ("maui", "maui-client", "maui-serve"):
            shutil.copy(pathlib.Path(program).parent / name, folder)
        adapter = folder / "maui-slurm"
        adapter.write_text(ADAPTER.replace("{HOME}", self.home))
        adapter.chmod(0o755)
        os.mkdir(f"{self.home}/say")
        self.program, self.said = str(folder / "maui"), 0
        self.say({"node": {"name": "n1", "state": "Idle", "configured": {"procs": 2}}})

    def say(self, *lines):
        """In one breath."""
        path = f"{self.home}/say/{self.said}"
        with open(f"{path}.new", "w") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines)
        os.rename(f"{path}.new", path)
        self.said += 1

    def tell_job(self, limit, **more):
        self.say({"job": {"id": "7", "user": ME, "submit_at": 1000000000, "wclimit_s": limit,
                          "admitted": True, "requests": [{}], **more}})

    def ordered(self, action):
        """The last such command, when there is one; a line may be half written yet."""
        path = pathlib.Path(self.home, "heard")
        if not path.exists():
            return None
        found = [c for line in path.read_text().split("\n")[:-1]
                 if (c := json.loads(line).get("command", {})).get("action") == action]
        return found[-1] if found else None

    def start(self):
        done = self.run("serve", "-L", "5")
        assert done.returncode == 0, done.stderr
        self.say({"synced": True})
        self.wait(lambda: self.run("showq").returncode == 0, "an answer")
        return self


@pytest.fixture
def told(build):
    d = Told(build / "src" / "client" / "maui")
    yield d
    d.clean()


def test_what_is_changed_while_a_start_is_on_its_way_is_known_when_that_fails(told):
    told.tell_job(3600)
    told.start()
    order = told.wait(lambda: told.ordered("start"), "the start")
    told.tell_job(420, changed=True)
    told.tell_job(420, name="other")  # and something else of it, unchanged since
    told.say({"done": {"token": order["token"], "outcome": "waits", "job": "7",
                       "text": "it was changed at that moment"}})
    told.wait(lambda: told.job("7")["wclimit_s"] == 420, "its new limit")
    assert told.job("7")["name"] == "other"
    again = told.wait(lambda: told.ordered("start")["token"] != order["token"]
                      and told.ordered("start"), "another start", 30)
    assert again["wclimit_s"] == 420


def test_what_was_changed_does_not_matter_to_a_start_that_goes_well(told):
    told.tell_job(3600)
    told.start()
    order = told.wait(lambda: told.ordered("start"), "the start")
    told.tell_job(420, changed=True)
    told.tell_job(420, state="running", on=order["places"], started_at=1000000001)
    told.say({"done": {"token": order["token"], "outcome": "ok", "job": "7"}})
    told.wait(lambda: told.state("7") == "Running", "its start")
    assert told.ordered("start")["token"] == order["token"]


def test_the_limit_of_a_running_job_is_followed_when_it_changes(told):
    told.tell_job(3600)
    told.start()
    order = told.wait(lambda: told.ordered("start"), "the start")
    ran = {"state": "running", "on": order["places"], "started_at": 1000000001}
    told.tell_job(1800, **ran)  # as it was started
    told.say({"done": {"token": order["token"], "outcome": "ok", "job": "7"}})
    told.wait(lambda: told.state("7") == "Running", "its start")
    assert told.job("7")["wclimit_s"] == 3600
    told.tell_job(7200, **ran)
    told.wait(lambda: told.job("7")["wclimit_s"] == 7200, "its new limit")
