# SPDX-License-Identifier: Apache-2.0
"""The grid of rights: who may what, for every member of every request and every parameter
of every operation of openapi.json. What is there and not here fails the test: think about
who may have it, then write it down.

Who: 1, 2, 3 administrators of that level, o the owner (of the job or reservation; who makes
something owns it), s a stranger. A row has examples: (value, who)."""

ALL, ADMINS, RULERS, MINE = "123os", "123", "12", "12o"
AT = 4000000000

# ---- operations: who, and what their bodies need -------------------------------------------

OPERATIONS = {
    "GET /v1/identity": (ALL, None),
    "POST /v1/logins": (ALL, {}),
    # sessions are the page's: here nobody has one (tests/web has those who do)
    "POST /v1/session": (ALL, {"login": "x" * 43}),
    "GET /v1/session": (ALL, None),
    "DELETE /v1/session": (ALL, None),
    "GET /v1/sessions": (ALL, None),
    "DELETE /v1/sessions/{id}": ("", None),
    "GET /v1/scheduler": (ADMINS, None),
    "POST /v1/scheduler": ("1", {"action": "resume"}),
    "GET /v1/jobs": (ALL, None),
    "POST /v1/jobs": (ALL, {"script": "#!/bin/sh\ntrue\n", "hold": True, "directory": "/tmp",
                            "output": "/dev/null", "error": "/dev/null"}),
    "GET /v1/jobs/{id}": ("123o", None),
    "GET /v1/jobs/{id}/start": (ALL, None),
    "GET /v1/jobs/{id}/why": ("123o", None),
    "GET /v1/start": (ALL, None),
    "GET /v1/windows": (ALL, None),
    "GET /v1/rows": (ALL, None),
    "GET /v1/timeline": (ALL, None),  # as lists tell
    "POST /v1/whatif": (ALL, {"changes": []}),  # each change as itself
    "GET /v1/forecast": (ALL, None),  # as lists tell
    "GET /v1/past": (ALL, None),
    # of 1970 there is no past: tests/live/past_test.py has who may look at what there is
    "POST /v1/past": ("", {"at": 1}),
    "PATCH /v1/past/{id}": ("", {}),
    "DELETE /v1/past/{id}": ("", None),
    "POST /v1/orders/hold": (MINE, {}),
    "POST /v1/orders/release": (MINE, {}),
    "POST /v1/orders/priority": (RULERS, {"priority": 5}),
    "POST /v1/orders/user-priority": (MINE, {"priority": 5}),
    "POST /v1/orders/qos": (MINE, {"qos": "DEFAULT"}),
    "POST /v1/orders/run": (RULERS, {}),
    "POST /v1/orders/cancel": (MINE, {}),
    "POST /v1/orders/suspend": (MINE, {}),
    "POST /v1/orders/resume": (RULERS, {}),
    "POST /v1/orders/requeue": (RULERS, {}),
    "POST /v1/orders/checkpoint": (RULERS, {}),
    "POST /v1/orders/signal": (MINE, {"signal": "USR1"}),
    "POST /v1/orders/modify": (MINE, {"changes": [
        {"attribute": "userprio", "op": "=", "value": "3"}]}),
    "POST /v1/orders/deadline": ("1", {"at": AT}),
    "POST /v1/orders/unreserve": (MINE, {"reservations": ["{rsv}"]}),
    "GET /v1/nodes": (ADMINS, None),
    "GET /v1/nodes/{name}": (ADMINS, None),
    "GET /v1/reservations": (ALL, None),  # those one may see
    "POST /v1/reservations": (RULERS, {"hosts": "node01", "tasks": 1, "start_at": AT,
                                        "duration_s": 1000}),
    "GET /v1/reservations/{name}": ("123o", None),
    "PATCH /v1/reservations/{name}": (RULERS, {}),
    "DELETE /v1/reservations/{name}": (MINE, None),
    "GET /v1/standing": (ALL, None),  # those one may see
    "GET /v1/statistics": (ADMINS, None),
    "GET /v1/statistics/{kind}": (ADMINS, None),
    "GET /v1/statistics/grid/{type}": (ADMINS, None),
    "GET /v1/series": (ALL, None),  # as lists tell
    "GET /v1/series/{kind}": ("123o", None),  # one's own
    "GET /v1/distributions": ("123o", None),  # one's own
    "GET /v1/promises": (ALL, None),  # one's own
    "POST /v1/orders/reset-statistics": ("1", None),
    "GET /v1/fairshare": (ADMINS, None),
    "GET /v1/priorities": (ALL, None),  # one's own of those that are named
    "GET /v1/credentials/{kind}": (ALL, None),  # oneself
    "GET /v1/partitions": (ADMINS, None),
    "GET /v1/managers": (ADMINS, None),
    "GET /v1/parameters": (ADMINS, None),
    "POST /v1/parameters": ("1", {"text": "RESERVATIONDEPTH 3"}),
    "GET /v1/accounting": (ALL, None),  # one's own; ADMIN3 and up those of all
    "GET /v1/bank/accounts": (ALL, None),  # those one may see
    "GET /v1/bank/statement": (ALL, None),
    "GET /v1/bank/quote": (ALL, None),
    "GET /v1/bank/liens": (ALL, None),
    "GET /v1/bank/quotes": (ALL, None),
    "POST /v1/bank/quotes": (ALL, {"request": "q"}),
    "GET /v1/bank/deposits": (ALL, None),
    "GET /v1/bank/usage": (ALL, None),
    "GET /v1/bank/transactions": (ALL, None),
    "GET /v1/bank/rates": (ALL, None),
    "POST /v1/bank/limits": ("1", {"request": "l", "account": "physics", "amount": "1"}),
    "POST /v1/bank/accounts": ("1o", {"account": "below", "parent": "physics"}),
    "POST /v1/bank/deposits": ("1", {"request": "a", "account": "physics", "amount": "1"}),
    "POST /v1/bank/withdrawals": ("1", {"request": "b", "account": "physics", "amount": "1"}),
    "POST /v1/bank/transfers": ("1o", {"request": "c", "account": "physics",
                                       "into": "physics", "amount": "1"}),
    "POST /v1/bank/refunds": ("1", {"request": "d", "run": "7.r1", "amount": "1"}),
    "GET /v1/bank/losses": (ADMINS, None),
    "POST /v1/bank/losses": ("1", {"request": "g", "since": 1}),
    "GET /v1/bank/queue": (ADMINS, None),
    "POST /v1/bank/queue": ("1", {}),
    "GET /v1/events": (ADMINS, None),
    "GET /v1/changes": (ALL, None),  # as lists tell
    "GET /metrics": (ALL, None),
    "GET /openapi.json": (ALL, None),
}
# under RESCTLPOLICY ANY
OPEN = {"POST /v1/reservations": ALL, "PATCH /v1/reservations/{name}": MINE}

