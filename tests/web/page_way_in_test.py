# SPDX-License-Identifier: Apache-2.0
"""The way into the page: login, session, and how both end."""
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time

import pytest


def events(live):
    return [e for e in live.api("/v1/events?from=0&follow=0")[1] if e["event"].startswith("WEB")]


def test_dashboard_prints_an_address_that_serves_once(page, live):
    lines = live.ok("dashboard", "--no-open").splitlines()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/ui/#login=[\w-]{43}", lines[0])
    assert "serves once, within a minute" in lines[1] and "ssh -L" in lines[2]
    session = page.open()
    assert session["level"] == 1 and not session["read_only"]
    status, _, who = page.by(session, "GET", "/v1/identity")
    assert status == 200 and who["session"] == session["id"] and who["level"] == 1
    assert re.fullmatch(r"[0-9a-f]{10}", who["build"])
    assert "secret" not in page.by(session, "GET", "/v1/session")[2]


def test_nothing_listens_before_the_first_login(daemon, build):
    daemon.start()
    assert "page: it is at" not in daemon.log()
    daemon.ok("dashboard", "--no-open")
    assert daemon.log().count("page: it is at") == 1
    daemon.ok("dashboard", "--no-open")
    assert daemon.log().count("page: it is at") == 1


def test_a_second_use_ends_the_session_of_the_first(page, live):
    url = page.login()
    page.at = int(url.split(":")[2].split("/")[0])
    body = {"login": url.split("=")[1]}
    first = page.ask("POST", "/v1/session", body)[2]
    status, _, answer = page.ask("POST", "/v1/session", body)
    assert status == 401 and "was used before" in answer["error"]["message"]
    status, _, answer = page.by(first, "GET", "/v1/identity")
    assert status == 401 and "used a second time" in answer["error"]["message"]
    told = [e["event"] for e in events(live)]
    assert told == ["WEBLOGIN", "WEBREFUSED"]
    assert body["login"] not in json.dumps(events(live)) + live.log()
    assert first["secret"] not in json.dumps(events(live)) + live.log()


def test_log_out_ends_the_session_for_good(page, live):
    session = page.open()
    assert page.by(session, "DELETE", "/v1/session")[0] == 200
    status, _, answer = page.by(session, "GET", "/v1/jobs")
    assert status == 401 and "logged out" in answer["error"]["message"]
    assert [e["event"] for e in events(live)] == ["WEBLOGIN", "WEBLOGOUT"]


def test_a_restart_ends_all_sessions(page, live):
    session = page.open()
    live.stop()
    live.start()
    page.at = page.port
    assert page.by(session, "GET", "/v1/jobs")[0] == 401


def test_a_session_to_look_only_changes_nothing(page, live):
    job = live.submit(hold=True)
    session = page.open("--read-only")
    for method, path, body in (("POST", "/v1/orders/cancel", {"jobs": [job]}),
                               ("POST", "/v1/scheduler", {"action": "pause"}),
                               ("POST", "/v1/jobs", {"script": "#!/bin/sh\n"}),
                               ("POST", "/v1/parameters", {"text": "RESERVATIONDEPTH 3"}),
                               ("PATCH", "/v1/reservations/x", {}),
                               ("DELETE", "/v1/reservations/x", None),
                               ("DELETE", "/v1/sessions/all", None)):
        status, _, answer = page.by(session, method, path, body)
        assert status == 403 and "look only" in answer["error"]["message"], (path, answer)
    assert live.state(job) == "Hold"
    assert page.by(session, "DELETE", "/v1/session")[0] == 200


def test_sessions_are_listed_and_ended_by_the_command(page, live):
    assert live.ok("dashboard", "--sessions") == "no sessions\n"
    a, b = page.open(), page.open("--read-only")
    table = live.ok("dashboard", "--sessions")
    assert a["id"] in table and b["id"] in table and "look" in table
    assert live.ok("dashboard", "--end", a["id"]) == "1 session ended\n"
    assert page.by(a, "GET", "/v1/jobs")[0] == 401 and page.by(b, "GET", "/v1/jobs")[0] == 200
    assert "no session 'nosuch'" in live.run("dashboard", "--end", "nosuch").stderr
    assert live.ok("dashboard", "--end", "all") == "1 session ended\n"
    assert page.by(b, "GET", "/v1/jobs")[0] == 401


def test_so_many_sessions_and_no_more(page):
    sessions = [page.open() for _ in range(10)]
    url = page.login()
    status, _, answer = page.ask("POST", "/v1/session", {"login": url.split("=")[1]})
    assert status == 409 and "10 sessions already" in answer["error"]["message"]
    page.by(sessions[0], "DELETE", "/v1/session")
    status, _, answer = page.ask("POST", "/v1/session", {"login": url.split("=")[1]})
    assert status == 200, answer  # the login was not used up


