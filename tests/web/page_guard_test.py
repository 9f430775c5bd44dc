# SPDX-License-Identifier: Apache-2.0
"""Other web sites, other users of the machine, and somebody who means harm, at the page's
own listener."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = json.loads((ROOT / "src" / "server" / "api" / "openapi.json").read_text())


def operations():
    return [(method.upper(), path, what["x-level"]) for path, all_ in API["paths"].items()
            for method, what in all_.items() if method != "parameters"]


def fill(path):
    return re.sub(r"\{\w+\}", "1", path) + ("?follow=0" if path in ("/v1/events", "/v1/changes") else "")


@pytest.mark.parametrize("host, status", [
    ("localhost", 200), ("127.0.0.1:1", 200), ("[::1]:8080", 200), ("LOCALHOST:80", 200),
    ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421),
    ("localhost:80@evil.example", 421), ("maui", 421), ("", 421), (None, 400)])
def test_the_page_answers_to_its_names_only(page, host, status):
    session = page.open()
    assert page.by(session, "GET", "/v1/identity", Host=host)[0] == status
    assert page.ask("GET", "/ui/", Host=host)[0] == status


def test_other_sites_are_refused(page):
    session = page.open()
    own = f"http://127.0.0.1:{page.at}"
    for head, status in (({"Origin": own}, 200), ({"Origin": "http://evil.example"}, 403),
                         ({"Origin": "null"}, 403), ({"Origin": f"http://127.0.0.1:{page.at + 1}"}, 403),
                         ({"Origin": own + ".evil.example"}, 403),
                         ({"Origin": own.replace("http", "https")}, 403),
                         ({"Sec_Fetch_Site": "same-origin"}, 200),
                         ({"Sec_Fetch_Site": "same-site"}, 403), ({"Sec_Fetch_Site": "cross-site"}, 403),
                         ({"Sec_Fetch_Site": "none"}, 403)):
        assert page.by(session, "GET", "/v1/identity", **head)[0] == status, head
    # a person who follows a link sees the page, which is the same for all
    visit = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert page.ask("GET", "/ui/", Sec_Fetch_Site="none", **visit)[0] == 200
    assert page.ask("GET", "/ui/", Sec_Fetch_Site="cross-site", **visit)[0] == 200
    assert page.ask("GET", "/v1/identity", Sec_Fetch_Site="cross-site", **visit)[0] == 403
    frame = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
    assert page.ask("GET", "/ui/", Sec_Fetch_Site="cross-site", **frame)[0] == 403
    script = {"Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "script"}
    assert page.ask("GET", "/ui/", Sec_Fetch_Site="cross-site", **script)[0] == 403


def test_bodies_that_a_form_could_send_are_refused(page):
    session = page.open()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None):
        status = page.by(session, "POST", "/v1/orders/hold", '{"jobs": ["1"]}', Content_Type=kind)[0]
        assert status == 415, kind


def test_every_operation_needs_a_session(page):
    page.open()
    for method, path, _ in operations():
        if (method, path) == ("POST", "/v1/session"):
            continue
        body = {} if method in ("POST", "PATCH") else None
        for head in ({}, {"Authorization": "Session " + "x" * 43}, {"Authorization": "MUNGE x"},
                     {"Cookie": "session=" + "x" * 43}, {"Authorization": "Basic cm9vdDo="}):
            status, _, answer = page.ask(method, fill(path), body, **head)
            assert status == 401, (method, path, head, answer)
            assert answer["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize("level", [0, 3, 2, 1])
def test_every_operation_is_open_to_its_level_and_no_other(live, page, level):
    """As the description says: `x-level` of each."""
    answer = live.api("/v1/logins", {"level_max": level} if level != 1 else {})[1]
    page.at = int(answer["url"].split(":")[2].split("/")[0])
    session = page.ask("POST", "/v1/session", {"login": answer["login"]})[2]
    assert session["level"] == level
    rank = {"any": 0, "admin3": 1, "admin2": 2, "admin1": 3}
    mine = {0: 0, 3: 1, 2: 2, 1: 3}[level]
    for method, path, needs in operations():
        if path in ("/v1/session", "/v1/logins") or "{id}" in path and method == "DELETE":
            continue
        if (method, path) == ("POST", "/v1/scheduler"):
            continue  # it would stop: below
        if any(word not in rank for word in needs.split("|")):
            continue  # for some of them: the tests of those commands
        least = min(rank[word] for word in needs.split("|"))
        status, _, answer = page.by(session, method, fill(path), {} if method != "GET" else None)
        assert (status == 403) == (mine < least), (method, path, needs, answer)
    status = page.by(session, "POST", "/v1/scheduler", {"action": "resume"})[0]
    assert status == (200 if level == 1 else 403)


def test_a_login_is_not_to_be_had_by_the_page_itself(page):
    session = page.open()
    status, _, answer = page.by(session, "POST", "/v1/logins", {})
    assert status == 403 and "unix socket" in answer["error"]["message"]


def test_a_session_does_not_serve_elsewhere(page, live):
    session = page.open()
    out = subprocess.run(
        ["curl", "-s", "--unix-socket", f"{live.home}/api.sock", "http://maui/v1/identity", "-H",
         f"Authorization: Session {session['secret']}"], capture_output=True, text=True, check=True)
    assert "session" not in json.loads(out.stdout)
    assert live.api("/v1/session", {"login": "x" * 43})[0] == 409


def test_answers_say_what_browsers_are_to_keep_to(page):
    session = page.open()
    status, head, text = page.ask("GET", "/ui/")
    assert status == 200
    asset = re.search(r'/ui/assets/main-[0-9a-f]{10}\.js', text)[0]
    for _, headers, _ in (page.ask("GET", "/ui/"), page.ask("GET", "/ui/jobs"), page.ask("GET", asset),
                          page.by(session, "GET", "/v1/jobs"), page.ask("GET", "/v1/jobs")):
        csp = headers["Content-Security-Policy"]
        assert "default-src 'none'" in csp and "unsafe" not in csp and "frame-ancestors 'none'" in csp
        assert "require-trusted-types-for 'script'" in csp
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert not [h for h in headers if h.lower().startswith(("access-control", "set-cookie", "server"))]
    assert "immutable" in page.ask("GET", asset)[1]["Cache-Control"]
    assert page.by(session, "GET", "/v1/jobs")[1]["Cache-Control"] == "no-store"
    style = re.search(r'/ui/assets/main-[0-9a-f]{10}\.css', text)[0]
    packed = [page.ask("GET", path, Accept_Encoding="gzip")[1] for path in ("/ui/", style, asset)]
    assert [h["Content-Encoding"] for h in packed] == ["gzip"] * 3
    assert sum(int(h["Content-Length"]) for h in packed) < 150 * 1000  # before the first picture
    assert page.ask("GET", "/")[0] == 303
    assert page.ask("GET", "/ui/assets/no.js")[0] == 404
    assert page.ask("GET", "/ui/../v1/jobs")[0] in (200, 401, 404)  # the page, or nothing
    assert "QueueSummary" not in str(page.ask("GET", "/ui/../v1/jobs")[2])


def test_the_page_tells_nothing_of_the_site_to_who_has_no_session(page, live):
    live.submit(name="secretjob")
    page.open()
    text = page.ask("GET", "/ui/")[2]
    names = re.findall(r'/ui/assets/[\w.-]+', text)
    whole = text + "".join(page.ask("GET", name)[2] for name in names)
    assert "secretjob" not in whole and live.home not in whole
    assert live.api("/v1/scheduler")[1]["version"] not in text


def test_long_bodies_and_odd_requests_are_refused(page):
    session = page.open()
    try:
        status, _, answer = page.by(session, "POST", "/v1/jobs",
                                    '{"script": "' + "x" * (1 << 20) + '"}')
        assert status == 413, answer
    except (BrokenPipeError, ConnectionResetError):
        pass  # cut off amid it: nobody reads so much for nothing
    for text in (b"GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
                 b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                 b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                 b"GET /v1/jobs HTTP/1.1\r\nHost : localhost\r\n\r\n",
                 b"GET http://evil.example/v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"\x16\x03\x01\x00\x01\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", page.at), timeout=20) as s:
            s.sendall(text)
            answer = s.recv(4096)
        assert not answer or answer.split()[1] in (b"400", b"401", b"404", b"415", b"421"), (text, answer)
    assert page.by(session, "GET", "/v1/identity")[0] == 200


def test_a_stream_ends_with_its_session(page):
    session = page.open()
    with socket.create_connection(("127.0.0.1", page.at), timeout=30) as s:
        s.sendall((f"GET /v1/events?from=0 HTTP/1.1\r\nHost: localhost:{page.at}\r\n"
                   f"Authorization: Session {session['secret']}\r\n\r\n").encode())
        assert b"200" in s.recv(100)
        other = page.open()
        assert page.by(other, "DELETE", f"/v1/sessions/{session['id']}")[0] == 200
        read_to_end(s)


def read_to_end(stream):
    """What comes until it ends; a timeout fails the test."""
    while True:
        data = stream.recv(65536)
        if not data or data.endswith(b"0\r\n\r\n"):
            return


def test_a_session_reads_its_newest_three_streams_and_no_more(page):
    """A page that was loaded again leaves a stream behind, which ends for the next."""
    session = page.open()
    head = (f"GET /v1/events HTTP/1.1\r\nHost: localhost:{page.at}\r\n"
            f"Authorization: Session {session['secret']}\r\n\r\n").encode()
    streams = [socket.create_connection(("127.0.0.1", page.at), timeout=30) for _ in range(3)]
    for s in streams:
        s.sendall(head)
        assert b"200" in s.recv(100)
    other = page.open()
    assert page.by(other, "GET", "/v1/events?follow=0")[0] == 200
    fourth = socket.create_connection(("127.0.0.1", page.at), timeout=30)
    fourth.sendall(head.replace(b"/v1/events", b"/v1/changes"))
    assert b"200" in fourth.recv(100)
    read_to_end(streams[0])
    for s in (streams[1], streams[2], fourth):
        s.setblocking(False)
        try:
            while s.recv(65536):
                pass
            raise AssertionError("a stream has ended that is one of the newest")
        except BlockingIOError:
            pass
    for s in (*streams, fourth):
        s.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_other_users_have_their_own_levels(build, daemon):
    from web_page import Page, need_page
    from live_users import LEVELS, Users
    need_page(build)
    daemon.configure(LEVELS)
    daemon.start()
    users, page = Users(daemon), Page(daemon)
    sessions = {}
    for name, level in (("bin", 2), ("daemon", 3), ("nobody", 0)):
        url = users.ok(name, "dashboard", "--no-open").splitlines()[0]
        page.at = int(url.split(":")[2].split("/")[0])
        sessions[name] = page.ask("POST", "/v1/session", {"login": url.split("=")[1]})[2]
        assert (sessions[name]["user"], sessions[name]["level"]) == (name, level)
    nobody = sessions["nobody"]
    assert sessions["bin"]["id"] not in users.ok("nobody", "dashboard", "--sessions")
    assert "no session" in users.refused("nobody", "dashboard", "--end", sessions["bin"]["id"])
    assert sessions["bin"]["id"] in daemon.ok("dashboard", "--sessions")
    job = daemon.submit("sleep 60", hold=True)
    status, _, answer = page.by(nobody, "POST", "/v1/orders/cancel", {"jobs": [job]})
    assert answer["results"][0]["code"] == "forbidden", answer
    # the level of a session is that of the configuration in force
    daemon.configure(LEVELS.replace("ADMIN2 bin", "ADMIN2 sys") + "ADMIN3 nobody daemon\n")
    daemon.ok("schedctl", "-R")
    assert page.by(sessions["bin"], "GET", "/v1/identity")[2]["level"] == 0
    assert page.by(nobody, "GET", "/v1/identity")[2]["level"] == 3
    assert "page: POST /v1/orders/cancel by nobody" in daemon.log()
