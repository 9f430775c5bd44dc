#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A resource manager of the WIKI protocol with a small world of its own: nodes, and jobs
that run for as long as they say. Its state is a file, so it may be killed at any time; it
can misbehave in each way that state["odd"] names:

    {"GETJOBS": "half", "GETNODES": "hang", "*": "badsum" ...}

    server.py FOLDER     serves on the port of FOLDER/state.json; writes FOLDER/pid

`World` is the tests' side."""
import base64
import fcntl
import hashlib
import hmac
import json
import os
import pathlib
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time

ACTIVE = ("Running", "Starting", "Suspended")
ENDED = ("Completed", "Removed", "Cancelled")


# ---- sums ----

def sum_des(key, text):
    """The protocol's own."""
    mask, crc = 0xffffffff, 0
    for byte in text:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021) & 0xffff if crc & 0x8000 else crc << 1
    left, right = crc, int(key, 0) & mask
    for a, b in ((0xcba4e531, 0x12be4590), (0x537158eb, 0xab54ce58),
                 (0x145cdc3c, 0x6954c7a6), (0x0d3fdeb2, 0x15a2ca46)):
        mixed = right ^ a
        low, high = mixed & 0xffff, mixed >> 16
        turned = (low * low + (~(high * high) & mask)) & mask
        turned = (turned >> 16 | turned << 16) & mask
        left, right = right, left ^ (((turned ^ b) + low * high) & mask)
    return f"{left:08x}{right:08x}"


def checksum(algorithm, key, text):
    if algorithm == "DES":
        return sum_des(key, text)
    if algorithm == "HMAC":
        return hmac.new(key.encode(), text, hashlib.sha1).hexdigest()
    if algorithm == "HMAC64":
        return base64.b64encode(hmac.new(key.encode(), hashlib.sha1(text).digest(),
                                         hashlib.sha1).digest()).decode()
    return hashlib.md5(text + key.encode()).hexdigest() + "\n"


# ---- the world ----

