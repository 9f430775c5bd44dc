# SPDX-License-Identifier: Apache-2.0
"""GET /v1/events and /metrics."""
import json
import os
import re
import socket
import subprocess
import threading
import time

import pytest


class Reader:
    """A client of /v1/events that reads as it comes."""

    def __init__(self, daemon, query="", *headers):
        self.daemon = daemon
        command = ["curl", "-s", "-N", "-g", "--unix-socket", f"{daemon.home}/api.sock",
                   f"http://maui/v1/events{query}"]
        for h in headers:
            command += ["-H", h]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def events(self):
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def wait(self, name, object=None):
        return self.daemon.wait(
            lambda: [e for e in self.events() if e["event"] == name
                     and object in (None, e.get("object"))], f"{name} of {object}")[0]

    def stop(self):
        self.process.kill()
        self.process.wait()


def is_open(daemon):
    """The stream has begun: its request is counted."""
    return metrics(daemon)["maui_requests_open"] >= 2


def metrics(daemon):
    command = ["curl", "-s", "--unix-socket", f"{daemon.home}/api.sock", "http://maui/metrics"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
            for line in text.splitlines() if not line.startswith("#")}


def test_events_come_as_they_happen_in_order_to_all_readers(live):
    readers = [Reader(live) for _ in range(3)]
    live.wait(lambda: metrics(live)["maui_requests_open"] >= 4, "the readers")
    job = live.submit("true")
    for r in readers:
        r.wait("JOBEND", job)
        mine = [e["event"] for e in r.events() if e.get("object") == job]
        assert mine == ["JOBSUBMIT", "JOBSTART", "JOBEND"]
        numbers = [e["number"] for e in r.events()]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        r.stop()


def test_a_reader_begins_where_it_says_and_after_a_restart_too(live):
    job = live.submit(hold=True)
    live.wait(lambda: live.api("/v1/events?follow=0&from=1")[1][-1]["object"] == job, "it")
    all = live.api("/v1/events?follow=0&from=1")[1]
    assert [e["number"] for e in all] == list(range(1, len(all) + 1))
    assert live.api(f"/v1/events?follow=0&from={len(all)}")[1] == all[-1]
    live.kill()
    live.start()
    again = live.api("/v1/events?follow=0&from=1")[1]
    assert again[:len(all)] == all
    for wrong in ("x", "99999", "-3"):
        assert live.api(f"/v1/events?from={wrong}")[0] == 400


def test_server_sent_events_have_ids_and_go_on_behind_the_last(live):
    job = live.submit(hold=True)
    live.ok("canceljob", job)
    r = Reader(live, "?from=1", "Accept: text/event-stream")
    live.wait(lambda: "event: JOBCANCEL" in r.lines, "the event")
    i = r.lines.index("event: JOBCANCEL")
    number = int(r.lines[i - 1].removeprefix("id: "))
    assert json.loads(r.lines[i + 1].removeprefix("data: "))["number"] == number
    assert r.lines[i + 2] == ""
    r.stop()
    r = Reader(live, "", "Accept: text/event-stream", f"Last-Event-ID: {number - 1}")
    live.wait(lambda: f"id: {number}" in r.lines, "the event again")
    assert f"id: {number - 1}" not in r.lines
    r.stop()
    r = Reader(live, "", "Accept: text/event-stream", "Last-Event-ID: 99999999999999999999")
    live.wait(lambda: "id: 1" in r.lines, "all there is")
    assert "event: LOST" in r.lines
    r.stop()


def test_a_reader_that_does_not_read_is_dropped_with_a_word_and_holds_up_nobody(live):
    jobs = [live.submit(hold=True) for _ in range(50)]
    s = socket.socket(socket.AF_UNIX)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.connect(f"{live.home}/api.sock")
    s.sendall(b"GET /v1/events HTTP/1.1\r\nHost: maui\r\n\r\n")
    live.wait(lambda: is_open(live), "the reader")
    number, since = 0, time.monotonic()
    while number < 12000:
        for kind in ("hold", "release"):
            status, _ = live.api(f"/v1/orders/{kind}", {"jobs": jobs, "kinds": ["user"]})
            assert status == 200
        number = live.api("/v1/events?follow=0&from=0")[1][-1]["number"]
    began = time.monotonic()
    assert live.api("/v1/scheduler")[0] == 200
    assert time.monotonic() - began < 2
    s.settimeout(5)
    text = b""
    try:
        while part := s.recv(65536):
            text += part
            if b"DROPPED" in text:
                break
    except socket.timeout:
        pass
    # who does not read for 30 s is closed, as every connection is, without one
    assert b'"event":"DROPPED"' in text or began - since > 25
    first = live.api("/v1/events?follow=0&from=1")[1]
    assert first[0]["event"] == "LOST" and first[1]["number"] == first[0]["next"] > 1


