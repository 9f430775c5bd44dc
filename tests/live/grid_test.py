# SPDX-License-Identifier: Apache-2.0
"""The grid of rights: every member of every request, asked for by everybody."""
import json
import pathlib
import re
import subprocess
import sys
import time

import pytest

import grid_table as table
from live_users import LEVELS, Users

SRC = pathlib.Path(__file__).resolve().parents[2] / "src" / "server"
API = json.loads((SRC / "api" / "openapi.json").read_text())
WHO = {"1": "root", "2": "bin", "3": "daemon", "o": "nobody", "s": "games"}
CONFIG = LEVELS + """QOSCFG[high] PRIORITY=9
ACCOUNTCFG[physics] PRIORITY=0 MANAGERS=nobody
CLASSCFG[batch] PRIORITY=0
SRCFG[plain] HOSTLIST=node04 STARTTIME=0 ENDTIME=1
SRCFG[tool] HOSTLIST=node04 STARTTIME=0 ENDTIME=1 TRIGGER=start;exec@/bin/true
SRCFG[strong] HOSTLIST=node04 STARTTIME=0 ENDTIME=1 FLAGS=FORCE
SRCFG[wide] HOSTLIST=node04 STARTTIME=0 ENDTIME=1 ACCESS=SHARED
SRCFG[paid] HOSTLIST=node04 STARTTIME=0 ENDTIME=1 CHARGEACCOUNT=physics
NODECFG[DEFAULT] FEATURES=fast
USERCFG[DEFAULT] MAXRSV=-1
"""

# One process a user answers for all its requests: [method, path, body] -> [status, answer].
CLIENT = r"""
import http.client, json, socket, sys
class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(sys.argv[1])
for line in sys.stdin:
    method, path, body = json.loads(line)
    c = Unix("maui")
    head = {"Content-Type": "application/json"}
    c.request(method, path, None if body is None else json.dumps(body), head)
    r = c.getresponse()
    text = r.read().decode("utf-8", "replace")
    c.close()
    try:
        answer = json.loads(text)
    except ValueError:
        answer = text[:1000]
    print(json.dumps([r.status, answer]), flush=True)
"""


