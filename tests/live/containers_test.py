# SPDX-License-Identifier: Apache-2.0
"""examples/native/containers in front of a made-up container engine: a program that takes the
words of docker, and keeps what it is told in files. No real engine is needed; what podman says
otherwise (instants in the engine's zone, what it does before an error) node n2 says."""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import time

import pytest

from live_daemon import ME, Daemon

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "native" / "containers"
VERBS = {"nodes": "CLUSTERQUERYURL", "jobs": "WORKLOADQUERYURL", "start": "JOBSTARTURL",
         "cancel": "JOBCANCELURL", "suspend": "JOBSUSPENDURL", "resume": "JOBRESUMEURL"}
USER = "nobody" if os.geteuid() == 0 else ME
ENGINE = '''#!{python}
import json, os, sys, time
_, option, node, word, *rest = sys.argv
assert option == "--context", option
folder = f"{{os.environ['ENGINE_STATE']}}/{{node}}"
os.makedirs(folder, exist_ok=True)
def path(name): return f"{{folder}}/{{name}}"
def read(name):
    try:
        c = json.load(open(path(name)))
    except OSError:
        sys.exit(f"Error: No such container: {{name}}")
    if c["status"] == "running" and c["ends"] <= time.time():
        c.update(status="exited", code=c["argv"].count("fail") * 3, ended=c["ends"])
    return c
def write(name, c):
    json.dump(c, open(path("." + name), "w"))
    os.rename(path("." + name), path(name))
def stamp(at):
    east, zone = (19800, "+05:30") if node == "n2" else (0, "Z")
    return '"' + time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at + east)) + '.123456789' + zone + '"'
if word == "ps":
    assert rest == ["-aq", "--filter", "label=maui"], rest
    print("\\n".join(n for n in os.listdir(folder) if n[0] != "." and "--label" in read(n)["words"]))
elif word == "inspect":
    if os.path.exists(folder + "/.goes"):  # a container that is there no more when it is asked for
        os.unlink(folder + "/.goes")
        sys.exit("Error: no such container")
    assert rest[1].count("{{{{json ") == 2, rest
    for name in rest[2:]:
        c = read(name)
        print("/" + name, c["status"], stamp(c["began"]), stamp(c["ended"]), c["code"])
elif word == "run":
    name, image = rest[rest.index("--name") + 1], rest[rest.index("--memory") + 2]
    while image == "slow" and not os.path.exists(os.environ["ENGINE_STATE"] + "/pulled"):
        time.sleep(0.02)
    if image == "none":
        sys.exit("Trying to pull none...\\nError: unable to find image 'none'\\nSee 'engine run --help'.")
    if os.path.exists(path(name)):
        sys.exit("Conflict. The container name is in use")
    argv = rest[rest.index(image) + 1:]
    write(name, {{"status": "running", "began": time.time(), "ends": time.time() + float(argv[0]),
                 "ended": 0, "code": 0, "argv": argv, "words": rest}})
    open(os.environ["ENGINE_STATE"] + "/runs", "a").write(name + "\\n")
elif word == "rm":
    if "-f" not in rest:
        read(rest[-1])
    if os.path.exists(path(rest[-1])):
        os.unlink(path(rest[-1]))
else:
    c = read(rest[0])
    wanted = {{"kill": "exited", "pause": "paused", "unpause": "running"}}[word]
    if c["status"] == "exited":
        sys.exit("it is not running")
    c.update(status=wanted, code=137, ended=time.time()) if word == "kill" else c.update(status=wanted)
    write(rest[0], c)
'''