class State:
    """The state for as long as a request has it, and nobody else."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "state.json"

    def __enter__(self):
        self.lock = open(self.path.with_suffix(".lock"), "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.o = json.loads(self.path.read_text())
        let_time_pass(self.o)
        return self.o

    def __exit__(self, kind, *_):
        if kind is None:
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(self.o))
            fresh.rename(self.path)
        self.lock.close()


def let_time_pass(o):
    now = time.time()
    for job in o["jobs"].values():
        if job["STATE"] == "Running" and job["ends_at"] <= now:
            job.update(STATE="Completed", UPDATETIME=int(now), COMPLETIONTIME=int(job["ends_at"]))


def used(o, node):
    return sum(job["TASKLIST"].count(node) for job in o["jobs"].values() if job["STATE"] in ACTIVE)


def quote(value):
    for char in "\\#;:":
        value = value.replace(char, "\\" + char)
    return value


def write_record(name, fields):
    return f"#{name}:" + "".join(f"{key}={value};" for key, value in fields.items())


def show_nodes(o, since, names):
    records = []
    for name, node in o["nodes"].items():
        if (names and name not in names) or node["UPDATETIME"] < since:
            continue
        free = node["CPROC"] - used(o, name)
        state = node["STATE"]
        if state == "Idle" and free < node["CPROC"]:
            state = "Running" if free > 0 else "Busy"
        records.append(write_record(name, {**node, "STATE": state, "APROC": free}))
    return f"SC=0 ARG={len(records)}" + ("".join(records) or "#")


def show_jobs(o, since, names):
    records = []
    for name, job in o["jobs"].items():
        if (names and name not in names) or job["UPDATETIME"] < since:
            continue
        fields = {key: value for key, value in job.items() if key.isupper()}
        fields["TASKLIST"] = ":".join(job["TASKLIST"])
        fields["COMPLETETIME"] = job["COMPLETIONTIME"]
        records.append(write_record(name, fields))
    return f"SC=0 ARG={len(records)}" + ("".join(records) or "#")


class Refused(Exception):
    pass


def find(o, name, *states):
    job = o["jobs"].get(name)
    if job is None:
        raise Refused(f"unknown job {name}")
    if states and job["STATE"] not in states:
        raise Refused(f"job {name} is {job['STATE']}")
    return job


def start_job(o, name, words):
    job = find(o, name, "Idle")
    nodes = words["TASKLIST"].split(":")
    for node in nodes:
        if node not in o["nodes"]:
            raise Refused(f"unknown node {node}")
        if used(o, node) + nodes.count(node) > o["nodes"][node]["CPROC"]:
            raise Refused(f"node {node} is full")
    if len(nodes) != job["TASKS"]:
        raise Refused(f"job {name} has {job['TASKS']} tasks, not {len(nodes)}")
    if o.get("fickle"):  # accepted, and nothing comes of it
        return
    job.update(STATE="Running", TASKLIST=nodes, STARTTIME=int(time.time()),
               ends_at=time.time() + job["seconds"])
    o["starts"].append(name)


def stop_job(o, name, words):
    job = find(o, name, "Idle", "Hold", *ACTIVE)
    job.update(STATE="Removed", COMPLETIONTIME=int(time.time()))
    o["cancels"].append([name, words["TYPE"]])


def suspend_job(o, name, words):
    find(o, name, "Running")["STATE"] = "Suspended"


def resume_job(o, name, words):
    find(o, name, "Suspended")["STATE"] = "Running"


def requeue_job(o, name, words):
    find(o, name, *ACTIVE).update(STATE="Idle", TASKLIST=[], STARTTIME=0)


def signal_job(o, name, words):
    find(o, name, "Running")
    o["signals"].append([name, int(words["VALUE"])])


def modify_job(o, name, words):
    find(o, name)["WCLIMIT"] = int(words["WCLIMIT"])


ORDERS = {"STARTJOB": start_job, "CANCELJOB": stop_job, "SUSPENDJOB": suspend_job,
          "RESUMEJOB": resume_job, "REQUEUEJOB": requeue_job, "SIGNALJOB": signal_job,
          "MODIFYJOB": modify_job}


def answer(o, command, words):
    if command in ("GETNODES", "GETJOBS"):
        since, _, names = words["ARG"].partition(":")
        names = None if names == "ALL" else names.split(":")
        o["asked"] = o["asked"][-400:] + [[command, int(since)]]
        return (show_nodes if command == "GETNODES" else show_jobs)(o, int(since), names)
    if command not in ORDERS or command in o["unknown"]:
        raise Refused(f"unknown command {command}")
    ORDERS[command](o, words["ARG"], words)
    o["jobs"][words["ARG"]]["UPDATETIME"] = int(time.time())
    return f"SC=0 RESPONSE={command} {words['ARG']} done"


# ---- the protocol ----

def read_frame(peer):
    head = b""
    while len(head) < 9:
        part = peer.recv(9 - len(head))
        if not part:
            return None
        head += part
    assert head[8:] == b"\n", head
    body = b""
    while len(body) < int(head[:8]):
        part = peer.recv(int(head[:8]) - len(body))
        if not part:
            return None
        body += part
    return body


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder):
        self.folder = folder
        self.recorded = {}
        with State(folder) as o:
            super().__init__(("127.0.0.1", o["port"]), Handler)
            o["port"] = self.server_address[1]


class Handler(socketserver.BaseRequestHandler):
    def seal(self, o, text, age=0, key=None):
        if o["algorithm"] == "NONE":
            return text
        signed = f"TS={int(time.time()) - age} AUTH=wiki DT={text}".encode()
        return f"CK={checksum(o['algorithm'], key or o['key'], signed)} {signed.decode()}"

    def opened(self, o, payload):
        """The command, or Refused."""
        if o["algorithm"] == "NONE":
            assert payload.startswith(b"CMD="), payload
            return payload.decode()
        begin = payload.index(b"TS=")
        said = payload[3:begin].decode().strip()
        if said != checksum(o["algorithm"], o["key"], payload[begin:]).strip():
            raise Refused("checksum")
        signed = payload[begin:].decode()
        if abs(int(signed[3:signed.index(" ")]) - time.time()) > 3600:
            raise Refused("time stamp")
        return signed.split(" DT=", 1)[1]

    def handle(self):
        try:
            self.speak()
        except (OSError, AssertionError, Refused):
            pass

    def speak(self):
        payload, command, words, odd = read_frame(self.request), "", {}, None
        if payload is None:
            return
        with State(self.server.folder) as o:
            try:
                words = dict(w.split("=", 1) for w in self.opened(o, payload).split(" "))
                command = words["CMD"]
                odd = o["odd"].get(command, o["odd"].get("*"))
                if odd in ("hang", "never", "late", "error"):
                    text = None
                else:
                    text = answer(o, command, words)
            except Refused as e:
                text, odd = f"SC=-1 RESPONSE={e}", None
        self.reply(command, odd, text, o, words)

    def reply(self, command, odd, text, o, words):
        if odd in ("hang", "late"):
            time.sleep(3)
            if odd == "late":  # nobody waits for the answer any more
                with State(self.server.folder) as o:
                    answer(o, command, words)
            return
        if odd in ("never", "lost", "close"):
            return
        if odd == "stale":  # as all was a second before it arrives
            time.sleep(1)
        if odd == "error":
            text = "SC=-1;RSP=the moon is full"
        elif odd == "short":
            text = text.replace("ARG=", "ARG=1", 1)
        elif odd == "nolist":
            text = "SC=0 RESPONSE=here you are"
        elif odd == "nocode":
            text = text.replace("SC=0 ", "")
        sealed = self.seal(o, text, age=4000 if odd == "old" else -4000 if odd == "young" else 0,
                           key="4711" if odd == "badsum" else None)
        if odd == "nosum":
            sealed = text
        if odd == "replay":
            sealed = self.server.recorded.get(command, sealed)
        else:
            self.server.recorded.setdefault(command, sealed)
        frame = b"%08d\n" % len(sealed.encode()) + sealed.encode()
        if odd == "half":
            frame = frame[:len(frame) // 2]
        elif odd == "head":
            frame = frame[:5]
        elif odd == "rubbish":
            frame = b"HTTP/1.1 400 Bad Request\r\n\r\n"
        elif odd == "huge":
            frame = b"99999999\n" + b"x" * 100000
        elif odd == "empty":
            frame = b"00000000\n"
        elif odd == "behind":
            frame += b"what comes behind a frame" * 1000
        if odd == "bits":
            for i in range(0, len(frame), 7):
                self.request.sendall(frame[i:i + 7])
                time.sleep(0.0005)
        else:
            self.request.sendall(frame)
        if odd in ("half", "head"):
            time.sleep(0.2)


# ---- the tests' side ----

class World:
    """A server of its own in a folder. Nodes: {"n1": 2, ...}, by processors."""

    def __init__(self, folder, nodes, algorithm="HMAC", key="a secret of the site"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        now = int(time.time())
        state = {"port": 0, "algorithm": algorithm, "key": key, "odd": {}, "unknown": [],
                 "jobs": {}, "starts": [], "cancels": [], "signals": [], "asked": [],
                 "nodes": {name: {"UPDATETIME": now, "STATE": "Idle", "CPROC": n, "CMEMORY": 4096,
                                  "CPULOAD": "0.00", "CCLASS": f"[batch:{n}]"}
                           for name, n in nodes.items()}}
        (self.folder / "state.json").write_text(json.dumps(state))
        self.server = None
        self.start()

    def start(self):
        ready = self.folder / "pid"
        ready.unlink(missing_ok=True)
        self.server = subprocess.Popen([sys.executable, __file__, str(self.folder)])
        end = time.monotonic() + 20
        while not ready.exists():
            assert time.monotonic() < end and self.server.poll() is None, "the server does not begin"
            time.sleep(0.01)
        return self

    def kill(self):
        self.server.kill()
        self.server.wait()

    def state(self):
        return State(self.folder)

    def look(self):
        with State(self.folder) as o:
            return o

    def behave(self, **odd):
        """behave(GETJOBS="half"); without arguments well."""
        with State(self.folder) as o:
            o["odd"] = {("*" if name == "all" else name): how for name, how in odd.items()}

    def submit(self, name, user, seconds=0.5, **fields):
        now = int(time.time())
        with State(self.folder) as o:
            assert name not in o["jobs"]
            o["jobs"][name] = {"UPDATETIME": now, "STATE": "Idle", "WCLIMIT": 600, "TASKS": 1,
                               "QUEUETIME": now, "STARTTIME": 0, "COMPLETIONTIME": 0,
                               "UNAME": user, "GNAME": "nogroup", "RCLASS": "[batch:1]",
                               "TASKLIST": [], "seconds": seconds, "ends_at": 0, **fields}
        return name

    def job(self, name):
        return self.look()["jobs"][name]

    def end(self, name):
        with State(self.folder) as o:
            o["jobs"][name].update(ends_at=time.time())

    @property
    def port(self):
        return self.look()["port"]


def serve(folder):
    server = Server(folder)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    fresh = pathlib.Path(folder) / "pid.new"
    fresh.write_text(str(os.getpid()))
    fresh.rename(pathlib.Path(folder) / "pid")
    server.serve_forever(poll_interval=0.05)


if __name__ == "__main__":
    serve(sys.argv[1])
