# SPDX-License-Identifier: Apache-2.0
"""Where commands look for their scheduler and how long they wait: the line, the
environment, maui.cfg."""
import os
import signal
import time

import pytest

from tcp_test import munge, remote  # noqa: F401


def waited(daemon):
    begin = time.monotonic()
    done = daemon.run("showq")
    assert done.returncode == 1 and "cannot request service" in done.stderr, done
    return time.monotonic() - begin


def test_clienttimeout_of_the_configuration_holds_unless_the_environment_says_more(daemon):
    daemon.configure("CLIENTTIMEOUT 00:00:01\n")
    daemon.start()
    os.kill(daemon.pid(), signal.SIGSTOP)
    try:
        assert 0.9 < waited(daemon) < 15
        daemon.env["CLIENTTIMEOUT"] = "3"
        assert 2.9 < waited(daemon) < 20
    finally:
        os.kill(daemon.pid(), signal.SIGCONT)
    daemon.ok("showq")


def test_the_configuration_names_host_and_port_where_there_is_no_socket(remote, tmp_path):  # noqa: F811
    here = tmp_path / "maui.cfg"
    here.write_text(f"SERVERHOST 127.0.0.1\nSERVERPORT {remote.port}\n")
    remote.env["MAUIHOMEDIR"] = str(tmp_path)
    assert f"server: '127.0.0.1' port {remote.port}\n" in remote.ok("showq", "--about")
    remote.ok("showq")
    here.write_text("SERVERHOST localhost\n")
    assert f"server: '{tmp_path}/api.sock'\n" in remote.ok("showq", "--about")
    other = tmp_path / "other.cfg"
    other.write_text(f"SERVERHOST 127.0.0.1\nSERVERPORT {remote.port}\n")
    remote.ok("showq", "-C", other)
    remote.env["SERVERCONFIGFILE"] = "other.cfg"
    remote.ok("showq")
    del remote.env["SERVERCONFIGFILE"]
    remote.env.update(SERVERHOST="127.0.0.1", SERVERPORT=str(remote.port))
    remote.ok("showq")


def test_a_configuration_that_is_not_there_is_told_when_it_was_named(live):
    done = live.run("showq", "-C", "/no/such.cfg")
    assert done.returncode == 0 and done.stderr.startswith("WARNING:  "), done
    assert "/no/such.cfg" in done.stderr


def test_a_port_that_is_none_is_told(live):
    live.env.update(SERVERPORT="40x")
    done = live.run("showq")
    assert done.returncode == 0
    assert done.stderr == "WARNING:  SERVERPORT: '40x' is not a whole number; 40559 is used\n"


@pytest.mark.parametrize("words,says", [
    (("--keyfile", "x"), "MUNGE has the key"), (("-F", "1"), "is not divided")])
def test_what_means_nothing_here_is_refused_with_the_reason(live, words, says):
    done = live.run("showq", *words)
    assert done.returncode == 1 and says in done.stderr


def test_a_letter_that_is_the_commands_own_is_not_the_global_option(live):
    assert "3 procs" not in live.ok("showq", "--loglevel", "3")
    name = live.ok("mrsvctl", "-c", "-t", "1", "--loglevel", "3").split("'")[1]
    assert "comment" not in live.api(f"/v1/reservations/{name}")[1]
    assert live.ok("showq", "-V") == live.ok("showq", "--version")