def test_guessing_is_stopped(page):
    page.open()
    answers = [page.ask("POST", "/v1/session", {"login": "x" * 43})[0] for _ in range(12)]
    assert answers == [401] * 10 + [429] * 2
    url = page.login()  # nobody keeps out whoever has one
    assert page.ask("POST", "/v1/session", {"login": url.split("=")[1]})[0] == 200
    assert page.ask("POST", "/v1/session", {"login": "x" * 43})[0] == 429


def test_a_session_asks_so_often_and_no_more(page):
    session = page.open()
    told = [page.by(session, "GET", "/v1/session")[:2] for _ in range(600)]
    answers = [status for status, _ in told]
    # 200 at once, 50 a second: a slow machine may be let through all the time
    assert answers[:200] == [200] * 200 and set(answers) <= {200, 429}
    assert all(dict(headers)["Retry-After"] == "2" for status, headers in told if status == 429)


def test_a_login_may_ask_for_less_than_its_user_has(page, live):
    status, answer = live.api("/v1/logins", {"level_max": 0, "seconds": 60})
    assert status == 200
    page.at = int(answer["url"].split(":")[2].split("/")[0])
    session = page.ask("POST", "/v1/session", {"login": answer["login"]})[2]
    assert session["level"] == 0 and session["expires_at"] - time.time() <= 61
    assert page.by(session, "GET", "/v1/scheduler")[0] == 403
    assert live.api("/v1/logins", {"level_max": 4})[0] == 400
    assert live.api("/v1/logins", {"seconds": 1})[0] == 400


def test_a_browser_is_opened_by_a_file_for_its_owner_alone(page, live):
    """The address is in no process's arguments."""
    folder = f"{live.home}/opener"
    os.mkdir(folder)
    with open(f"{folder}/xdg-open", "w") as f:
        f.write(f'#!/bin/sh\nls -l "$1" >{live.home}/mode\ncp "$1" {live.home}/seen.tmp\n'
                f"mv {live.home}/seen.tmp {live.home}/seen\n")
    os.chmod(f"{folder}/xdg-open", stat.S_IRWXU)
    live.env.update(PATH=f"{folder}:{os.environ['PATH']}", DISPLAY=":99",
                    XDG_RUNTIME_DIR=live.home)
    begin = time.monotonic()
    out = live.ok("dashboard")
    assert time.monotonic() - begin < 20  # it does not wait for the browser
    assert "A browser is opening it." in out
    live.wait(lambda: os.path.exists(f"{live.home}/seen"), "the browser")
    with open(f"{live.home}/seen") as f:
        assert out.splitlines()[0] in f.read()
    with open(f"{live.home}/mode") as f:
        assert f.read().startswith("-rw-------")


def test_the_port_can_be_fixed(daemon, build):
    from web_page import need_page
    import socket
    need_page(build)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    daemon.configure(f"WEBPORT {port}\n")
    daemon.start()
    assert f"page: it is at http://127.0.0.1:{port}/ui/" in daemon.log()
    assert daemon.ok("dashboard", "--no-open").startswith(f"http://127.0.0.1:{port}/ui/#login=")


@pytest.mark.parametrize("line, words", [
    ("WEBADDRESS 0.0.0.0", "listens at 127.0.0.1 only"),
    ("WEBADDRESS 127.0.0.2", "listens at 127.0.0.1 only"),
    ("WEBADDRESS 127.example.org", "listens at 127.0.0.1 only"),
    ("WEBCERT cert.pem", "WEBKEY is missing"),
    ("WEBCERT cert.pem\nWEBKEY key.pem", "WEBCERT: "),
    ("WEBORIGIN ftp://x", "expected https://NAME"),
    ("WEBORIGIN https://x/y", "expected https://NAME")])
def test_what_would_open_the_page_to_others_keeps_it_off(daemon, build, line, words):
    from web_page import need_page
    need_page(build)
    daemon.configure(line + "\n")
    daemon.start()
    assert words in daemon.log()
    done = daemon.run("dashboard", "--no-open")
    assert done.returncode == 1 and words in done.stderr


def make_certificate(home, mode=0o600):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", f"{home}/key.pem", "-out", f"{home}/cert.pem"], check=True, capture_output=True)
    os.chmod(f"{home}/key.pem", mode)


def curl(home, url, *words):
    return subprocess.run(["curl", "-sS", "-i", "--cacert", f"{home}/cert.pem", *words, url],
                          capture_output=True, text=True, timeout=30, check=False)