# ---- parameters of paths and queries; who: as the operation, unless said ---------------------

PARAMETERS = {
    "past": "",  # the present: tests/live/past_test.py has who may look at the past
    "basis": "",  # of none: any other is refused before it is looked who asks
    "section": "eligible", "user": "nobody", "group": "games", "account": "physics",
    "class": "batch", "qos": "DEFAULT", "partition": "DEFAULT", "reservation": "x",
    "fields": "id", "held": "1", "deadline": "1", "level": "soft", "node": "node01",
    "verbose": "1", "procs": "1", "duration_s": "60", "any": "1", "features": "fast", "procs_per_task": "1",
    "os": "linux", "arch": "x86", "nodes": "1", "mem": ">=1", "mem_per_proc_mb": "1",
    "later": "1", "limits": "1", "per_node": "1", "blocked": "1", "state": "Idle",
    "type": "User", "name": "nobody", "kind": "user", "defaults": "1", "from": "1",
    "to": "2", "after": "1", "since": "1", "ended": "1", "limit": "1", "follow": "0", "full": "1",
    "table": "1", "job": "1", "q": "class:batch", "sort": "-procs", "offset": "1",
    "count": "class,reason", "ids": "1", "kinds": "job",
    "by": "partition", "rows": "0-1", "width": "100", "height": "100", "layers": "use",
    "color": "user", "as": "cells", "packed": "0", "fold": "*", "names": "NODEDOWN", "last": "5", "points": "10", "places": "0", "jobs": "0",
}
ALWAYS = {"/v1/series/{kind}": "name=nobody", "/v1/distributions": "kind=user&name=nobody", "/v1/start": "procs=1", "/v1/events": "follow=0", "/v1/changes": "follow=0", "/v1/timeline": "from=1",
          "/v1/priorities": "ids=1"}  # else there is no end of it
