# SPDX-License-Identifier: Apache-2.0
"""examples/native/engine in front of a made-up container engine that takes docker's words; as
podman says it, where its name is n2."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from live_daemon import ME, Daemon

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "native" / "engine"
VERBS = {"nodes": "CLUSTERQUERYURL", "jobs": "WORKLOADQUERYURL", "start": "JOBSTARTURL",
         "cancel": "JOBCANCELURL", "suspend": "JOBSUSPENDURL", "resume": "JOBRESUMEURL"}
ENGINE = '''#!{python}
import json, os, sys, time
_, node, word, *rest = sys.argv
folder = f"{folder}/{{node}}"
os.makedirs(folder, exist_ok=True)
def read(name):
    try:
        c = json.load(open(f"{{folder}}/{{name}}"))
    except OSError:
        sys.exit(f"Error: No such container: {{name}}")
    if c["status"] == "running" and c["began"] + c["seconds"] <= time.time():
        c.update(status="exited", ended=c["began"] + c["seconds"])
    return c
def write(name, c):
    json.dump(c, open(f"{{folder}}/.{{name}}", "w"))
    os.rename(f"{{folder}}/.{{name}}", f"{{folder}}/{{name}}")
def stamp(at):
    east, zone = (19800, "+05:30") if node == "n2" else (0, "Z")
    return json.dumps(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at + east)) + ".123456789" + zone)
if word == "ps":
    assert rest == ["-aq", "--filter", "label=maui.user"], rest
    print("\\n".join(n for n in sorted(os.listdir(folder)) if n[0] != "."))
elif word == "create":
    name, labels = rest[0], dict(pair.split("=", 1) for pair in rest[2:])
    write(name, dict(status="created", made=time.time(), began=0, ended=0, code=0, labels=labels,
                     seconds=float(rest[1])))
elif word == "inspect":
    for name in rest[2:]:
        c = read(name)
        labels = "".join(f" {{k}}={{json.dumps(v)}}" for k, v in c["labels"].items())
        print(c["status"] if rest[1] == "{{{{.State.Status}}}}" else
              f"/{{name}} {{c['status']}} {{c['code']}} {{stamp(c['made'])}} {{stamp(c['began'])}} "
              f"{{stamp(c['ended'])}}{{labels}}")
elif word == "rm":
    os.unlink(f"{{folder}}/{{rest[0]}}")
else:
    c = read(rest[0])
    c.update({{"start": dict(status="running", began=time.time()), "pause": dict(status="paused"),
              "unpause": dict(status="running"),
              "kill": dict(status="exited", ended=time.time(), code=137)}}[word])
    open(f"{folder}/words", "a").write(f"{{word}} {{node}}.{{rest[0]}}\\n")
    write(rest[0], c)
'''


class Engines(Daemon):
    def __init__(self, build):
        super().__init__(build / "src" / "client" / "maui")
        os.chmod(self.home, 0o755)
        self.engine = pathlib.Path(f"{self.home}/engine-stand-in")
        self.engine.write_text(ENGINE.format(python=sys.executable, folder=self.home))
        self.engine.chmod(0o755)
        self.example = shutil.copy(EXAMPLE, f"{self.home}/engine")
        pathlib.Path(f"{self.home}/pool").write_text(
            "".join(f"{node} 2 4096 {self.engine} {node}\n" for node in ("n1", "n2")))
        lines = ["RMCFG[pool] TYPE=NATIVE POLLINTERVAL=1", f"ADMIN1 {ME}"]
        for verb, name in VERBS.items():
            os.symlink("engine", f"{self.home}/{verb}")
            lines.append(f"RMCFG[pool] {name}=exec://{self.home}/{verb}")
        self.configure("\n".join(lines) + "\n")
        self.ok("serve")

    def create(self, node, name, seconds, user=ME, **labels):
        subprocess.run([self.engine, node, "create", name, str(seconds), f"maui.user={user}",
                        *(f"maui.{k}={v}" for k, v in labels.items())], check=True)
        return f"{node}.{name}"

    def job(self, job):
        """Those that have ended too."""
        done = self.run("checkjob", job, "--format", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def until(self, job, state):
        self.wait(lambda: (self.job(job) or {}).get("state") == state, f"{state} of {job}", 60)

    def words(self):
        path = pathlib.Path(f"{self.home}/words")
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def engines(build):
    d = Engines(build)
    yield d
    d.clean()


def test_containers_wait_for_room_run_once_and_end(engines):
    long = engines.create("n1", "long", 1000, procs=2, limit=1200)
    engines.until(long, "Running")
    engines.ok("mjobctl", "-s", long)
    engines.until(long, "Suspended")
    engines.ok("mjobctl", "-r", long)
    engines.until(long, "Running")
    behind = engines.create("n1", "behind", 1, procs=1, limit=60)
    there = engines.create("n2", "there", 1, procs=2, limit=60)
    engines.create("n2", "odd", 1, user="no body")  # whose label is none is nobody's job
    engines.until(there, "Completed")
    assert [engines.job(job)["state"] for job in (behind, long)] == ["Idle", "Running"]
    job = engines.job(long)
    assert (job["user"], job["wclimit_s"]) == (ME, 1200)
    assert [a["node"] for a in job["allocation"]] == ["n1"]
    engines.kill()
    engines.ok("serve")
    engines.until(long, "Running")
    waits = engines.create("n1", "waits", 1, procs=2)
    engines.until(waits, "Idle")
    engines.ok("canceljob", waits)
    engines.ok("canceljob", long)
    engines.until(behind, "Completed")
    assert sorted(w for w in engines.words() if w.startswith("start")) == [
        "start n1.behind", "start n1.long", "start n2.there"]
    assert not os.path.exists(f"{engines.home}/n1/waits")


def test_what_was_started_is_not_started_again(engines):
    job = engines.create("n1", "once", 0.1)
    engines.until(job, "Completed")
    done = subprocess.run([f"{engines.home}/start", job, "n1"], capture_output=True, text=True)
    assert done.returncode != 0 and "has been started already" in done.stderr
    assert engines.words() == ["start n1.once"]
    done = subprocess.run([f"{engines.home}/jobs"], capture_output=True, text=True, check=True)
    assert json.dumps("STATE=Completed") in json.dumps(done.stdout.split())