def test_with_a_certificate_it_speaks_tls_and_nothing_older(daemon, build):
    from web_page import need_page
    need_page(build)
    make_certificate(daemon.home)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\n")
    daemon.start()
    address, login = daemon.ok("dashboard", "--no-open").splitlines()[0].split("/ui/#login=")
    assert address.startswith("https://127.0.0.1:")
    done = curl(daemon.home, address + "/ui/")
    assert "200 OK" in done.stdout
    # localhost is that of other servers, too
    assert "strict-transport-security" not in done.stdout.lower()
    assert curl(daemon.home, address + "/ui/", "--tls-max", "1.1").returncode == 35
    assert curl(daemon.home, address.replace("https", "http") + "/ui/").returncode != 0
    body = ("-H", "Content-Type: application/json", "-d", json.dumps({"login": login}))
    told = curl(daemon.home, address + "/v1/session", "-H", f"Origin: {address.replace('https', 'http')}", *body)
    assert " 403 " in told.stdout.splitlines()[0]  # of a page that is not encrypted
    told = curl(daemon.home, address + "/v1/session", "-H", f"Origin: {address}", *body)
    secret = json.loads(told.stdout.splitlines()[-1])["secret"]
    told = curl(daemon.home, address + "/v1/jobs?full=1", "-H", f"Authorization: Session {secret}")
    assert "200 OK" in told.stdout and '"summary"' in told.stdout
    # another certificate is another listener
    make_certificate(daemon.home)
    daemon.ok("schedctl", "-R")
    other = daemon.ok("dashboard", "--no-open").splitlines()[0].split("/ui/#login=")[0]
    assert "200 OK" in curl(daemon.home, other + "/ui/").stdout


def test_a_key_that_others_can_read_keeps_it_off(daemon, build):
    from web_page import need_page
    need_page(build)
    make_certificate(daemon.home, 0o640)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\n")
    daemon.start()
    done = daemon.run("dashboard", "--no-open")
    assert done.returncode == 1 and "chmod 600" in done.stderr


def test_elsewhere_than_at_home_it_needs_a_name(daemon, build):
    from web_page import need_page
    need_page(build)
    make_certificate(daemon.home)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\nWEBADDRESS 0.0.0.0\n")
    daemon.start()
    assert "WEBORIGIN is needed" in daemon.run("dashboard", "--no-open").stderr
    daemon.ok("changeparam", "WEBORIGIN", "https://localhost")
    assert daemon.ok("dashboard", "--no-open").startswith("https://localhost/ui/#login=")
    for _ in range(2):  # what the file alone does not say is not lost by a reading that fails
        assert "WEBORIGIN is needed" in daemon.run("schedctl", "-R").stderr
    assert daemon.ok("dashboard", "--no-open").startswith("https://localhost/ui/#login=")


def test_the_name_that_browsers_use_is_of_tls_for_good(daemon, build):
    from web_page import need_page
    import socket
    need_page(build)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    make_certificate(daemon.home)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\n"
                     f"WEBORIGIN https://maui.example.org:{port}\nWEBPORT {port}\n")
    daemon.start()
    for name, is_told in (("maui.example.org", True), ("localhost", False), ("127.0.0.1", False)):
        done = curl(daemon.home, f"https://{name}:{port}/ui/", "-k", "--resolve",
                    f"maui.example.org:{port}:127.0.0.1")
        assert "200 OK" in done.stdout, done
        assert ("strict-transport-security: max-age=" in done.stdout.lower()) == is_told, name


def test_with_parameters_that_became_wrong_it_goes_on_as_it_was(daemon, build):
    """A reading of the files that would end the page is refused, and says why."""
    from web_page import need_page
    need_page(build)
    make_certificate(daemon.home)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\n")
    daemon.start()
    address = daemon.ok("dashboard", "--no-open").splitlines()[0].split("/ui/#login=")[0]
    with open(f"{daemon.home}/key.pem") as f:
        key = f.read()

    def is_refused(words):
        done = daemon.run("schedctl", "-R")
        assert done.returncode == 1 and words in done.stderr, done
        assert "200 OK" in curl(daemon.home, address + "/ui/").stdout
        assert daemon.ok("dashboard", "--no-open").startswith(address)

    os.chmod(f"{daemon.home}/key.pem", 0o644)
    is_refused("chmod 600")
    os.chmod(f"{daemon.home}/key.pem", 0o600)
    subprocess.run(["openssl", "genpkey", "-algorithm", "ED25519", "-out", f"{daemon.home}/key.pem"],
                   check=True, capture_output=True)
    is_refused("WEBKEY is not the key of")
    assert daemon.ok("changeparam", "RESERVATIONDEPTH", "7") == "parameters modified\n"
    assert "200 OK" in curl(daemon.home, address + "/ui/").stdout
    with open(f"{daemon.home}/key.pem", "w") as f:
        f.write(key)
    done = daemon.run("changeparam", "WEBADDRESS", "0.0.0.0")
    assert done.returncode == 1 and "WEBORIGIN is needed" in done.stderr
    assert "configuration read again" in daemon.ok("schedctl", "-R")
    assert "200 OK" in curl(daemon.home, address + "/ui/").stdout


