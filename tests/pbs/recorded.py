# SPDX-License-Identifier: Apache-2.0
"""A PBS server that is a file: qstat, pbsnodes, qrun, qdel, qhold, qrls, qalter, qsig,
qrerun, qsub in the dialect of OpenPBS or TORQUE, as tests/pbs/fixtures show them. Called by
these names; the folder of $PBS_RECORDED has the state. Checks as little as the real ones do:
OpenPBS's qrun -H starts held jobs and what does not fit.

`Recorded` below is the tests' side: a new server, from captured answers or empty, jobs that
end when they are told to, nodes that fail, and a list of all starts.

The commands are called hundreds of times: each is a small program (command.c) that asks one
process here, which a process of tests starts and which goes with it."""
import atexit
import contextlib
import fcntl
import functools
import io
import json
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import xml.etree.ElementTree as ET

NAMES = ("qstat", "pbsnodes", "qrun", "qdel", "qhold", "qrls", "qalter", "qsig", "qrerun",
         "qsub", "qmgr", "qselect")
SERVER = "head1"


class Refused(Exception):
    """(exit code, what is printed on standard error)"""


def stamp(state):
    now = int(time.time())
    return str(now) if state["torque"] else time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(now))


class State:
    """The state for as long as a command has it, and nobody else."""

    def __init__(self, folder):
        self.path = f"{folder}/state.json"

    def __enter__(self):
        self.lock = open(f"{self.path}.lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        with open(self.path, encoding="utf-8") as file:
            self.o = json.load(file)
        self.was = {id: json.dumps(job) for id, job in self.o["jobs"].items()}
        return self.o

    def __exit__(self, kind, *_):
        for id, job in self.o["jobs"].items():
            if json.dumps(job) != self.was.get(id) and not self.o["torque"]:
                job["mtime"] = stamp(self.o)  # as the real one, whatever has changed
        with open(f"{self.path}.new", "w", encoding="utf-8") as fresh:
            fresh.write(json.dumps(self.o))
        os.rename(fresh.name, self.path)
        self.lock.close()


# ---- what is there ----

def places(o, job):
    """(node, cpus) of a job that has nodes."""
    if o["torque"]:
        for part in filter(None, job.get("exec_host", "").split("+")):
            name, slots = part.split("/")
            n = 0
            for word in slots.split(","):
                first, _, last = word.partition("-")
                n += int(last or first) - int(first) + 1
            yield name, n
        return
    for group in re.split(r"[+()]+", job.get("exec_vnode", "")):
        if group:
            cpus = re.search(r":ncpus=(\d+)", group)
            yield group.split(":")[0], int(cpus[1]) if cpus else 0


def used(o, node):
    return sum(n for job in o["jobs"].values() if job["job_state"] in ("R", "E")
               for name, n in places(o, job) if name == node)


def find(o, word):
    for id in (word, f"{word}.{SERVER}"):
        if id in o["jobs"]:
            return id, o["jobs"][id]
    raise Refused(153, f"Unknown Job Id {word}.{SERVER}")


def in_queue(id):
    return "[" in id and "[]" not in id


def parent_of(id):
    return re.sub(r"\[\d+\]", "[]", id)


# ---- queries ----

def node_state(o, name):
    node = o["nodes"][name]
    marks = node.get("marks", [])
    jobs = [id for id, job in o["jobs"].items() if job["job_state"] in ("R", "E")
            and name in [n for n, _ in places(o, job)]]
    held = [id for id, job in o["jobs"].items() if job.get("kept_by") == "admin"
            and name in [n for n, _ in places(o, job)]]
    full = used(o, name) >= int(node["cpus"]) > 0
    words = list(marks) + (["maintenance"] if held else [])
    if not words:
        words = [("job-exclusive" if o["torque"] else "job-busy") if full else "free"]
    return ",".join(words), jobs, held


def show_nodes_json(o):
    nodes = {}
    for name, node in o["nodes"].items():
        state, jobs, held = node_state(o, name)
        nodes[name] = dict(node["record"], state=state)
        nodes[name].pop("jobs", None)
        if jobs:
            nodes[name]["jobs"] = jobs
        if held:
            nodes[name]["maintenance_jobs"] = ",".join(held)
    print(json.dumps({"timestamp": int(time.time()), "pbs_version": "recorded",
                      "pbs_server": SERVER, "nodes": nodes}))


def add_xml(parent, name, value):
    child = ET.SubElement(parent, name)
    if isinstance(value, dict):
        for key, inner in value.items():
            add_xml(child, key, inner)
    else:
        child.text = str(value)


def show_xml(kind, records):
    data = ET.Element("Data")
    for record in records:
        add_xml(data, kind, record)
    print(ET.tostring(data, encoding="unicode", short_empty_elements=False))


def show_nodes_xml(o):
    records = []
    for name, node in o["nodes"].items():
        state, jobs, _ = node_state(o, name)
        record = {"name": name, **node["record"], "state": state}
        record.pop("jobs", None)
        if jobs:
            record["jobs"] = ",".join(f"{i}/{id}" for i, id in enumerate(jobs))
        records.append(record)
    show_xml("Node", records)


def visible(job):
    return {k: v for k, v in job.items() if k not in ("kept_by",)}


def qstat(o, args):
    if "-Q" in args:
        for name, queue in o["queues"].items():
            print(f"Queue: {name}")
            for key, value in queue.items():
                print(f"    {key} = {value}")
            print()
        return
    ids = [word for word in args if word[0].isdigit()]
    if o["torque"]:
        if "-F" in args:
            raise Refused(2, "qstat: invalid option -- 'F'")
        jobs = o["jobs"]
        show_xml("Job", [{"Job_Id": id, **visible(job)} for id, job in jobs.items()])
        return
    if "json" not in args:
        raise Refused(2, "only JSON is recorded")
    jobs = {id: visible(job) for id, job in o["jobs"].items()
            if ("-x" in args or job["job_state"] not in ("F", "X"))}
    if ids:
        jobs = {id: jobs[id] for id in [find(o, ids[0])[0]] if id in jobs}
    head = {"timestamp": int(time.time()), "pbs_version": "recorded", "pbs_server": SERVER}
    print(json.dumps(dict(head, Jobs=jobs) if jobs else head))


def pbsnodes(o, args):
    if o["torque"]:
        if "-F" in args:
            raise Refused(1, "pbsnodes: invalid option -- 'F'")
        show_nodes_xml(o)
    else:
        show_nodes_json(o)


# ---- orders ----

def split_ids(args, with_value):
    """(options, ids)"""
    options, ids, i = {}, [], 0
    while i < len(args):
        if args[i] in with_value:
            options[args[i]] = args[i + 1]
            i += 2
        elif args[i].startswith("-"):
            options[args[i]] = True
            i += 1
        else:
            ids.append(args[i])
            i += 1
    return options, ids


def slots_free(o, name):
    return int(o["nodes"][name]["cpus"]) - used(o, name)


def check_torque(o, id, job, spec):
    for name, n in spec:
        if name not in o["nodes"] or n > int(o["nodes"][name]["cpus"]):
            raise Refused(2, f"qrun: Unknown node in hostlist MSG={name}")
        if o["nodes"][name].get("marks") or n > slots_free(o, name):
            raise Refused(2, "qrun: job allocation request exceeds currently available "
                             f"cluster nodes, 1 requested, 0 available {id}")


def give_slots(o, spec):
    text = []
    for name, n in spec:
        first = used(o, name)
        text.append(f"{name}/{first}-{first + n - 1}" if n > 1 else f"{name}/{first}")
    return "+".join(text)


def qrun(o, args):
    options, ids = split_ids(args, ("-H",))
    id, job = find(o, ids[0])
    where = options.get("-H")
    if where is None:
        raise Refused(2, "qrun: Could not contact Scheduler")
    if "[]" in id:
        raise Refused(2, f"qrun: Invalid request {id}")
    if job["job_state"] not in ("Q", "H", "W", "S"):
        raise Refused(2, f"qrun: Request invalid for state of job {id}")
    count = "start_count" if o["torque"] else "run_count"
    job[count] = int(job.get(count, 0)) + 1
    o["starts"].append([id, where, time.time()])
    if o["torque"]:
        spec = [(part.split(":")[0], int(part.split("ppn=")[1])) for part in where.split("+")]
        check_torque(o, id, job, spec)
        job["exec_host"] = give_slots(o, spec)
        job["start_time"] = stamp(o)
    else:
        names = [re.split(r"[:)]", group.lstrip("("))[0] for group in where.split("+")]
        for name in names:
            if name not in o["nodes"]:
                raise Refused(2, f"qrun: Unknown node {id}")
        if any("down" in o["nodes"][name].get("marks", []) for name in names):
            if "-a" in options:
                return  # it goes back to the queue, and nobody says so
            raise Refused(2, f"qrun: Server could not connect to MOM {id}")
        job["exec_vnode"] = where
        job["stime"] = stamp(o)
    job.update(job_state="R", substate=42 if not o["torque"] else "42")
    job.pop("kept_by", None)


def end_job(o, id, status):
    job = o["jobs"][id]
    ran = job["job_state"] in ("R", "S", "E")
    job["mtime"] = stamp(o)
    job.pop("kept_by", None)
    if o["torque"]:
        job.update(job_state="C", substate="59", comp_time=stamp(o))
        if ran:
            job["exit_status"] = str(status)
    else:
        job.update(job_state="F", substate=91 if status == 271 or not ran else 92 if status == 0
                   else 93, history_timestamp=int(time.time()))
        if ran:
            job["Exit_status"] = status
    for other in o["jobs"].values():  # what waited for it
        depend = other.get("depend", "")
        if re.search(rf"after\w*:{re.escape(id)}\b", depend) and other["job_state"] == "H":
            other.pop("depend")
            other.update(job_state="Q", substate=str(10) if o["torque"] else 10, Hold_Types="n")


def qdel(o, args):
    for word in split_ids(args, ("-W",))[1]:
        id, job = find(o, word)
        if job["job_state"] in ("F", "C"):
            raise Refused(35 if not o["torque"] else 170, f"qdel: Job has finished {id}")
        if job.get("kept_by") == "admin":
            job["deleted"] = True
            continue  # as the real one: nothing happens before it is resumed
        for member in [m for m in o["jobs"] if "[]" in id and parent_of(m) == id]:
            end_job(o, member, 271)
        if id in o["jobs"] and o["jobs"][id]["job_state"] not in ("F", "C"):
            end_job(o, id, 271)


def change_holds(o, args, add):
    options, ids = split_ids(args, ("-h",))
    for word in ids:
        id, job = find(o, word)
        if in_queue(id) and not o["torque"]:
            raise Refused(156, f"Invalid request {id}")
        letters = set(job.get("Hold_Types", "n")) - {"n"}
        change = set(options.get("-h", "u"))
        letters = letters | change if add else letters - change
        job["Hold_Types"] = "".join(sorted(letters)) or "n"
        if job["job_state"] in ("Q", "H"):
            job["job_state"] = "H" if letters else "Q"
            job["substate"] = type(job["substate"])(20 if letters else 10)


def qhold(o, args):
    change_holds(o, args, True)


def qrls(o, args):
    change_holds(o, args, False)


def qalter(o, args):
    options, ids = split_ids(args, ("-l", "-W", "-p", "-A", "-N"))
    for word in ids:
        _, job = find(o, word)
        for pair in filter(None, options.get("-l", "").split(",")):
            name, _, value = pair.partition("=")
            job["Resource_List"][name] = value
        if "-W" in options:
            text = options["-W"].partition("comment=")[2]
            if "=" in text:
                raise Refused(2, "qalter: illegal -W value")
            job["comment"] = text


def qsig(o, args):
    options, ids = split_ids(args, ("-s",))
    id, job = find(o, ids[0])
    word = options.get("-s", "SIGTERM")
    if word in ("suspend", "admin-suspend"):
        if job["job_state"] != "R":
            raise Refused(168, f"qsig: Request invalid for state of job {id}")
        job["job_state"] = "S"
        if not o["torque"]:
            job["substate"] = 43
            job["kept_by"] = "admin" if word == "admin-suspend" else "sched"
    elif word in ("resume", "admin-resume"):
        if job["job_state"] != "S":
            raise Refused(168, f"qsig: Request invalid for state of job {id}")
        if not o["torque"] and word == "resume":
            job["substate"] = 45  # until a scheduler looks
            return
        job["job_state"] = "R"
        job.pop("kept_by", None)
        job["substate"] = type(job["substate"])(42)
        if job.pop("deleted", False):
            end_job(o, id, 271)
    elif word in ("9", "SIGKILL", "15", "SIGTERM"):
        end_job(o, id, 256 + (9 if word in ("9", "SIGKILL") else 15))


def qrerun(o, args):
    id, job = find(o, args[-1])
    if job.get("Rerunable") != "True":
        raise Refused(190, f"qrerun: job is not rerunnable {id}")
    if job["job_state"] != "R":
        raise Refused(168, f"qrerun: Request invalid for state of job {id}")
    job.update(job_state="Q", substate=type(job["substate"])(10))
    for name in ("exec_vnode", "exec_host", "stime", "start_time"):
        job.pop(name, None)


def qsub(o, args):
    options, _ = split_ids(args, ("-l", "-q", "-N", "-J", "-t", "-W", "-A"))
    asked = dict(pair.split("=", 1) for pair in
                 re.split(r",(?=\w+=)", options.get("-l", "")) if pair)
    number = o["next"]
    o["next"] += 1
    torque = o["torque"]
    job = {"Job_Name": options.get("-N", "STDIN"), "Job_Owner": f"alice@{SERVER}",
           "job_state": "Q", "queue": options.get("-q", "workq"), "ctime": stamp(o),
           "qtime": stamp(o), "etime": stamp(o), "mtime": stamp(o), "Hold_Types": "n",
           "Priority": "0" if torque else 0, "Rerunable": "True", "Resource_List": asked,
           "substate": "10" if torque else 10, "euser": "alice", "egroup": "physics",
           "queue_type": "E"}
    if not torque:  # which adds nothing for who says nothing of nodes
        asked.setdefault("select", "1:ncpus=1")
        asked.setdefault("place", "free")
        job["schedselect"] = asked["select"]
    if "-h" in options:
        job.update(job_state="H", substate=type(job["substate"])(20), Hold_Types="u")
    depend = options.get("-W", "").partition("depend=")[2]
    if depend:
        job.update(job_state="H", substate=type(job["substate"])(22), Hold_Types="s",
                   depend=re.sub(r"(\d+)(\.\w+)?", rf"\1.{SERVER}", depend))
    array = options.get("-J") or options.get("-t")
    if not array:
        o["jobs"][f"{number}.{SERVER}"] = job
        print(f"{number}.{SERVER}")
        return
    first, last, limit = re.fullmatch(r"(\d+)-(\d+)(?:%(\d+))?", array).groups()
    o["jobs"][f"{number}[].{SERVER}"] = dict(job, array="True", **(
        {"max_run_subjobs": int(limit)} if limit else {}))
    for i in range(int(first), int(last) + 1):
        o["jobs"][f"{number}[{i}].{SERVER}"] = dict(job, Resource_List=dict(asked))
    print(f"{number}[].{SERVER}")


def qselect(o, args):
    """Of those that have ended; they did just now."""
    for id, job in o["jobs"].items():
        if job["job_state"] == "F":
            print(id)


def qmgr(o, args):
    text = " ".join(args)
    found = re.search(r"set server scheduling ?= ?(\w+)", text)
    if found:
        o["scheduling"] = found[1]
    else:
        print(f"set server scheduling = {o['scheduling']}")


def command(folder, name, args):
    try:
        with State(folder) as o:
            if o.get("away"):
                raise Refused(255, f"{name}: cannot connect to server {SERVER} (errno=111)")
            if o.get("fails", {}).get(name, 0) > 0:  # so many times
                o["fails"][name] -= 1
                raise Refused(11, f"{name}: System error")
            past = name == "qselect" or (name == "qstat" and "-x" in args and not o["torque"])
            if past and "-t" in args:  # for what has ended alone
                o["histories"] = o.get("histories", 0) + 1
            if past and o.get("fails", {}).get("history", 0) > 0:  # as one that hangs
                o["fails"]["history"] -= 1
                raise Refused(255, f"{name}: cannot connect to server {SERVER} (errno=110)")
            globals()[name](o, args)
    except Refused as refused:
        print(refused.args[1], file=sys.stderr)
        return refused.args[0]
    return 0


# ---- who does what the commands are called for ----

def answer(line):
    """As command.c asks and reads it."""
    asked = b""
    while part := line.recv(65536):
        asked += part
    folder, name, *args = asked.decode().split("\0")
    out, err, status = io.StringIO(), io.StringIO(), 1
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = command(folder, name, args)
        except Exception:  # a fault of ours is told to who calls
            traceback.print_exc()
    text = out.getvalue().encode()
    line.sendall(b"%d %d\n%s%s" % (status, len(text), text, err.getvalue().encode()))


def serve(path):
    """For as long as standard input is open."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        os.chmod(path, 0o777)
        door.listen(100)
        print("ready", flush=True)
        while 0 not in select.select([0, door], [], [])[0]:
            with door.accept()[0] as line, contextlib.suppress(OSError):
                line.settimeout(60)
                answer(line)


@functools.cache
def program():
    """What all the commands are, and who answers it: of this process."""
    here = pathlib.Path(__file__).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="maui-pbs-"))
    folder.chmod(0o755)
    subprocess.run(["cc", f'-DSOCKET="{folder}/s"', here.with_name("command.c"), "-o",
                    folder / "command"], check=True)
    server = subprocess.Popen(["/usr/bin/python3", "-IS", here, folder / "s"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def leave():
        server.communicate()
        shutil.rmtree(folder)
    atexit.register(leave)
    assert server.stdout.readline() == b"ready\n"
    return folder / "command"


# ---- the tests' side ----

class Recorded:
    def __init__(self, folder, torque=False, nodes=2, cpus=4, library=None):
        self.folder = pathlib.Path(folder)
        self.exec = self.folder / "exec"  # where PBS lies, with its library if there is one
        (self.exec / "lib").mkdir(parents=True)
        if library:
            (self.exec / "lib" / "libpbs.so.0").symlink_to(library)
        self.torque = torque
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in NAMES:
            (self.bin / name).symlink_to(program())
        records = {}
        for i in range(nodes):
            name = f"cn{i + 1:02}"
            record = ({"np": str(cpus), "properties": "fast", "ntype": "cluster",
                       "status": "opsys=linux,physmem=16777216kb,loadave=0.10"} if torque else
                      {"Mom": name, "resources_available":
                          {"arch": "linux", "host": name, "vnode": name, "ncpus": cpus,
                           "mem": "16gb"}})
            records[name] = {"cpus": cpus, "record": record}
        self.write({"torque": torque, "jobs": {}, "nodes": records, "next": 1, "starts": [],
                    "scheduling": "False", "queues": {"workq": {
                        "queue_type": "Execution", "enabled": "True", "started": "True"}}})

    def write(self, o):
        (self.folder / "state.json").write_text(json.dumps(o))

    @classmethod
    def of_fixtures(cls, folder, fixtures, torque=False):
        """As the captured answers left it."""
        server = cls(folder, torque)
        with State(server.folder) as o:
            if torque:
                tree = ET.parse(fixtures / "torque/03-held.qstat-tx.xml").getroot()
                o["jobs"] = {job.findtext("Job_Id"): tree_of(job, ("Job_Id",)) for job in tree}
                tree = ET.parse(fixtures / "torque/01-idle-empty.pbsnodes-x.xml").getroot()
                o["nodes"] = {node.findtext("name"): {"cpus": int(node.findtext("np")),
                                                      "record": tree_of(node, ("name",))}
                              for node in tree}
            else:
                o["jobs"] = json.loads((fixtures / "openpbs/03-held.qstat.json").read_text())["Jobs"]
                nodes = json.loads((fixtures / "openpbs/01-idle-empty.pbsnodes-av.json").read_text())
                o["nodes"] = {name: {"cpus": node["resources_available"]["ncpus"], "record": node}
                              for name, node in nodes["nodes"].items()}
            o["queues"] = {name: {"queue_type": "Execution", "started": "True"}
                           for name in ("workq", "long", "batch")}
            o["next"] = 200
        return server

    def environment(self):
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "PBS_RECORDED": str(self.folder),
                "PBS_EXEC": str(self.exec)}

    def look(self):
        with State(self.folder) as o:
            return o

    def change(self, what):
        with State(self.folder) as o:
            what(o)

    def end(self, id, status=0):
        self.change(lambda o: end_job(o, id, status))

    def run_through(self, id, where, status=0, told=True):
        """From its queue to its end, between two looks. Not `told`: of a server that was killed
        meanwhile and does not know any more where that was, nor since when."""
        def both(o):
            qrun(o, ["-a", "-H", where, id])
            end_job(o, id, status)
            for name in () if told else ("exec_vnode", "exec_host", "stime", "start_time"):
                o["jobs"][id].pop(name, None)
        self.change(both)

    def mark(self, node, *words):
        self.change(lambda o: o["nodes"][node].update(marks=list(words)))

    def job(self, id):
        return self.look()["jobs"][id]

    def starts(self, id=None):
        return [start for start in self.look()["starts"] if id in (None, start[0])]


def tree_of(element, but):
    return {child.tag: tree_of(child, ()) if len(child) else child.text or ""
            for child in element if child.tag not in but}


if __name__ == "__main__":
    serve(sys.argv[1])
