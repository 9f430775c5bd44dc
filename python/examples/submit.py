#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Submit a job, tell why it waits, and wait for its end: submit.py COMMAND [ARGUMENT ...]"""
import shlex
import sys
import time

import maui_scheduler


def tell_why(maui: maui_scheduler.Client, number: str) -> None:
    try:
        print(f"{number} waits:", *(r["text"] for r in maui.job_why(number)["reasons"]))
    except maui_scheduler.MauiError as e:
        if e.code != "not_found":  # it has ended meanwhile
            raise


if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
    sys.exit(__doc__)
maui = maui_scheduler.Client()
try:
    done = maui.submit({"script": f"#!/bin/sh\n{shlex.join(sys.argv[1:])}\n", "wclimit_s": 600,
                        "output": "/dev/null", "join": True})
    number, = done["ids"]
    while True:
        job = maui.find_job(number)
        if job.get("section") == "completed" or job["state"] in ("Completed", "Removed", "Vacated"):
            break
        if job["state"] == "Idle":
            tell_why(maui, number)
        time.sleep(1)
except maui_scheduler.MauiError as e:
    sys.exit(f"submit.py: {e}")
print(f"{number}: {job['state']}, exit status {job.get('exit_status')}")