class Crowd:
    """All five at one daemon."""

    def __init__(self, daemon):
        self.daemon = daemon
        users = Users(daemon)
        self.people = {}
        self.groups = {}
        for role, name in WHO.items():
            uid = users.NAMES.get(name, 0)
            self.people[role] = subprocess.Popen(
                ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups",
                 sys.executable, "-c", CLIENT, f"{daemon.home}/api.sock"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")
            self.groups[role] = self.ask(role, "GET", "/v1/identity")[1]["group"]
        self.jobs = []
        # who asks when such a job would start is told of systems that some job names
        body = dict(table.OPERATIONS["POST /v1/jobs"][1], requests=[{
            name: value for name in ("os", "arch", "network")
            for value, _ in table.REQUEST[name]}])
        assert self.ask("1", "POST", "/v1/jobs", body)[0] == 200
        self.fresh()

    def ask(self, role, method, path, body=None):
        p = self.people[role]
        for _ in range(60):
            p.stdin.write(json.dumps([method, path, body]) + "\n")
            p.stdin.flush()
            status, answer = json.loads(p.stdout.readline())
            if path != "/v1/whatif" or status != 503:
                break
            time.sleep(1)  # questions are paced: as Retry-After says
        return status, answer

    def close(self):
        for p in self.people.values():
            p.stdin.close()
            p.wait(10)
            p.stdout.close()

    def fresh(self):
        """Another job of the owner."""
        body = table.OPERATIONS["POST /v1/jobs"][1]
        status, answer = self.ask("o", "POST", "/v1/jobs", body)
        assert status == 200, answer
        self.job = answer["ids"][0]

    def reservation(self, by_owner):
        """Another reservation of which the owner is accountable."""
        body = dict(table.OPERATIONS["POST /v1/reservations"][1])
        if not by_owner:
            body["charge"] = f",,{WHO['o']}"
        status, answer = self.ask("o" if by_owner else "1", "POST", "/v1/reservations", body)
        assert status == 200, answer
        return answer["name"]


@pytest.fixture(scope="module", params=["ADMINONLY", "ANY"])
def crowd(request, build):
    from live_daemon import Daemon
    d = Daemon(build / "src" / "client" / "maui")
    d.configure(CONFIG + f"RESCTLPOLICY {request.param}\n")
    d.start()
    d.wait(lambda: d.api("/v1/windows")[0] == 200, "the first cycle")  # the plan is asked
    c = None
    try:
        c = Crowd(d)
        c.open = request.param == "ANY"
        yield c
    finally:
        if c:
            c.close()
        d.clean()


def results_of(body):
    """Of an order, a job each; of what would be, a change each."""
    return (body.get("results") or body.get("changes") or []) if isinstance(body, dict) else []


def is_unseen(result):
    """A reservation that is there, but not for everybody."""
    return "reservation" in result and result.get("code") == "not_found"


def denied(answer):
    """No right to it: 403, what others have is not there, or each job refused so."""
    status, body = answer
    if status in (403, 404):
        return True
    results = results_of(body)
    return bool(results) and all(r.get("code") == "forbidden" or is_unseen(r) for r in results)


def sound(answer):
    """It was let in and understood."""
    status, body = answer
    if status not in (200, 409):
        return False
    return not any(r.get("code") == "forbidden" or is_unseen(r) or (
        r.get("code") == "invalid" and table.UNABLE not in r["message"])
        for r in results_of(body))


def operations():
    for path, methods in API["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield f"{method.upper()} {path}", operation, methods.get("parameters", [])


def schema_of(operation):
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return content and content["schema"]["$ref"].rsplit("/")[-1]


def examples(rows):
    """Those of a member, or of the members within it."""
    if isinstance(rows, dict):
        return [example for inner in rows.values() for example in inner]
    return rows


def address(crowd, path, by_owner):
    """The path with its names filled in; the reservation made for it, if any."""
    made = None
    for word, value in table.PATHS.items():
        path = path.replace(word, value)
    path = path.replace("{id}", crowd.job)
    if path == "/v1/nodes/{name}":
        path = "/v1/nodes/node01"
    if "{name}" in path:
        made = crowd.reservation(by_owner)
        path = path.replace("{name}", made)
    return path, made


def fill(value, crowd, role):
    text = json.dumps(value).replace("{job}", crowd.job)
    text = text.replace("own-group", crowd.groups[role])
    return json.loads(text.replace("nobody-group", crowd.groups["o"]))


def probe(crowd, operation, role, body=None, query=""):
    """Ask, and put back what that changed."""
    method, pattern = operation.split()
    path, made = address(crowd, pattern, crowd.open)
    if body and "{rsv}" in json.dumps(body):
        made = crowd.reservation(crowd.open)
        body = json.loads(json.dumps(body).replace("{rsv}", made))
    if pattern in table.ALWAYS:
        query = (query + "&" if query else "?") + table.ALWAYS[pattern]
    answer = crowd.ask(role, method, path + query, body)
    if pattern.startswith("/v1/orders") and not denied(answer):
        state = crowd.ask("1", "GET", f"/v1/jobs/{crowd.job}")
        # One that is not held any more may run and end before the next question. One that
        # was released is held until the resource manager has said so.
        if (state[0] != 200 or state[1]["state"] != "Hold"
                or pattern.endswith(("/modify", "/release"))):
            crowd.fresh()
    if operation == "POST /v1/reservations" and answer[0] == 200:
        made = answer[1]["name"]
    if made:
        crowd.ask("1", "DELETE", f"/v1/reservations/{made}")
    return answer


def compare(crowd, operation, who, what, body=None, query=""):
    wrong = []
    for role in WHO:
        mine = fill(body, crowd, role) if body is not None else None
        answer = probe(crowd, operation, role, mine, query)
        if role in who and not sound(answer):
            wrong.append(f"{operation} {what}: {WHO[role]} ({role}) may, but {answer}")
        if role not in who and not denied(answer):
            wrong.append(f"{operation} {what}: {WHO[role]} ({role}) may not, but {answer}")
    return wrong


def who_of(crowd, operation):
    who = table.OPERATIONS[operation][0]
    return table.OPEN.get(operation, who) if crowd.open else who


def both(a, b):
    return "".join(role for role in a if role in b)


@pytest.mark.parametrize("operation", [name for name, _, _ in operations()])
def test_everybody_may_what_the_grid_says_and_no_more(crowd, operation):
    _, described, shared = next(o for o in operations() if o[0] == operation)
    who, base = who_of(crowd, operation), table.OPERATIONS[operation][1]
    jobs = {"jobs": ["{job}"]} if schema_of(described) == "JobOrder" else {}
    body = None if base is None else dict(base, **jobs)
    wrong = [] if operation.startswith("PATCH") else compare(crowd, operation, who, "", body)
    for parameter in shared + described.get("parameters", []):
        if parameter["in"] == "path":
            continue
        name = parameter["name"]
        allowed = both(who, table.PARAMETERS_OF.get((operation, name), table.ALL))
        value = table.PARAMETERS[name]
        query = f"?{name}={table.VALUES.get((operation, name), value)}"
        given = dict(body, comment="x") if operation.startswith("PATCH") else body
        wrong += compare(crowd, operation, allowed, query, given, query)
    for member, rows in table.MEMBERS.get(schema_of(described), {}).items():
        for value, some in examples(rows) + table.MEANINGS.get((operation, member), []):
            if (member == "changes" and schema_of(described) == "JobOrder"
                    and not operation.endswith("/modify")):
                continue
            wrong += compare(crowd, operation, both(who, some), f"{member}={value!r}",
                             dict(body, **{member: value}))
    assert not wrong, "\n".join(wrong)


# ---- the grid is whole ----

def members_of(schema):
    return set(API["components"]["schemas"][schema].get("properties", {}))


def test_every_operation_member_and_parameter_is_in_the_grid():
    assert {name for name, _, _ in operations()} == set(table.OPERATIONS)
    for name, operation, shared in operations():
        for parameter in shared + operation.get("parameters", []):
            assert parameter["in"] == "path" or parameter["name"] in table.PARAMETERS, name
        schema = schema_of(operation)
        if schema:
            assert members_of(schema) == set(table.MEMBERS[schema]), schema
    assert members_of("Request") == set(table.REQUEST)
    assert members_of("Amounts") == set(table.AMOUNTS)


def test_every_attribute_of_jobs_is_in_the_grid():
    names = re.findall(r'^    \{"(\w+)", [A-Z0-9_]+, VALUE_', (SRC / "drafts" / "jobattr.c").read_text(), re.M)
    assert len(names) > 30 and set(names) == set(table.CHANGED)
