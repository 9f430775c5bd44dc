#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print each start and end as it happens, as an administrator: watch.py"""
import sys

import maui_scheduler

try:
    for event in maui_scheduler.Client(timeout=None).events():
        if event["event"] in ("JOBSTART", "JOBEND"):
            print(event["at"], event["event"], event.get("object"), flush=True)
except maui_scheduler.MauiError as e:
    sys.exit(f"watch.py: {e}")
except KeyboardInterrupt:
    pass
