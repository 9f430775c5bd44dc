# SPDX-License-Identifier: Apache-2.0
"""TCP: who calls is told by a MUNGE credential for the very request."""
import contextlib
import fcntl
import json
import os
import shutil
import socket
import subprocess

import pytest

from live_daemon import wait_for

SOCKET = "/run/munge/munge.socket.2"


def munge_answers():
    return subprocess.run(["munge", "-n"], capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def munge(tmp_path_factory):
    """A munged of our own at the usual place, unless one answers there already. Whoever runs
    these tests at the same time waits: that one goes with who has started it."""
    if os.geteuid() != 0 or not shutil.which("munged"):
        if munge_answers():
            yield
            return
        pytest.skip("no munged answers here, and none can be started")
    os.makedirs(os.path.dirname(SOCKET), mode=0o755, exist_ok=True)
    turn = os.open(os.path.dirname(SOCKET), os.O_RDONLY)
    fcntl.flock(turn, fcntl.LOCK_EX)
    with contextlib.nullcontext() if munge_answers() else munged(tmp_path_factory):
        yield
    os.close(turn)


@contextlib.contextmanager
def munged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("munge")
    folder.chmod(0o700)
    (folder / "key").write_bytes(os.urandom(64))
    (folder / "key").chmod(0o600)
    daemon = subprocess.Popen(
        ["munged", "--force", "--foreground", f"--key-file={folder}/key",
         f"--pid-file={folder}/pid", f"--log-file={folder}/log",
         f"--seed-file={folder}/seed"], stderr=subprocess.DEVNULL)
    try:
        wait_for(munge_answers, "an answer of munged", 60, (folder / "log").read_text)
        yield
    finally:
        daemon.terminate()
        daemon.wait()


@pytest.fixture
def remote(munge, daemon):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        daemon.port = free.getsockname()[1]
    return daemon.start("--host", "127.0.0.1", "--port", str(daemon.port))


def there(d, *args):
    return d.run(*args, "--host", "127.0.0.1", "--port", d.port)


def raw(d, path, credential=None):
    header = ["-H", f"Authorization: MUNGE {credential}"] if credential else []
    return subprocess.run(["curl", "-s", *header, f"http://127.0.0.1:{d.port}{path}"],
                          capture_output=True, text=True, check=True).stdout


def credential(text):
    return subprocess.run(["munge"], input=text, capture_output=True, text=True,
                          check=True).stdout.strip()


def test_commands_work_over_tcp_whatever_is_in_their_arguments(remote):
    job = remote.submit()
    assert there(remote, "showq", "-u", "root").returncode == 0
    assert there(remote, "sethold", "-u", job).returncode == 0
    odd = there(remote, "checkjob", "a b%c")
    assert odd.returncode == 1 and "cannot locate job 'a b%c'" in odd.stderr


def test_a_credential_serves_once_and_for_its_request_alone(remote):
    assert "unauthenticated" in raw(remote, "/v1/identity")
    good = credential("GET /v1/identity\n")
    assert '"level":' in raw(remote, "/v1/identity", good)
    assert "Replayed" in raw(remote, "/v1/identity", good)
    other = credential("GET /v1/jobs?user=ann\n")
    assert "another request" in raw(remote, "/v1/jobs?user=bob", other)


def test_a_login_for_the_page_is_sealed_for_who_asks(remote):
    body = '{"read_only": true}'
    answer = json.loads(subprocess.run(
        ["curl", "-s", "-H", "Content-Type: application/json", "-d", body, "-H",
         "Authorization: MUNGE " + credential("POST /v1/logins\n" + body),
         f"http://127.0.0.1:{remote.port}/v1/logins"],
        capture_output=True, text=True, check=True).stdout)
    if answer.get("error"):  # a build without the page
        pytest.skip(answer["error"]["message"])
    assert "login" not in answer and "url" not in answer
    if os.geteuid() == 0:  # what somebody else reads on the way is worth nothing
        other = subprocess.run(["runuser", "-u", "nobody", "--", "unmunge"],
                               input=answer["sealed"], capture_output=True, text=True)
        assert other.returncode != 0 and "UID" in other.stdout + other.stderr
    url = there(remote, "dashboard", "--no-open").stdout.split()[0]
    origin, secret = url.split("/ui/#login=")
    done = subprocess.run(
        ["curl", "-s", "-H", "Content-Type: application/json", "-H", f"Origin: {origin}",
         "-H", "Sec-Fetch-Site: same-origin", "-d", json.dumps({"login": secret}),
         origin + "/v1/session"], capture_output=True, text=True, check=True).stdout
    assert json.loads(done).get("secret"), done


def test_adminhosts_takes_level_1_from_those_who_call_from_elsewhere(munge, daemon):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        daemon.port = free.getsockname()[1]
    daemon.configure("ADMIN1 root\nADMINHOSTS far.example.org\n")
    daemon.start("--host", "127.0.0.1", "--port", str(daemon.port))
    refused = there(daemon, "schedctl", "-s")
    assert refused.returncode == 1 and "not authorized" in refused.stderr
    assert there(daemon, "showq").returncode == 0
    daemon.ok("schedctl", "-s")
    daemon.ok("changeparam", "ADMINHOSTS", "127.0.0.1,localhost")
    assert there(daemon, "schedctl", "-r").returncode == 0
