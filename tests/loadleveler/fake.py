#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A LoadLeveler that is made up, from its documentation: llq, llstatus, llcancel, llhold and the
site's ll_start, in front of a file. Called by these names; $LL_FAKE is the file."""
import fcntl
import json
import os
import sys
import time

STAMP = "%m/%d/%Y %H:%M:%S"


def cell(o, kind, name, record, column):
    used = sum(s["hosts"].count(name) for s in o["steps"].values() if s["st"] == "R")
    values = {"machine": {"%n": name, "%sts": "Idle" if not used else "Running", "%cpu": record.get("cpus"),
                          "%m": 4096, "%v": 8192, "%d": 100, "%l": "0.00", "%a": "R6000", "%o": "AIX52",
                          "%mt": record.get("cpus")},
              "step": {"%id": name, "%o": record.get("owner"), "%c": record.get("class"),
                       "%st": record.get("st"), "%dq": time.strftime(STAMP, time.localtime(record.get("queued", 0))),
                       "%dd": time.strftime(STAMP, time.localtime(record["began"])) if record.get("began") else "",
                       "%h": record["hosts"][0] if record.get("hosts") else ""}}[kind]
    if record.get("state"):
        values["%sts"] = record["state"]
    return str(values[column])


def table(o, kind, records, columns, empty):
    for name, record in records.items():
        print("!".join(cell(o, kind, name, record, c) for c in columns))
    if not records:
        print(empty)


def long_form(o):
    for name, s in o["steps"].items():
        print(f"=============== Job Step {name} ===============\n        Job Step Id: {name}\n"
              f"           Job Name: {name.rsplit('.', 1)[0]}\n              Owner: {s['owner']}\n"
              f"       Allocated Hosts: {','.join(s['hosts'])}\n         Unix Group: staff\n"
              f"   Node minimum    : {s['nodes']}\n   Tasks_per_node  : 1\n"
              f"Wall Clk Hard Limit: 00:{s['limit'] // 60:02}:{s['limit'] % 60:02} ({s['limit']} seconds)\n"
              f"            Comment: #@ a: b\n")


def refuse(text, status=1):
    print(text, file=sys.stderr)
    sys.exit(status)


def main(name, *words):
    path = os.environ["LL_FAKE"]
    lock = open(path + ".lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    o = json.load(open(path))
    if o.get("broken"):
        refuse(o["broken"])
    for s in o["steps"].values():
        if s["st"] == "R" and s["began"] + s["seconds"] <= time.time():
            s["st"] = "C"
    if name == "llstatus":
        table(o, "machine", o["machines"], words[1:], "no machine status to report")
    elif name == "llq" and words[0] == "-l":
        long_form(o)
    elif name == "llq":
        table(o, "step", o["steps"], words[1:], "llq: There is currently no job status to report.")
    else:
        step = o["steps"].get(words[-1] if name == "llcancel" else words[0])
        if step is None:
            refuse(f"{name}: 2512-117 no such step")
        if name == "llcancel":
            step["st"] = "CA"
        elif step["st"] != "I":
            refuse(f"{name}: 2512-187 the step is not idle")
        else:
            step.update(st="R", hosts=list(words[1:]), began=int(time.time()))
            o["starts"].append(words[0])
    with open(path + ".new", "w") as f:
        json.dump(o, f)
    os.rename(path + ".new", path)


if __name__ == "__main__":
    main(os.path.basename(sys.argv[0]), *sys.argv[1:])