def test_connections_of_one_address_are_bounded_where_it_speaks_tls(daemon, build):
    """Each begins with a handshake, which the daemon makes between its other work."""
    from web_page import need_page
    import select
    import socket
    need_page(build)
    make_certificate(daemon.home)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\n")
    daemon.start()
    address = daemon.ok("dashboard", "--no-open").splitlines()[0].split("/ui/#login=")[0]
    at = ("127.0.0.1", int(address.rsplit(":", 1)[1]))
    sockets = [socket.create_connection(at) for _ in range(100)]
    try:
        daemon.wait(lambda: len(select.select(sockets, [], [], 0)[0]) >= 36, "the end of those beyond")
        assert len(select.select(sockets, [], [], 0)[0]) == 36
    finally:
        for s in sockets:
            s.close()
    daemon.wait(lambda: "200 OK" in curl(daemon.home, address + "/ui/").stdout, "room again")


def test_who_is_slow_to_shake_hands_holds_up_nobody(daemon, build):
    """Forty begin with a part of their greeting, a byte now and then: others are answered."""
    from web_page import need_page
    import socket
    import time
    need_page(build)
    make_certificate(daemon.home)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\n")
    daemon.start()
    address = daemon.ok("dashboard", "--no-open").splitlines()[0].split("/ui/#login=")[0]
    at = ("127.0.0.1", int(address.rsplit(":", 1)[1]))
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32)
    sockets = [socket.create_connection(at) for _ in range(40)]
    waits = []
    try:
        for i in range(len(hello)):
            for s in sockets:
                s.sendall(hello[i:i + 1])
            begin = time.monotonic()
            assert daemon.api("/v1/identity")[0] == 200
            waits.append(time.monotonic() - begin)
        assert "200 OK" in curl(daemon.home, address + "/ui/").stdout
    finally:
        for s in sockets:
            s.close()
    assert sorted(waits)[len(waits) // 2] < 0.25, waits


def test_a_page_that_is_off_from_the_start_holds_up_nothing_else(daemon, build):
    from web_page import need_page
    need_page(build)
    make_certificate(daemon.home, 0o640)
    daemon.configure("WEBCERT cert.pem\nWEBKEY key.pem\n")
    daemon.start()
    assert daemon.ok("changeparam", "RESERVATIONDEPTH", "7") == "parameters modified\n"
    assert "the web page is off: WEBKEY: " in daemon.ok("schedctl", "-R")
    os.chmod(f"{daemon.home}/key.pem", 0o600)
    assert "the web page is off" not in daemon.ok("schedctl", "-R")
    assert daemon.ok("dashboard", "--no-open").startswith("https://127.0.0.1:")


def test_a_page_that_is_loaded_again_is_never_refused_its_stream(page, live):
    """However many it has left behind: of those nobody has read the end. The scheduler stands
    still while they come, so that all of them are one turn of its loop."""
    session = page.open()
    asked = f"GET /v1/changes HTTP/1.1\r\nHost: 127.0.0.1:{page.at}\r\nAuthorization: Session {session['secret']}\r\n\r\n"
    streams = []
    os.kill(live.pid(), signal.SIGSTOP)
    try:
        for _ in range(15):
            streams.append(socket.create_connection(("127.0.0.1", page.at), timeout=60))
            streams[-1].sendall(asked.encode())
    finally:
        os.kill(live.pid(), signal.SIGCONT)

    def begin(stream):
        try:
            return stream.recv(12)
        except OSError:  # it was cut off
            return b""
    answers = [begin(s) for s in streams]
    assert set(answers) <= {b"HTTP/1.1 200", b""}, answers  # none is refused; which came first is open
    assert page.by(session, "GET", "/v1/session")[0] == 200

    def told(stream):
        stream.settimeout(0.1)
        try:
            while stream.recv(65536):
                pass
        except TimeoutError:
            return True  # it goes on
        except OSError:
            pass
        return False
    live.wait(lambda: sum(map(told, streams)) == 3, "the end of all but three")
    for s in streams:
        s.close()
