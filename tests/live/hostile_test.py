# SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm, or know no better: the daemon refuses them with a sentence,
serves everybody else meanwhile, and goes on scheduling."""
import json
import os
import pathlib
import random
import resource
import signal
import socket
import subprocess
import time

import pytest


class Raw:
    """A connection that sends whatever it is told."""

    def __init__(self, daemon):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{daemon.home}/api.sock") # waits for its turn
        self.socket.settimeout(20)

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return self

    def answer(self):
        """All that comes until the other side closes, or has answered whole."""
        data = b""
        try:
            while not self.whole(data):
                more = self.socket.recv(65536)
                if not more:
                    break
                data += more
        except ConnectionResetError:
            pass
        self.socket.close()
        return data

    @staticmethod
    def whole(data):
        head, gap, body = data.partition(b"\r\n\r\n")
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                return gap and len(body) >= int(line.split(b":")[1])
        return False

    def status(self):
        data = self.answer()
        return int(data.split()[1]) if data.startswith(b"HTTP/") else None


def request(path, body=b"", method=None, head=b""):
    method = method or (b"POST" if body else b"GET")
    return (method + b" " + path + b" HTTP/1.1\r\nHost: maui\r\n"
            + b"Content-Type: application/json\r\nContent-Length: "
            + str(len(body)).encode() + b"\r\n" + head + b"\r\n" + body)


def runs_soon(daemon, seconds=5):
    """A job of a good client starts: answers, cycles and commits go on."""
    begin = time.monotonic()
    job = daemon.submit("true")
    daemon.wait(lambda: daemon.state(job) in ("Running", None), "a start", seconds)
    assert time.monotonic() - begin < seconds
    return job


def test_what_is_not_http_is_refused_and_nobody_else_notices(live):
    seed = int(os.environ.get("MAUI_CHAOS_SEED", time.time_ns() % 2**32))
    print("seed", seed)
    dice = random.Random(seed)
    pieces = [b"GET", b" ", b"/v1/jobs", b"HTTP/1.1", b"\r\n", b"\n", b"\0", b"\xff\xfe",
              b"Content-Length: ", b"-1", b"99999999999999999999", b"4", b"Host: x",
              b"Transfer-Encoding: chunked", b"ffffffffffffffff", b"POST", b":", b"?a=%",
              b"Expect: 100-continue", b"\r\n\r\n", b"Connection: upgrade", b"%00", b"{}"]
    for _ in range(200):
        raw = Raw(live)
        raw.socket.settimeout(0.01)
        raw.send(b"".join(dice.choices(pieces, k=dice.randint(1, 30))))
        try:
            raw.answer() # not of what may go on yet
        except TimeoutError:
            raw.socket.close()
    runs_soon(live)


def test_malformed_json_is_refused_with_a_sentence(live):
    for body, word in [
            (b"", "script"), (b"{", "not JSON"), (b"[]", "not a JSON object"),
            (b"7", "JSON"), (b'{"script":"a","script":"b"}', "duplicate"),
            (b'{"script":"\\u0000"}', "not JSON"), (b'{"script":"\xff"}', "0xff"),
            (b"[" * 100000, "not JSON"), (b'{"a":' * 100000, "not JSON"),
            (b'{"script":1e999}', "not JSON"), (b'{"script":99999999999999999999}', "not JSON"),
            (b"{}", "script"), (b'{"script":["x"]}', "script")]:
        data = Raw(live).send(request(b"/v1/jobs", body, b"POST")).answer()
        assert data.split()[1] == b"400", body[:80]
        message = json.loads(data.partition(b"\r\n\r\n")[2])["error"]["message"]
        assert word in message, body[:80]


def test_numbers_out_of_range_and_wrong_types_are_refused(live):
    for member in [
            '"wclimit_s":-5', '"wclimit_s":9223372036854775807', '"wclimit_s":"soon"',
            '"requests":[{"tasks":-1}]', '"requests":[{"tasks":4294967297}]',
            '"requests":[{"nodes":-1}]', '"requests":[{"tasks_per_node":99999999999}]',
            '"requests":[{"per_task":{"procs":9223372036854775807},"tasks":5}]',
            '"requests":[{"per_task":{"mem_mb":-7}}]', '"requests":[7]',
            '"release_at":9223372036854775807', '"priority":9223372036854775807',
            '"deadline_at":-3', '"umask":-1', '"flags":[3]', '"dependencies":[7]',
            '"dependencies":["afterok"]', '"dependencies":["afterok:"]']:
        status, answer = live.api("/v1/jobs", f'{{"script":"#!/bin/sh\\ntrue\\n",{member}}}')
        assert status == 400, (member, answer)
        assert len(answer["error"]["message"]) > 10, member


@pytest.mark.parametrize("action, member", [
    ("resume", "seconds"), ("stop", "seconds"), ("step", "seconds"), ("fail", "seconds"),
    ("step", "count")])
def test_no_time_and_no_count_of_the_scheduler_is_out_of_range(live, action, member):
    for n in (-1, -2 ** 63, 2 ** 63 - 1, "soon", 1.5, None):
        status, answer = live.api("/v1/scheduler", {"action": action, member: n})
        assert status == 400 and len(answer["error"]["message"]) > 10, (n, answer)
    runs_soon(live)


ODD_TEXTS = ["", " ", ":", "::", ",", "=", "+", "-", "(", "[", "a:b:c:", "afterok:", "%s%n",
             "-1", str(2 ** 63 - 1), str(-2 ** 63), "1e9", "x" * 5000]
ODD = [*ODD_TEXTS, None, [], [None], [""], [":"], {}, {"": ""}, {"a": None}, True, -1, 0,
       2 ** 63 - 1, -2 ** 63, 1e308]


def odd_bodies(schema, schemas, home):
    """Each member of a request as anything, beside what makes the request whole: job 1 where
    it is about jobs, a script for a new one, which leaves nothing outside of `home`."""
    members = schemas[schema["$ref"].rsplit("/")[-1]].get("properties", {})
    whole = {"jobs": ["1"], "script": "#!/bin/sh\ntrue\n", "directory": home,
             "output": f"{home}/out", "error": f"{home}/err"}
    whole = {name: value for name, value in whole.items() if name in members}
    return [{**whole, member: odd} for member in members for odd in ODD]


def test_no_member_of_a_request_ends_the_daemon_whatever_it_is(live):
    source = pathlib.Path(__file__).resolve().parents[2] / "src" / "server" / "api" / "openapi.json"
    api = json.loads(source.read_text())
    live.submit(hold=True)
    live.ok("setres", "-n", "patch", "-d", "1:00:00", "TASKS==1")
    sent = 0
    for path, operations in api["paths"].items():
        path = path.replace("{id}", "1").replace("{name}", "patch.0").encode()
        for method in sorted({"post", "patch", "put"} & operations.keys()):
            content = operations[method].get("requestBody", {}).get("content", {})
            for kind in content.values():
                for body in odd_bodies(kind["schema"], api["components"]["schemas"],
                                       live.home):
                    data = request(path, json.dumps(body).encode(), method.upper().encode())
                    assert Raw(live).send(data).status() not in (None, 500), (path, body)
                    sent += 1
    assert sent > 1000
    runs_soon(live)


def test_no_change_of_a_job_ends_the_daemon_whatever_it_says(live):
    for job in (live.submit(hold=True), live.submit()):
        for attribute in ("wclimit", "depend", "features", "flags", "gres", "hostlist", "hold",
                          "jobmem", "minstarttime", "partition", "proccount", "class"):
            for op in ("=", "+=", "-="):
                changes = [{"attribute": attribute, "op": op, "value": text}
                           for text in ODD_TEXTS]
                for change in changes:
                    body = json.dumps({"jobs": [job], "changes": [change]}).encode()
                    status = Raw(live).send(request(b"/v1/orders/modify", body)).status()
                    assert status == 200, change
    runs_soon(live)


def test_bodies_and_heads_that_are_too_large_are_refused(live):
    huge = b'{"script":"' + b"x" * (17 << 20) + b'"}'
    assert Raw(live).send(request(b"/v1/jobs", huge)).status() == 413
    assert Raw(live).send(request(b"/v1/jobs", head=b"X: " + b"y" * 100000 + b"\r\n")
                          ).status() in (431, 413, 400, None)
    assert Raw(live).send(request(b"/v1/jobs/" + b"z" * 100000)).status() in (414, 400, None)
    assert Raw(live).send(request(b"/v1/jobs", head=b"A: b\r\n" * 20000)
                          ).status() in (431, 400, None)
    runs_soon(live)


def test_wrong_paths_methods_and_encodings_have_an_answer(live):
    job = live.submit()
    for path, method, expected in [
            (b"/", b"GET", 404), (b"/v1", b"GET", 404), (b"/v1/jobs/", b"GET", 404),
            (b"/v1/jobs/" + b"x" * 9000, b"GET", 404), (b"/v1/jobs/%", b"GET", 404),
            (b"/v1/jobs/%ff%fe", b"GET", 404), (b"/v1/jobs/%00", b"GET", 404),
            (b"/v1/jobs/%zz", b"GET", 404), (b"/v1/jobs/%2e%2e/%2e%2e", b"GET", 404),
            (b"/v1/jobs/../../etc/passwd", b"GET", 404), (b"/v1//jobs", b"GET", 404),
            (b"/v1/nodes/%F0%9F%98", b"GET", 404), (b"/v1/jobs", b"PUT", 405),
            (b"/v1/jobs", b"BREW", 405), (b"/v1/orders/hold", b"GET", 405),
            (b"/v1/reservations/a%2Fb", b"DELETE", 404),
            (b"/v1/jobs?" + b"a=%ff&" * 100, b"GET", 200),
            (f"/v1/jobs/{job}".encode(), b"GET", 200)]:
        data = Raw(live).send(request(path, b"", method, b"Connection: close\r\n")).answer()
        assert data.split()[1] == str(expected).encode(), path
        if expected >= 400:
            error = json.loads(data.partition(b"\r\n\r\n")[2])["error"]
            assert error["message"] and error["code"], path


def test_a_sentence_cut_within_a_character_is_still_told(live):
    for n in range(3):
        name = "x" * n + "ü€😀" * 300
        status, answer = live.api("/v1/orders/hold", {"jobs": [name]})
        assert status == 200 and len(answer["results"]) == 1
        assert answer["results"][0]["message"]


def test_others_are_served_while_a_client_sends_a_byte_at_a_time(live):
    """How long it may do so: tests/unit/server/connections_test.c."""
    slow = [Raw(live) for _ in range(20)]
    for byte in request(b"/v1/identity")[:20]:
        for raw in slow:
            raw.send(bytes([byte]))
        assert live.api("/v1/identity")[0] == 200
    runs_soon(live)
    for raw in slow:
        assert raw.send(request(b"/v1/identity")[20:]).status() == 200


def test_thousands_of_silent_connections_shut_nobody_out(live):
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, limits[1]), limits[1]))
    left = []
    try:
        for i in range(2500):
            raw = Raw(live)
            if i % 2:
                raw.send(b"GET /v1/jo")
            left.append(raw)
        runs_soon(live)
        assert live.api("/v1/scheduler")[0] == 200
    finally:
        for raw in left:
            raw.socket.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    runs_soon(live)


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_another_user_may_look_and_no_more(live):
    job = live.submit("sleep 60")
    os.chmod(live.home, 0o755)

    def other(path, body=None, method=None):
        command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
                   "curl", "-s", "-w", "\n%{http_code}", "--unix-socket",
                   f"{live.home}/api.sock", f"http://maui{path}"]
        command += (["-H", "Content-Type: application/json", "-d", json.dumps(body)]
                    if body is not None else [])
        command += ["-X", method] if method else []
        text, status = subprocess.run(command, capture_output=True, text=True,
                                      check=True).stdout.rsplit("\n", 1)
        return int(status), text

    assert json.loads(other("/v1/identity")[1])["level"] == 0
    for order in ("hold", "release", "cancel", "qos"):
        status, text = other(f"/v1/orders/{order}", {"jobs": [job], "qos": "high"})
        result = json.loads(text)["results"][0]
        assert (status, result["ok"], result["code"]) == (200, False, "forbidden")
    assert other("/v1/orders/priority", {"jobs": [job], "priority": 5})[0] == 403
    for path in ("/v1/scheduler", "/v1/nodes", "/v1/nodes/node01", "/v1/parameters",
                 "/v1/priorities", "/v1/partitions"):
        assert other(path)[0] == 403, path
    assert other("/v1/scheduler", {"action": "shutdown"})[0] == 403
    assert other(f"/v1/jobs/{job}")[0] == 403
    assert live.state(job) == "Running" and "holds" not in live.job(job)


def test_it_stops_while_requests_wait_for_their_answer(live):
    """Submissions whose answer the resource manager's writer still owes, at the moment
    of SIGTERM: answered or refused, and the daemon ends in order."""
    for _ in range(5):
        pid = live.pid()
        body = json.dumps({"script": "#!/bin/sh\ntrue\n", "directory": live.home,
                           "wclimit_s": 10}).encode()
        waiting = [Raw(live).send(request(b"/v1/jobs", body)) for _ in range(30)]
        os.kill(pid, signal.SIGTERM)
        answers = {raw.status() for raw in waiting}
        assert answers <= {200, 503, None}
        live.gone(pid)
        assert "maui stops" in live.log().splitlines()[-1]
        assert not os.path.exists(f"{live.home}/api.sock")
        live.start()
    runs_soon(live, 20)
