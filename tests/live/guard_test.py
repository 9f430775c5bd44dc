# SPDX-License-Identifier: Apache-2.0
"""What a request may cost before it is known whose it is, and what one user may take of
what all share; and web sites that act through a forwarded socket."""
import json
import os
import resource
import socket
import subprocess
import sys
import time

import pytest

from hostile_test import Raw, request, runs_soon

OTHER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

needs_root = pytest.mark.skipif(os.geteuid() != 0,
                                reason="other users can only be played by root")

# Begins PIECES requests whose body never comes whole, begins anew those that are cut, and
# says so when each was begun once; until its input ends.
FLOOD = """
import select, socket, sys
path, connections, body = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
head = (b"POST /v1/jobs HTTP/1.1\\r\\nHost: maui\\r\\nContent-Type: application/json\\r\\n"
        b"Content-Length: %d\\r\\n\\r\\n" % (body + 1)) if body else b"GET /v1/jo"
def begin():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    try:
        s.connect(path)
        s.sendall(head)
        for _ in range(0, body, 1 << 20):
            s.sendall(b"x" * min(body, 1 << 20))
    except OSError:
        pass
    return s
held = [begin() for _ in range(connections)]
print("begun", flush=True)
while not select.select([sys.stdin], [], [], 0.01)[0]:
    for i, s in enumerate(held):
        if select.select([s], [], [], 0)[0]:
            s.close()
            held[i] = begin()
"""


class Flood:
    def __init__(self, live, connections, body):
        os.chmod(live.home, 0o755)
        self.process = subprocess.Popen(
            OTHER + [sys.executable, "-c", FLOOD, f"{live.home}/api.sock",
                     str(connections), str(body)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/", text=True)

    def __enter__(self):
        assert self.process.stdout.readline() == "begun\n"
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.wait(60) == 0
        self.process.stdout.close()


def memory_mb(live):
    with open(f"/proc/{live.pid()}/status") as f:
        return int(next(l for l in f if l.startswith("VmRSS")).split()[1]) / 1024


@needs_root
def test_half_sent_bodies_take_no_more_than_a_share(live):
    runs_soon(live)
    before = memory_mb(live)
    with Flood(live, 60, 15 << 20):
        assert memory_mb(live) - before < 48 # 60 bodies of 15 MB
        begin = time.monotonic()
        assert live.api("/v1/identity")[0] == 200
        runs_soon(live)
        assert time.monotonic() - begin < 10


def test_who_has_too_much_under_way_is_told_so(live):
    half = [Raw(live) for _ in range(2)]
    for raw in half:
        whole = request(b"/v1/jobs", b"x" * (12 << 20))
        raw.send(whole[:-10])
    answer = half[1].send(whole[-10:]).answer()
    assert answer.split()[1] == b"503" and b"Retry-After: 2" in answer, answer[:400]
    assert b"unfinished requests of yours" in answer
    assert half[0].send(whole[-10:]).status() == 400 # it is not JSON, which is told
    runs_soon(live)


def test_many_small_values_are_refused_before_they_are_taken_apart(live):
    before = memory_mb(live)
    many = b'{"jobs":[' + b"{}," * 120000 + b"{}]}"
    answer = Raw(live).send(request(b"/v1/orders/hold", many)).answer()
    assert answer.split()[1] == b"400" and b"values" in answer
    assert memory_mb(live) - before < 20
    text = json.dumps({"script": "#!/bin/sh\n" + ',"[{' * 120000, "hold": True})
    assert Raw(live).send(request(b"/v1/jobs", text.encode())).status() == 200


def test_who_asks_and_does_not_read_costs_others_nothing(live):
    """300 long lists that nobody takes, and one connection with 2,000 requests in a row."""
    live.submit(array="1-1500", hold=True)
    before = memory_mb(live)
    askers = [Raw(live).send(request(b"/v1/jobs")) for _ in range(300)]
    line = Raw(live)
    line.socket.settimeout(0.2) # it may be full before all are in
    try:
        line.send(request(b"/v1/jobs") * 2000)
    except TimeoutError:
        pass
    for _ in range(5):
        job = live.submit("true")
        live.wait(lambda j=job: live.state(j) is None, "the job's end", 10)
        assert len(live.lines("showq")) > 1500
    assert memory_mb(live) - before < 100
    for asker in [*askers, line]:
        asker.socket.close()
    runs_soon(live)


@needs_root
@pytest.mark.parametrize("limit", [64, 256])
def test_half_requests_of_one_user_lock_nobody_out_whatever_the_limit(live, limit):
    resource.prlimit(live.pid(), resource.RLIMIT_NOFILE, (limit, limit))
    with Flood(live, 2 * limit, 0):
        for _ in range(20):
            begin = time.monotonic()
            assert live.api("/v1/identity")[0] == 200
            assert time.monotonic() - begin < 15
        runs_soon(live)
    runs_soon(live)


# ---- web sites ----

def status_of(live, head, method=b"GET", path=b"/v1/jobs", body=b""):
    length = b"Content-Length: %d\r\n" % len(body) if method != b"GET" else b""
    answer = Raw(live).send(method + b" " + path + b" HTTP/1.1\r\n" + head + length
                            + b"\r\n" + body).answer()
    if answer.split()[1] != b"200":
        assert len(json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"]) > 20
    return int(answer.split()[1])


JOB = json.dumps({"script": "#!/bin/sh\ntrue\n", "wclimit_s": 60, "hold": True}).encode()
HOST = b"Host: maui\r\n"


@pytest.mark.parametrize("head", [
    b"Host: localhost\r\nOrigin: http://evil.example\r\n",
    b"Host: localhost:8080\r\nOrigin: http://localhost:8080\r\n",
    b"Host: localhost\r\nOrigin: null\r\n",
    b"Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
    b"Host: localhost\r\nSec-Fetch-Mode: no-cors\r\n"])
def test_requests_of_web_sites_are_refused(live, head):
    kind = b"Content-Type: application/json\r\n"
    assert status_of(live, head) == 403
    assert status_of(live, head + kind, b"POST", body=JOB) == 403
    assert [j for j in live.api("/v1/jobs")[1] if "id" in j] == []


@pytest.mark.parametrize("host, status", [
    (b"maui", 200), (b"localhost", 200), (b"LocalHost:8080", 200), (b"127.0.0.1:1", 200),
    (b"[::1]:80", 200), (socket.gethostname().encode(), 200), (b"evil.example", 421),
    (b"localhost.evil.example", 421), (b"maui.evil.example:80", 421), (b"10.0.0.7", 421)])
def test_the_socket_answers_to_its_names_only(live, host, status):
    assert status_of(live, b"Host: " + host + b"\r\n", path=b"/v1/identity") == status


@pytest.mark.parametrize("kind, status", [
    (b"Content-Type: application/json\r\n", 200),
    (b"Content-Type: application/json; charset=utf-8\r\n", 200),
    (b"Content-Type: application/x-www-form-urlencoded\r\n", 415),
    (b"Content-Type: multipart/form-data; boundary=x\r\n", 415),
    (b"Content-Type: text/plain\r\n", 415), (b"", 415),
    (b"Content-Type: application/jsonp\r\n", 415)])
def test_bodies_that_a_form_could_send_are_refused(live, kind, status):
    assert status_of(live, HOST + kind, b"POST", body=JOB) == status


def test_an_old_client_that_names_no_host_is_answered(live):
    answer = Raw(live).send(b"GET /v1/identity HTTP/1.0\r\n\r\n").answer()
    assert answer.split()[1] == b"200", answer