UNABLE = "the resource manager LOCAL cannot"
PARAMETERS_OF = {  # (operation, parameter): who
    ("GET /v1/jobs", "full"): ADMINS,
    ("GET /v1/credentials/{kind}", "name"): "123o",
    ("GET /v1/accounting", "user"): "123o",
}
VALUES = {("GET /v1/bank/statement", "after"): "1.1.0",
          ("GET /v1/parameters", "name"): "RESERVATIONDEPTH",
          ("GET /v1/series", "names"): "procs"}
PATHS = {"{kind}": "user", "{type}": "JOBCOUNT"}  # and of a job, a reservation, a node

# ---- members of bodies: examples (value, who of those the operation lets in) -----------------

TEXTS = [(["nobody", "games"], ALL)]
AMOUNTS = {"procs": [(1, ALL)], "mem_mb": [(0, ALL)], "swap_mb": [(0, ALL)],
           "disk_mb": [(0, ALL)], "gres": [({"matlab": 1}, ALL)]}
REQUEST = {
    "tasks": [(1, ALL)], "nodes": [(1, ALL)], "tasks_per_node": [(1, ALL)],
    "per_task": {key: [({key: value}, who) for value, who in rows]
                 for key, rows in AMOUNTS.items()},
    "mem_per_node_mb": [(0, ALL)],
    "features": [(["fast"], ALL)], "preferences": [(["fast"], ALL)],
    "hosts": [(["node01"], ALL)], "exclude_hosts": [(["node01"], ALL)], "os": [("linux", ALL)],
    "arch": [("x86", ALL)], "network": [("ib", ALL)], "procs_needed": [(">=1", ALL)],
    "mem_needed": [(">=0", ALL)], "swap_needed": [(">=0", ALL)], "disk_needed": [(">=0", ALL)],
    "access": [("SINGLEJOB", ALL)], "allocation": [("FASTEST", ALL)],
    "node_set": [("ONEOF:FEATURE:fast", ALL)],
}
RESERVATION = {
    "start_at": [(AT + 9, ALL)], "end_at": [(AT + 5000, ALL)],
    "duration_s": [(2000, ALL)],
    "users": TEXTS, "groups": TEXTS, "accounts": TEXTS, "classes": TEXTS, "qos": TEXTS,
    "job_attributes": [(["PREEMPTEE"], ALL)], "time_limit": [("1:00:00", ALL)],
    "hosts": [("node02", ALL), ("ALL", ALL)], "tasks": [(1, ALL)],
    "resources": [("PROCS=1", ALL)], "features": [("fast", ALL)],
    "partition": [("DEFAULT", ALL)],
    "flags": [(["BYNAME"], ALL), (["FORCE"], RULERS), (["BYNAME", "OWNERPREEMPT"], RULERS),
              (["IGNSTATE"], RULERS)],
    "exclusive": [(True, ALL)], "owner": [("USER:somebody", RULERS), ("ACCT:physics", RULERS)],
    "charge": [("physics", RULERS), ("physics,games,games", RULERS)],
    "trigger": [("start+60;cancel", ALL), ("start;exec@/bin/true", "1"),
                ("start;cancel,end;submit@/bin/true", "1")],
    "subtype": [("course", ALL)], "nodeset": [("ONEOF:FEATURE:fast", ALL)],
    "label": [("mine", ALL)], "comment": [("for us", ALL)],
}
CHANGED = {  # attributes of jobs that mjobctl -m changes
    "account": [("physics", MINE)], "awduration": [("100", MINE)], "class": [("batch", MINE)],
    "comment": [("x", MINE)], "deadline": [(str(AT), "1")], "depend": [("", MINE)], "eeduration": [], "env": [],
    "features": [("fast", MINE)], "flags": [("restartable", MINE), ("preemptor", RULERS)],
    "gres": [("matlab", MINE)], "group": [("nobody-group", MINE), ("root", RULERS)],
    "hold": [("user", MINE), ("system", RULERS), ("batch", RULERS)],
    "hostlist": [("node01", MINE)], "jobdisk": [("1", MINE)], "jobmem": [("1", MINE)],
    "jobname": [("x", MINE)], "jobswap": [("1", MINE)], "loglevel": [],
    "messages": [("x", MINE)], "minstarttime": [(str(AT), MINE)], "nodecount": [("1", MINE)],
    "mail": [("x@y", MINE)], "mailwhen": [("abe", MINE)],
    "notificationaddress": [("x", MINE)], "partition": [("DEFAULT", MINE)], "priority": [("5", RULERS)],
    "proccount": [("1", MINE)], "qos": [("DEFAULT", MINE), ("high", RULERS)],
    "queue": [("batch", MINE)], "quote": [("1", MINE)], "arraylimit": [], "reqawduration": [("100", MINE)],
    "reqreservation": [("x", MINE)], "rmxstring": [], "sysprio": [("5", RULERS)], "trig": [],
    "trigvar": [], "userprio": [("5", MINE)], "var": [], "wclimit": [("100", MINE)],
}
BANK = {"request": [("e", ALL)], "account": [("physics", ALL)], "amount": [("2", ALL)],
        "text": [("x", ALL)]}
