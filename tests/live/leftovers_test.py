# SPDX-License-Identifier: Apache-2.0
"""What jobs leave behind in their folders, however much and however deep, goes: bit by
bit, so that nobody waits for it, and as a whole, so that no half of a job is ever found."""
import os
import resource

DEEP = """import os
os.chdir(os.environ["TMPDIR"])
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
"""


def left(daemon):
    return [f"{d}/{name}" for d in ("jobs", "new")
            for name in os.listdir(f"{daemon.home}/spool/{d}")]


def test_folders_deeper_than_files_may_be_open_go(live):
    resource.prlimit(live.pid(), resource.RLIMIT_NOFILE, (400, 400)) # and its keepers
    with open(f"{live.home}/deep.py", "w", encoding="ascii") as f:
        f.write(DEEP)
    live.submit(f"exec /usr/bin/python3 {live.home}/deep.py")
    live.wait(lambda: not left(live), "the end of the job's folder")
    assert "cannot be removed" not in live.log()


def test_many_files_go_bit_by_bit_and_no_half_of_a_job_is_found(daemon):
    daemon.configure("RMCFG[local] TYPE=LOCAL KEEPTIME=2\n")
    os.mkdir(f"{daemon.home}/many")
    for i in range(20000):
        os.close(os.open(f"{daemon.home}/many/{i}", os.O_CREAT | os.O_WRONLY))
    daemon.start()
    job = daemon.submit("true")
    folder = f"{daemon.home}/spool/jobs/{job}"
    daemon.wait(lambda: os.path.exists(f"{folder}/end.json"), "the end")
    os.rename(f"{daemon.home}/many", f"{folder}/more")
    other = f"{daemon.home}/spool/new/{job}"
    while not os.path.exists(other): # asked all the time: it goes fast
        assert os.path.exists(folder) or os.path.exists(other)
    daemon.kill()
    assert not os.path.exists(folder)
    assert os.listdir(f"{other}/more") # not all at once
    daemon.start()
    daemon.wait(lambda: not left(daemon), "the end of the job's folder")
    assert "left alone" not in daemon.log()
    assert daemon.submit("true") != job
