# SPDX-License-Identifier: Apache-2.0
"""The Python client: made of the API's description, and used on a daemon."""
import os
import pathlib
import socket
import subprocess
import sys
import threading
import typing

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import maui_scheduler  # noqa: E402  pylint: disable=wrong-import-position
from maui_scheduler import api  # noqa: E402  pylint: disable=wrong-import-position


@pytest.fixture
def client(live):
    return maui_scheduler.Client(f"{live.home}/api.sock")


def example(live, name, *args):
    return subprocess.run(
        [sys.executable, "-B", ROOT / "python/examples" / name, *args], text=True,
        env={**live.env, "PYTHONPATH": str(ROOT / "python")}, capture_output=True, timeout=60,
        check=False)


def test_the_client_is_what_the_description_says():
    made = subprocess.run(
        [sys.executable, ROOT / "scripts/api-python", ROOT / "src/server/api/openapi.json"],
        capture_output=True, text=True, check=True).stdout
    assert made == (ROOT / "python/maui_scheduler/api.py").read_text(), (
        "scripts/api-python src/server/api/openapi.json > python/maui_scheduler/api.py")
    for value in vars(api).values():
        if typing.is_typeddict(value):
            typing.get_type_hints(value)
    for value in vars(api.Operations).values():
        if callable(value):
            typing.get_type_hints(value)


MYPY = pathlib.Path("/usr/bin/mypy")  # the distribution's: others find other things


@pytest.mark.skipif(not MYPY.exists(), reason="no mypy of the distribution")
def test_a_checker_of_types_finds_nothing(tmp_path):
    done = subprocess.run([MYPY, "--strict", "--cache-dir", tmp_path, "maui_scheduler", "examples"],
                          cwd=ROOT / "python", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_jobs_are_submitted_asked_about_and_cancelled(live, client):
    job, = client.submit({"script": "#!/bin/sh\nsleep 60\n", "hold": True, "wclimit_s": 300,
                          "directory": live.home, "output": "/dev/null"})["ids"]
    live.wait(lambda: client.job(job)["state"] == "Hold", "its hold")
    summary, *jobs = client.jobs(ids=job)
    assert "summary" in summary and [j["id"] for j in jobs] == [job]
    assert client.job_why(job)["reasons"]
    result, = client.release({"jobs": [job]})["results"]
    assert result["ok"], result
    live.wait(lambda: client.job(job)["state"] == "Running", "its start")
    assert client.node(client.job(job)["allocation"][0]["node"])["state"] in ("Running", "Busy")
    client.cancel({"jobs": [job]})
    live.wait(lambda: client.find_job(job)["state"] == "Removed", "its end")
    assert "maui_info" in client.metrics()


def test_refusals_are_exceptions(client, tmp_path):
    with pytest.raises(maui_scheduler.MauiError) as e:
        client.job("no/such job")
    assert (e.value.status, e.value.code) == (404, "not_found")
    with pytest.raises(maui_scheduler.MauiError) as e:
        client.submit({"script": "#!/bin/sh\n", "wclimit": 3})
    assert e.value.status == 400 and "wclimit" in str(e.value)
    with pytest.raises(maui_scheduler.MauiError) as e:
        list(maui_scheduler.Client(f"{tmp_path}/none.sock").jobs())
    assert (e.value.status, e.value.code) == (0, "unavailable")


@pytest.mark.parametrize("answer, seen", [
    ("", []), ("HTTP", []), ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", []),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"id\": 1}\n{\"id\": 2", [1]),
    ("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"id\": 1}\n", [1]),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n{\"id\": 1}\n\r\nA\r\n{\"id\":", [1]),
    ("HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\n{", [])])
def test_an_answer_that_breaks_off_is_an_exception_too(tmp_path, answer, seen):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{tmp_path}/sock")
    listener.listen()

    def serve():
        for _ in range(2):
            with listener.accept()[0] as c:
                c.recv(4096)
                c.sendall(answer.encode())

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    client = maui_scheduler.Client(f"{tmp_path}/sock", patience=0)
    got = []
    for ask in (lambda: [got.append(j["id"]) for j in client.jobs()], client.metrics):
        with pytest.raises(maui_scheduler.MauiError) as e:
            ask()
        assert (e.value.status, e.value.code) == (0, "unavailable") and str(e.value)
    assert got == seen
    server.join(60)
    listener.close()


def test_events_come_as_they_happen(live, client):
    seen, begun = [], threading.Event()

    def read():
        stream = maui_scheduler.Client(f"{live.home}/api.sock", timeout=60).events()
        begun.set()
        for event in stream:
            seen.append(event)
            if event["event"] == "JOBEND":
                return
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    assert begun.wait(60)
    job = live.submit("true")
    reader.join(60)
    assert [e["event"] for e in seen if e.get("object") == job] == [
        "JOBSUBMIT", "JOBSTART", "JOBEND"]


def test_it_finds_the_scheduler_of_the_commands(live):
    assert maui_scheduler.find_socket({"MAUIHOMEDIR": live.home}) == f"{live.home}/api.sock"
    assert os.path.exists(maui_scheduler.find_socket(live.env))


def test_examples_do_what_they_say(live):
    done = example(live, "submit.py", "sh", "-c", "exit 3")
    assert done.returncode == 0 and "Completed, exit status 3" in done.stdout, done
    done = example(live, "free.py", "1")
    assert done.returncode == 0 and done.stdout.startswith("20"), done
    done = example(live, "free.py", "many")
    assert done.returncode != 0 and "free.py" in done.stderr
