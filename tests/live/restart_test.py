# SPDX-License-Identifier: Apache-2.0
"""Requests that come while a daemon begins: nothing is answered, or taken, before all is
in force again that was acknowledged."""
import http.server
import json
import os
import socketserver
import subprocess
import threading
import time

import pytest

QUEUED = 400 # so many jobs to tell of make it a while
ROUNDS = 6
RESERVATIONS = "/v1/reservations"


def wish(**more):
    return dict({"hosts": "node0[1-2]", "duration_s": 86400, "exclusive": True}, **more)


def answers_at_once(live, *requests):
    """To all of them, in the moment in which the killed daemon listens again."""
    answers = [None] * len(requests)

    def ask(i):
        answers[i] = live.api(*requests[i])

    live.kill()
    live.start()
    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(requests))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return answers


def test_nothing_is_answered_before_the_state_is_whole(live):
    live.submit(array=f"1-{QUEUED}", hold=True)
    status, made = live.api(RESERVATIONS, wish(name="mine"))
    assert status == 200, made
    name = made["name"]
    for _ in range(ROUNDS):
        other, taken, listed, jobs = answers_at_once(live,
            (RESERVATIONS, wish(name="other")),
            (RESERVATIONS, wish(name=name, hosts="node03")),
            (RESERVATIONS,), ("/v1/jobs?fields=id",))
        assert other[0] == 409 and "node01" in other[1]["error"]["message"], other
        assert taken[0] != 200 or taken[1]["name"] != name, taken
        assert name in json.dumps(listed[1]), listed
        assert sum("id" in j for j in jobs[1]) == QUEUED
    gone, = answers_at_once(live, (f"{RESERVATIONS}/{name}", None, "DELETE"))
    assert gone[0] == 200, gone


@pytest.mark.parametrize("after_s", [0.05, 0.3])
def test_an_array_is_there_whole_or_not_at_all(live, after_s):
    answers = []

    def submit():
        try:
            answers.append(live.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "wclimit_s": 60,
                "directory": "/", "hold": True, "array": f"1-{QUEUED}%8"}))
        except OSError:
            pass  # killed before it answered

    array = threading.Thread(target=submit)
    array.start()
    time.sleep(after_s)
    live.kill()
    array.join()
    live.start()
    there = sum("id" in j for j in live.api("/v1/jobs?fields=id")[1])
    told = [answer for status, answer in answers if status == 200]
    assert there == QUEUED if told else there in (0, QUEUED), (there, told)


class Busy(http.server.BaseHTTPRequestHandler):
    """A scheduler that says "later" once."""
    asked, again_s = 0, 1

    def do_GET(self):
        Busy.asked += 1
        self.send_response(503 if Busy.asked == 1 else 200)
        if Busy.asked == 1:
            self.send_header("Retry-After", str(Busy.again_s))
        self.end_headers()
        self.wfile.write(b'{"error":{"code":"unavailable","message":"later"}}\n'
                         if Busy.asked == 1 else b'{"summary":{"at":1}}\n')

    def log_message(self, *_):
        pass


def test_commands_wait_when_they_are_told_to_come_again(daemon):
    class Server(socketserver.UnixStreamServer):
        def get_request(self):
            return super().get_request()[0], ("unix", 0)

    server = Server(f"{daemon.home}/api.sock", Busy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        told = daemon.ok("showq", "--format", "json")
        assert json.loads(told) == {"summary": {"at": 1}} and Busy.asked == 2
        Busy.asked, Busy.again_s = 0, 60 # longer than the command may wait
        done = subprocess.run([daemon.program, "showq"], capture_output=True, text=True,
                              env=dict(daemon.env, CLIENTTIMEOUT="10"), timeout=60)
        assert done.returncode == 1 and "later" in done.stderr, done
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        os.unlink(f"{daemon.home}/api.sock")


def test_a_job_on_a_node_that_is_forgotten_is_told_and_found_again(live):
    """Begun again without --nodes by mistake: the job goes on, and its node says so."""
    job = live.submit(requests=[{"tasks": 4}])
    live.wait(lambda: live.state(job) == "Running", "the start")
    live.stop()
    all_nodes, live.nodes = live.nodes, "1x2"
    live.start()
    live.wait(lambda: live.state(job) == "Running", "the job")
    assert "it is not configured any more" in live.ok("checknode", "node02")
    live.stop()
    live.nodes = all_nodes
    live.start()
    live.wait(lambda: live.state(job) == "Running", "the job")
    assert not live.job(job).get("holds"), live.job(job)
    assert "Holds:" not in live.ok("checkjob", job)
    assert "not configured" not in live.ok("checknode", "node02")