MEMBERS = {
    "BankQueueOrder": {"number": [], "drop": [(False, ALL)], "moved": []},
    "LoginRequest": {"read_only": [(True, ALL)], "level_max": [(0, ALL)], "seconds": [(60, ALL)]},
    "LoginExchange": {"login": [("x" * 43, ALL)]},
    "SchedulerOrder": {
        "action": [("resume", ALL)], "iteration": [(9, ALL)], "count": [(1, ALL)],
        "seconds": [(0, ALL)], "alone": [(False, ALL)], "text": [("x", ALL)],
        "message": [(1, ALL)], "what": [("all", ALL)]},
    "BankAccountOrder": {
        "account": [("other", ALL)], "parent": [("games", "1")], "overflow": [(True, ALL)],
        "closed": [(True, ALL)], "share": [(5, ALL)], "only": [("user=nobody", ALL)],
        "modify": [(True, ALL)]},
    "BankLimit": BANK,
    "BankQuoteOrder": {"request": [("f", ALL)], "until": [(AT, ALL)], "uses": [(2, ALL)],
                       "job": [("x", ALL)]},
    "BankDeposit": dict(BANK, credit_limit=[("5", ALL)], label=[("q1", ALL)],
                        only=[("user=nobody", ALL)], pay_debts=[(True, ALL)],
                        **{"from": [(1, ALL)], "to": [(AT, ALL)]}),
    "BankWithdrawal": dict(BANK, deposit=[(1, ALL)]),
    "BankTransfer": dict(BANK, account=[("games", "1")], into=[("games", "1")],
                         **{"from": [(1, "1")], "to": [(AT, "1")]}),
    "BankRefund": {key: rows for key, rows in dict(
        BANK, run=[("7.r2", ALL)], deposit=[(1, ALL)]).items() if key != "account"},
    "BankRefundLosses": {"request": [("again", ALL)], "since": [(100, ALL)],
                         "text": [("a switch failed", ALL)]},
    "WhatIfRequest": {
        "changes": [([{"order": {"order": verb, "request": dict(more, jobs=["{job}"])}}], who)
                    for verb, more, who in (
                        ("hold", {}, MINE), ("hold", {"kinds": ["system"]}, RULERS),
                        ("release", {}, MINE), ("cancel", {}, MINE),
                        ("priority", {"priority": 5}, RULERS),
                        ("user-priority", {"priority": 5}, MINE),
                        ("qos", {"qos": "DEFAULT"}, MINE), ("qos", {"qos": "high"}, RULERS),
                        ("deadline", {"at": AT}, "1"))]
        + [([{"node": {"name": "node01", "to": to}}], RULERS) for to in ("drain", "down", "up")]
        + [([{"submit": {"script": "#!/bin/sh\n"}}], ALL),
           ([{"submit": {"script": "#!/bin/sh\n", "flags": ["PREEMPTOR"]}}], RULERS)],
        "method": [("plan", ALL), ("run", ALL)], "horizon_s": [],
        "runtime": [], "cpu_ms": [], "watch": [(["{job}"], ALL)]},
    "PastRequest": {"at": [(2, ALL)]},
    "PastMove": {"at": [], "seconds": [(1, ALL)], "cycles": [(1, ALL)], "about": [("7", ALL)]},
    "ParameterChange": {"text": [("RESERVATIONDEPTH 2", ALL)], "persistent": [(True, ALL)],
                        # True takes a change that is there: schedctl_test
                        "drop": [(False, ALL)],
                        # each says what has to be in force, or is alone: schedctl_test
                        "instead": [], "all": []},
    "JobRequest": {
        "name": [("x", ALL)], "script": [("#!/bin/sh\n", ALL)], "arguments": [(["a"], ALL)],
        "environment": [(["A=b"], ALL)], "account": [("physics", ALL)],
        "class": [("batch", ALL)], "qos": [("DEFAULT", ALL)],
        "group": [("own-group", ALL), ("root", RULERS), ("nosuch", RULERS)],
        "wclimit_s": [(60, ALL)],
        "requests": {key: [([{key: value}], who) for value, who in (
            [row for rows in rows.values() for row in rows] if isinstance(rows, dict) else rows)]
            for key, rows in REQUEST.items()},
        "directory": [("/", ALL)], "output": [("/dev/null", ALL)],
        "error": [("/dev/null", ALL)], "join": [(True, ALL)], "dependencies": [([], ALL)],
        "release_at": [(AT, ALL)], "deadline_at": [(AT, "1")], "array": [("1-2", ALL)],
        "hold": [(True, ALL)], "rerunnable": [(False, ALL)], "priority": [(5, ALL)],
        "flags": [(["RESTARTABLE"], ALL), (["PREEMPTEE"], ALL), (["PREEMPTOR"], RULERS)],
        "comment": [("x", ALL)], "reservation": [("x", ALL)], "quote": [(1, ALL)],
        "array_limit": [],  # of arrays
        "partitions": [(["DEFAULT"], ALL)],
        "mail": [("me", ALL)], "mail_when": [("abe", ALL)], "umask": [(18, ALL)]},
    "ReservationDraft": dict(
        RESERVATION, name=[("mine", ALL)], least_tasks=[(1, ALL)],
        profile=[("plain", ALL), ("tool", "1"), ("strong", RULERS), ("wide", RULERS),
                 ("paid", RULERS)]),
    "ReservationChange": dict(
        RESERVATION,
        add=[({"users": ["games"]}, ALL), ({"flags": ["FORCE"]}, RULERS)],
        remove=[({"users": ["games"]}, ALL), ({"flags": ["BYNAME"]}, ALL)],
        charge=[("physics", RULERS), ("physics,games,games", RULERS), (None, RULERS)]),
    "ReservationOrder": {"reservations": [(["{rsv}"], ALL)]},
    "JobOrder": {
        "jobs": [(["{job}"], ALL)], "exact": [(True, ALL)], "where": [({"user": "nobody"}, ALL)],
        "kinds": [(["user"], ALL)],
        "priority": [(7, ALL)], "relative": [(True, ALL)], "qos": [("DEFAULT", ALL)],
        "nodes": [(["node01"], ALL)], "partition": [("DEFAULT", ALL)], "force": [(True, ALL)],
        "ignore": [(["policies"], ALL)], "clear": [(True, ALL)], "signal": [("USR2", ALL)],
        "at": [(AT, ALL)], "text": [("x", ALL)],
        "changes": {key: [([{"attribute": key, "op": "=", "value": value}], who)
                          for value, who in rows] for key, rows in CHANGED.items()}},
}
# (operation, member): examples besides, where the operation gives it a meaning
MEANINGS = {
    ("POST /v1/orders/hold", "kinds"): [(["system"], RULERS), (["batch"], RULERS),
                                        (["all"], RULERS)],
    ("POST /v1/orders/qos", "qos"): [("high", RULERS)],
}