class Pool(Daemon):
    def __init__(self, build):
        super().__init__(build / "src" / "client" / "maui")
        os.chmod(self.home, 0o755)
        self.pool, self.engines = f"{self.home}/pool", f"{self.home}/engines"
        for folder in (self.pool, f"{self.pool}/spool", f"{self.pool}/runs", self.engines):
            os.mkdir(folder)
        pathlib.Path(f"{self.pool}/nodes").write_text("n1 2 4096\nn2 2 4096\n")
        engine = pathlib.Path(f"{self.home}/engine")
        engine.write_text(ENGINE.format(python=sys.executable))
        engine.chmod(0o755)
        script = shutil.copy(EXAMPLE, f"{self.home}/containers")
        lines = ["RMCFG[pool] TYPE=NATIVE POLLINTERVAL=1", f"ADMIN1 {ME}", "RESERVATIONPOLICY NEVER"]
        for verb, name in VERBS.items():
            program = pathlib.Path(f"{self.home}/{verb}")
            program.write_text(f"#!/bin/sh\nexport ENGINE={engine} ENGINE_STATE={self.engines}\n"
                               f"exec {sys.executable} {script} {verb} {self.pool} \"$@\"\n")
            program.chmod(0o755)
            lines.append(f"RMCFG[pool] {name}=exec://{program}")
        self.configure("\n".join(lines) + "\n")

    def begin(self):
        self.ok("serve", "-L", "5")
        self.wait(lambda: self.run("showq").returncode == 0, "an answer", 60)

    def submit(self, name, *argv, procs=1, image="debian"):
        path = f"{self.pool}/spool/{name}.json"
        with open(f"{self.pool}/{name}", "w") as f:
            json.dump({"image": image, "argv": argv, "procs": procs, "mb": 100, "limit": 600}, f)
        if os.geteuid() == 0:
            os.chown(f"{self.pool}/{name}", pwd.getpwnam(USER).pw_uid, -1)
        os.rename(f"{self.pool}/{name}", path)
        return name

    def job(self, job):
        found = super().job(job)
        if found:
            return found
        done = self.run("checkjob", job, "--format", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def until(self, job, state):
        self.wait(lambda: self.state(job) == state, f"{state} of {job}", 60)

    def runs(self):
        path = pathlib.Path(f"{self.engines}/runs")
        names = path.read_text().split() if path.exists() else []
        assert all(name.startswith("maui-") for name in names), names
        return [name[len("maui-"):] for name in names]

    def call(self, verb, *words):
        """A call of the example, as the daemon calls it."""
        return subprocess.run([f"{self.home}/{verb}", *words], capture_output=True, text=True,
                              timeout=60, check=False)


@pytest.fixture
def pool(build):
    d = Pool(build)
    yield d
    d.clean()


def test_containers_start_where_there_is_room_and_end(pool):
    pool.begin()
    jobs = [pool.submit("fine", "1"), pool.submit("fails", "1", "fail"), pool.submit("long", "1000")]
    pool.until("fine", "Completed")
    pool.until("fails", "Completed")
    assert (pool.job("fine")["exit_status"], pool.job("fails")["exit_status"]) == (0, 3)
    assert pool.job("fine")["user"] == USER
    for job in ("fine", "fails"):  # on either node
        assert abs(time.time() - pool.job(job)["start_at"]) < 600
    pool.until("long", "Running")
    os.unlink(f"{pool.pool}/spool/long.json")  # it runs on, whatever its user does with that
    words = json.loads(next(pathlib.Path(pool.engines).glob("n*/maui-long")).read_text())["words"]
    who = pwd.getpwnam(USER)
    assert words[words.index("--user") + 1] == f"{who.pw_uid}:{who.pw_gid}"
    goes = next(pathlib.Path(pool.engines).glob("n*/maui-long")).with_name(".goes")
    goes.touch()  # one look asks twice, and nobody is told
    pool.wait(lambda: not goes.exists(), "the next look", 60)
    pool.ok("mjobctl", "-s", "long")
    pool.until("long", "Suspended")
    pool.ok("mjobctl", "-r", "long")
    pool.until("long", "Running")
    big = pool.submit("big", "1", procs=2), pool.submit("big2", "1", procs=2)
    for job in big:
        pool.wait(lambda job=job: job in pool.runs() or pool.state("long") == "Removed", job, 60)
        if job == "big":
            pool.ok("canceljob", "long")
    pool.until("big2", "Completed")
    assert sorted(pool.runs()) == sorted([*jobs, *big])
    assert "no such container" not in pool.log()


def test_an_image_that_is_not_there_is_said(pool):
    sites = [pathlib.Path(f"{pool.engines}/{node}/registry") for node in ("n1", "n2")]
    for site in sites:  # a container of the site's, of the name that a user gives a job
        site.parent.mkdir()
        site.write_text('{"status": "running", "ends": 1e11, "words": []}')
    pool.begin()
    job = pool.submit("registry", "1", image="none")
    pool.wait(lambda: "Error: unable to find image" in pool.run("checkjob", job).stdout, "why", 60)
    pool.wait(lambda: not os.path.exists(f"{pool.pool}/runs/{job}"), "the end of the start", 60)
    assert all(site.exists() for site in sites)


def test_what_is_odd_in_the_spool_is_nobodys_job(pool):
    spool = pathlib.Path(f"{pool.pool}/spool")
    for name, text in (("a", "[]"), ("b", "{"), ("c", '{"image": "-v"}'), ("d", "[" * 60000),
                       ("g", '{"image": "i", "argv": [], "procs": 1e999, "mb": 1, "limit": 1}'),
                       ("\u00b2", '{"image": "i", "argv": [], "procs": 1, "mb": 1, "limit": 1}')):
        (spool / f"{name}.json").write_text(text)
    os.mkfifo(spool / "e.json")
    os.symlink("/etc/passwd", spool / "f.json")
    pool.begin()
    pool.until(pool.submit("fine", "1"), "Completed")
    assert len(pool.lines("showq")) <= 2 and pool.runs() == ["fine"]


def test_what_is_started_is_what_was_listed(pool):
    """A user makes it larger between the look and the start."""
    job = pool.submit("one", "1000")
    assert "DPROCS=1 " in pool.call("jobs").stdout
    pool.submit("one", "1000", procs=2)
    assert pool.call("start", job, "n1").returncode == 75
    assert "DPROCS=2 " in pool.call("jobs").stdout
    assert pool.call("start", job, "n1").returncode == 75  # by the look of before, perhaps
    assert "DPROCS=2 " in pool.call("jobs").stdout and pool.runs() == []
    done = pool.call("start", job, "n1")
    assert done.returncode == 0, done.stderr
    pool.submit("one", "1000", procs=1)
    assert "DPROCS=2 " in pool.call("jobs").stdout


def test_a_start_that_takes_long_is_not_taken_for_lost(pool):
    job = pool.submit("one", "1000", image="slow")
    assert pool.call("jobs").returncode == 0
    run = f"{pool.pool}/runs/{job}"
    with subprocess.Popen([f"{pool.home}/start", job, "n1"]) as start:
        try:
            pool.wait(lambda: os.path.exists(run), "the start", 60)
            os.utime(run, (0, 0))
            assert "STATE=Starting" in pool.call("jobs").stdout
        finally:
            pathlib.Path(f"{pool.engines}/pulled").touch()
    assert start.returncode == 0
    assert os.stat(run).st_mtime > 0
    assert "STATE=Running" in pool.call("jobs").stdout


def test_an_engine_that_does_not_answer_stops_nothing(pool):
    pool.begin()
    job = pool.submit("long", "1000")
    pool.until(job, "Running")
    shutil.move(f"{pool.home}/engine", f"{pool.home}/gone")
    pathlib.Path(f"{pool.home}/engine").write_text("#!/bin/sh\necho the engine is down >&2; exit 1\n")
    os.chmod(f"{pool.home}/engine", 0o755)
    pool.wait(lambda: "the engine is down" in pool.ok("diagnose", "-R"), "why", 60)
    assert pool.state(job) == "Running"
    os.rename(f"{pool.home}/gone", f"{pool.home}/engine")
    pool.until(pool.submit("next", "1"), "Completed")
    assert pool.state(job) == "Running"
