# SPDX-License-Identifier: Apache-2.0
"""The Maui Scheduler from Python: what its commands do, by the same API.

    import maui_scheduler
    maui = maui_scheduler.Client()
    for job in maui.jobs(q="state:idle procs>64"):
        print(job)

Without arguments it asks the scheduler that the commands would ask. Who asks is known
from the socket: there is no password.
"""
from .api import Job, Operations
from .connection import Connection, MauiError, find_home, find_socket


class Client(Operations):
    """A scheduler; methods are named as the operations of its openapi.json."""

    def __init__(self, socket_path: str | None = None, timeout: float | None = 60,
                 patience: float = 10) -> None:
        super().__init__(Connection(socket_path, timeout, patience))

    def find_job(self, number: str) -> Job:
        """Of one that has ended the record that is kept of it."""
        try:
            return self.job(number)
        except MauiError as e:
            if e.code != "not_found":
                raise
            ended = list(self.accounting(job=number))
            if not ended:
                raise
            return ended[-1]


__all__ = ["Client", "Connection", "MauiError", "find_home", "find_socket"]
