# SPDX-License-Identifier: Apache-2.0
"""A clock that jumps, both ways: the scheduler goes on with the new time."""
import shutil
import subprocess
import time

import pytest

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(void)
{
    char text[40] = "";
    int fd = open(getenv("TEST_CLOCK_FILE"), O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    (void)!read(fd, text, sizeof text - 1);
    close(fd);
    return atol(text);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    static int (*real)(clockid_t, struct timespec *);

    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, t);
    if (id == CLOCK_REALTIME)
        t->tv_sec += offset();
    return result;
}

time_t time(time_t *ret)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    if (ret)
        *ret = t.tv_sec;
    return t.tv_sec;
}
"""


@pytest.fixture
def jumpy(daemon):
    """A daemon whose clock is ahead by daemon.jump(seconds)."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "a C compiler has built what is tested here"
    with open(f"{daemon.home}/shim.c", "w") as f:
        f.write(SHIM)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", f"{daemon.home}/shim.so",
                    f"{daemon.home}/shim.c", "-ldl"], check=True)
    daemon.env |= {"LD_PRELOAD": f"{daemon.home}/shim.so",
                   "TEST_CLOCK_FILE": f"{daemon.home}/offset"}

    def jump(seconds):
        with open(f"{daemon.home}/offset", "w") as f:
            f.write(str(seconds))

    daemon.jump = jump
    jump(0)
    daemon.configure("RMPOLLINTERVAL 1\nFSPOLICY DEDICATEDPS\nFSINTERVAL 1:00:00\n")
    return daemon.start()


def runs(daemon, seconds=30):
    job = daemon.submit("true")
    daemon.wait(lambda: daemon.job(job) is None, "the end of a job", seconds)


def now_of(daemon):
    return daemon.api("/v1/scheduler")[1]["at"]


def test_a_clock_that_leaps_ahead_is_followed(jumpy):
    waiting = jumpy.submit("true", requests=[{"tasks": 9999}])
    jumpy.wait(lambda: jumpy.job(waiting).get("defer_until"), "the deferral")
    jumpy.jump(3 * 86400)
    jumpy.wait(lambda: now_of(jumpy) > time.time() + 86400, "the new time")
    runs(jumpy)
    jumpy.wait(lambda: jumpy.job(waiting)["defer_count"] > 1, "the deferral's end")


def test_a_clock_set_back_by_much_is_followed_and_nothing_is_lost(jumpy):
    jumpy.jump(5 * 86400)
    running = jumpy.submit("sleep 200", wclimit_s=1000)
    held = jumpy.submit("true", hold=True)
    jumpy.wait(lambda: jumpy.state(running) == "Running", "the start")
    assert now_of(jumpy) > time.time() + 86400
    jumpy.jump(0)
    jumpy.wait(lambda: now_of(jumpy) < time.time() + 86400, "the right time", 60)
    jumpy.wait(lambda: jumpy.state(running) == "Running", "the running job")
    assert "the clock was set back" in jumpy.log()
    assert jumpy.job(held)["section"] == "blocked"
    runs(jumpy)
    assert jumpy.state(running) == "Running"
    jumpy.stop()
    assert "all the same" in jumpy.ok("replay", "--verify")


def test_a_clock_set_back_a_little_stands_still(jumpy):
    jumpy.jump(20)
    jumpy.wait(lambda: now_of(jumpy) > time.time() + 10, "the new time")
    jumpy.jump(0)
    before = now_of(jumpy)
    runs(jumpy)
    assert now_of(jumpy) >= before and "begins anew" not in jumpy.log()