def test_readers_are_limited_and_those_that_left_are_forgotten(live):
    sockets = []
    for _ in range(100):
        s = socket.socket(socket.AF_UNIX)
        s.connect(f"{live.home}/api.sock")
        s.sendall(b"GET /v1/events HTTP/1.1\r\nHost: maui\r\n\r\n")
        sockets.append(s)
    live.wait(lambda: metrics(live)["maui_requests_open"] >= 101, "the readers")
    status, answer = live.api("/v1/events")
    assert status == 503 and "100 others" in answer["error"]["message"]
    assert live.api("/v1/events?follow=0&from=1")[0] == 200  # which ends by itself
    for s in sockets:
        s.close()
    live.submit(hold=True)  # something to tell: then they are found to be gone
    live.wait(lambda: metrics(live)["maui_requests_open"] < 100, "the end of the readers")
    assert live.api("/v1/events?follow=0&from=1")[0] == 200


def test_the_daemon_stops_while_somebody_reads(live):
    r = Reader(live)
    live.wait(lambda: is_open(live), "the reader")
    live.ok("schedctl", "-k")
    live.gone(live.pid() if os.path.getsize(f"{live.home}/maui.pid") else 1 << 22)
    assert r.process.wait(5) in (0, 18, 52, 56)


def test_events_are_not_for_everybody_but_figures_are(daemon):
    if os.geteuid() != 0:
        pytest.skip("other users can only be played by root")
    daemon.start()
    os.chmod(daemon.home, 0o755)

    def ask(path):
        return subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-s",
             "--unix-socket", f"{daemon.home}/api.sock", f"http://maui{path}"],
            capture_output=True, text=True, check=False).stdout

    assert "not authorized" in ask("/v1/events")
    assert "maui_jobs{" in ask("/metrics")


def test_metrics_are_in_the_text_format_and_count(live):
    command = ["curl", "-s", "-i", "--unix-socket", f"{live.home}/api.sock",
               "http://maui/metrics"]
    job = live.submit("sleep 60", requests=[{"tasks": 3}], **{"class": "batch"})
    live.submit(hold=True)
    live.submit(requests=[{"tasks": 6}])
    live.wait(lambda: live.state(job) == "Running", "the start")
    live.wait(lambda: metrics(live)['maui_jobs{state="running"}'] == 1, "the walk")
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Content-Type: text/plain; version=0.0.4" in text
    names = set()
    for line in text.split("\n\n", 1)[-1].replace("\r", "").splitlines():
        if line.startswith("# TYPE"):
            names.add(line.split()[2])
        elif line and not line.startswith("#"):
            assert re.fullmatch(r'[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.einf]+',
                                line), line
            name = line.split("{")[0].split(" ")[0]
            assert name in names or re.sub("_(bucket|sum|count)$", "", name) in names, line
    m = metrics(live)
    assert m['maui_jobs{state="held"}'] == 1 and m['maui_jobs{state="eligible"}'] == 1
    assert m['maui_processors{state="busy"}'] == 3 and m['maui_processors{state="idle"}'] == 5
    assert m['maui_nodes{state="up"}'] == 4
    assert m['maui_events_total{event="JOBSUBMIT"}'] == 3
    assert m["maui_job_queue_wait_seconds_count"] == 1
    assert m["maui_cycle_duration_seconds_count"] > 0 and m["maui_rm_up"] == 1
    assert m['maui_rm_duration_seconds_count{action="start"}'] == 1
    assert m["maui_commits_total"] > 0 and m["maui_requests_total"] > 3
    assert m['maui_class_active_processors{class="batch"}'] == 3
    buckets = [v for k, v in m.items() if k.startswith("maui_cycle_duration_seconds_bucket")]
    assert buckets == sorted(buckets)
