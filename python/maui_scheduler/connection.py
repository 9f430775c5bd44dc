# SPDX-License-Identifier: Apache-2.0
"""Requests at the scheduler's unix socket: one connection each, JSON both ways."""
from __future__ import annotations

import contextlib
import http.client
import json
import os
import pathlib
import socket
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

STATE = "/var/lib/maui"


class MauiError(Exception):
    """The scheduler refused: what kind of refusal, and one sentence."""

    def __init__(self, status: int, code: str, message: str, field: str | None = None,
                 nearest: str | None = None) -> None:
        super().__init__(message)
        self.status = status    # of HTTP; 0: there was no answer
        self.code = code        # invalid, forbidden, not_found, conflict, ...
        self.field = field      # the member or parameter that was wrong
        self.nearest = nearest  # the nearest valid name


def find_home(environment: Mapping[str, str] = os.environ) -> str:
    """The folder of the scheduler that the commands would ask (docs/install.md)."""
    for name in ("MAUIHOMEDIR", "SERVERHOMEDIR"):
        if environment.get(name):
            return environment[name]
    try:
        for line in pathlib.Path("/etc/maui.cfg").read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) == 2 and words[0].upper() == "SERVERHOMEDIR":
                return words[1]
    except OSError:
        pass
    own = os.path.expanduser("~/.maui")
    return own if os.geteuid() != 0 and os.path.exists(f"{own}/api.sock") else STATE


def find_socket(environment: Mapping[str, str] = os.environ) -> str:
    home = find_home(environment)
    shared = "/run/maui/api.sock"
    return shared if home == STATE and os.path.exists(shared) else f"{home}/api.sock"


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float | None) -> None:
        super().__init__("maui", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _refusal(answer: http.client.HTTPResponse) -> MauiError:
    text = answer.read().decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        return MauiError(answer.status, error["code"], error["message"], error.get("field"),
                         error.get("nearest"))
    except (ValueError, KeyError, TypeError):
        return MauiError(answer.status, "internal", text.strip() or answer.reason)


class Connection:
    """Where requests go. Questions that are answered "later" (503), as while the daemon
    starts, are asked again for `patience` seconds; orders are sent once."""

    def __init__(self, socket_path: str | None = None, timeout: float | None = 60,
                 patience: float = 10) -> None:
        self.path = socket_path or find_socket()
        self.timeout = timeout
        self.patience = patience

    def _send(self, verb: str, target: str, body: Any) -> http.client.HTTPResponse:
        connection = _UnixConnection(self.path, self.timeout)
        headers = {"Host": "maui", "Connection": "close"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            connection.request(verb, target, data, headers)
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise MauiError(0, "unavailable", f"no scheduler answers at {self.path}: "
                            f"{getattr(e, 'strerror', None) or e}") from e

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (OSError, http.client.HTTPException) as e:
            raise MauiError(0, "unavailable", f"the scheduler at {self.path} broke off its answer: "
                            f"{getattr(e, 'strerror', None) or e}") from e

    def _ask(self, verb: str, path: str, names: Mapping[str, str] | None = None,
             query: Mapping[str, Any] | None = None,
             body: Any = None) -> http.client.HTTPResponse:
        for name, value in (names or {}).items():
            path = path.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
        asked = {k: int(v) if isinstance(v, bool) else v
                 for k, v in (query or {}).items() if v is not None}
        if asked:
            path += "?" + urllib.parse.urlencode(asked)
        until = time.monotonic() + self.patience
        while True:
            answer = self._send(verb, path, body)
            if answer.status < 300:
                return answer
            again = answer.headers.get("Retry-After", "")
            wait = float(again) if again.isdigit() else 1.0
            if verb != "GET" or answer.status != 503 or time.monotonic() + wait > until:
                with answer, self._reading():
                    raise _refusal(answer)
            answer.close()
            time.sleep(wait)

    def bytes(self, verb: str, path: str, **asked: Any) -> bytes:
        """The answer as it came; `asked`: names (in the path), query, body."""
        with self._ask(verb, path, **asked) as answer, self._reading():
            return answer.read()

    def text(self, verb: str, path: str, **asked: Any) -> str:
        return self.bytes(verb, path, **asked).decode()

    def record(self, verb: str, path: str, **asked: Any) -> Any:
        return json.loads(self.bytes(verb, path, **asked))

    def lines(self, verb: str, path: str, **asked: Any) -> Iterator[Any]:
        """Asked at once; records are read as they come. A stream may be silent for longer
        than the time-out: give the client none (timeout=None)."""
        return self._read_lines(self._ask(verb, path, **asked))

    def _read_lines(self, answer: http.client.HTTPResponse) -> Iterator[Any]:
        with answer:
            while True:
                with self._reading():
                    line = answer.readline()
                    if answer.length and not line.endswith(b"\n"):
                        raise http.client.IncompleteRead(line, answer.length)
                if not line:
                    return
                if line.strip():
                    yield json.loads(line)
