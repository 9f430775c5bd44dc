# SPDX-License-Identifier: Apache-2.0
"""The gate alone, in Lua: what it makes of requests to several records, whose marks it
leaves in files. Slurm is a table here."""
import pathlib
import re
import shutil
import subprocess

import pytest

DRIVER = """
slurm = { SUCCESS = 0, ERROR = -1, NO_VAL = 4294967294, jobs = {} }
dofile(arg[1])
local now = os.time()
KEPT, HELD = 2147483649, 2147483650
-- A record of an array that waits, of user 7, and a request to it alone.
function record(id, array, more)
    local r = { job_id = id, array_job_id = array, user_id = 7, user_name = "seven",
        account = "chem", job_state = 0, priority = 0, site_factor = KEPT,
        submit_time = 1000, restart_cnt = 0, admin_comment = "maui:kept" }
    for k, v in pairs(more or {}) do r[k] = v end
    slurm.jobs[tostring(id)] = r
    return r
end
function request(more)
    local r = { priority = slurm.NO_VAL, begin_time = 0, immediate = 0 }
    for k, v in pairs(more or {}) do r[k] = v end
    return r
end
function release(current)
    slurm_job_modify(request({ priority = 4294967295 }), current, {}, 7)
end
function hold(current, uid)
    local r = request({ priority = 0 })
    return slurm_job_modify(r, current, {}, uid or 7), r
end
-- What the scheduler's request puts into the record: nil, nothing. Slurm may refuse the
-- request behind the gate.
function ask(current, refuses)
    local r = request({ admin_comment = "maui:mark;set" })
    slurm_job_modify(r, current, {}, 0)
    if r.site_factor and not refuses then current.site_factor = r.site_factor + 2147483648 end
    return r.site_factor
end
function settle(current)
    local value = ask(current)
    ask(current)
    return value
end
"""


@pytest.fixture
def gate(slurm_program, tmp_path):
    """gate(lua): what a script prints that has the gate of a home of its own."""
    lua = shutil.which("lua5.1") or shutil.which("lua")
    if not lua:
        pytest.skip("no lua: lua5.1 is not installed (scripts/deps test)")
    script = tmp_path / "job_submit.lua"
    script.write_text(subprocess.run(
        [slurm_program, "slurm", "gate", "--home", tmp_path], check=True, text=True,
        stdout=subprocess.PIPE).stdout)
    (tmp_path / "slurm.marking").mkdir()

    def run(text):
        driver = tmp_path / "driver.lua"
        driver.write_text(DRIVER + text)
        done = subprocess.run([lua, driver, script], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, timeout=60)
        assert done.returncode == 0, done.stdout
        return done.stdout.split()
    run.home = pathlib.Path(tmp_path)
    return run


def test_a_mark_is_of_the_job_that_it_was_made_for(gate):
    """Numbers are used again, by slurmctld without its state or when it has used all."""
    assert gate("""
hold(record(63, 63))
print(settle(record(63, 63, { user_id = 8 })))               -- another user's
hold(record(63, 63))
print(settle(record(63, 63, { submit_time = 2000 })))        -- a later one's
hold(record(63, 63))
print(settle(record(63, 63, { submit_time = 2000, restart_cnt = 1 })))  -- it came back
""") == ["nil", "nil", "2"]


def test_a_mark_of_before_an_upgrade_is_taken(gate):
    (gate.home / "slurm.marking/63").write_text("2 1 70\n")
    assert gate("print(settle(record(63, 63)))") == ["2"]


def test_a_hold_of_what_is_left_of_an_array_is_not_of_tasks_that_left_it_before(gate):
    """slurmctld was restarted: the gate has seen none of them."""
    assert gate("""
local left = record(70, 63)
hold(record(63, 63))
print(settle(left))
print(settle(record(71, 63)))                                -- split off since
print(settle(slurm.jobs["63"]))
""") == ["nil", "2", "2"]


def test_a_task_takes_the_mark_of_its_array_once(gate):
    """That of the array waits for the scheduler: the task was released meanwhile, before it
    had the mark or after."""
    assert gate("""
hold(record(63, 63))
local early, late = record(64, 63), record(65, 63)
release(early)
slurm_job_modify(request({ nice = 5 }), early, {}, 7)
print(settle(early))
print(settle(late))
release(late)
print(settle(late))
slurm_job_modify(request({ nice = 5 }), late, {}, 7)
print(settle(late))
print(settle(slurm.jobs["63"]))
""") == ["nil", "2", "1", "nil", "2"]


def test_a_mark_stays_until_the_record_has_it(gate):
    """Slurm refuses a request behind the gate, of a job in an inactive partition, say."""
    path = gate.home / "slurm.marking/63"
    assert gate("""
hold(record(63, 63))
print(ask(slurm.jobs["63"], true))
print(ask(slurm.jobs["63"]))
""") == ["2", "2"]
    assert path.exists()
    gate("ask(record(63, 63, { site_factor = HELD }))")  # another slurmctld
    assert not path.exists()


def test_a_release_between_the_two_requests_is_not_lost(gate):
    assert gate("""
local r = record(63, 63)
hold(r)
print(ask(r))
release(r)
print(ask(r), ask(r))
""") == ["2", "1", "nil"]
    assert not (gate.home / "slurm.marking/63").exists()


def test_what_stands_in_a_comment_for_the_scheduler_does_not_stay(gate):
    """An adapter was killed where slurmctld had no gate."""
    assert gate("""
local r = request({ admin_comment = "maui:mark;set" })
slurm_job_modify(r, record(63, 63, { admin_comment = "maui:mark;set" }), {}, 0)
print(r.admin_comment)
""") == ["maui:kept"]


def test_a_mark_that_another_slurmctld_has_left_is_found(gate):
    """A backup, say: this one has looked for it in vain before."""
    path = gate.home / "slurm.marking/63"
    assert gate(f"""
print(settle(record(63, 63)))
local f = io.open("{path}", "w")
f:write("2 1 70\\n")
f:close()
print(settle(slurm.jobs["63"]))
""") == ["nil", "2"]


def test_a_coordinator_may_say_something_of_several_records(gate):
    """As long as somebody is there to say who is one."""
    (gate.home / "slurm.marking/coordinators").write_text("8:chem 9:bio\n")
    beat = gate.home / "slurm.heartbeat"
    beat.write_text("1000 busy\n\n\n")
    assert gate("""
local result, asked = hold(record(60, 60), 8)
print(result, asked.site_factor, settle(slurm.jobs["60"]))
""") == ["0", "2", "nil"]
    beat.write_text("4000000000 busy\n\n\n")
    assert gate("""
for _, uid in ipairs({ 8, 9 }) do
    local result, asked = hold(record(60 + uid, 60), uid)
    print(result, asked.site_factor)       -- what is there Slurm denies for the next record
    print(settle(slurm.jobs[tostring(60 + uid)]))
end
""") == ["0", "nil", "2", "0", "2", "nil"]


def test_a_hold_counts_whatever_slurm_notes_beside_the_state(gate):
    """An array that a task has just left is to be told to slurmdbd (512), one that came
    back is on its nodes yet (32768), a reservation is gone (2097152)."""
    flags = (0, 512, 1024, 4096, 32768, 2097152, 512 + 32768)
    for flag in flags:
        assert gate(f"""
local _, alone = hold(record(12, 0, {{ job_state = {flag}, priority = 5 }}))
hold(record(63, 63, {{ job_state = {flag} }}))
print(alone.priority, alone.site_factor, settle(slurm.jobs["63"]))
local _, runs = hold(record(13, 0, {{ job_state = 1 + {flag} }}))
print(runs.site_factor)
""") == ["0", "2", "2", "nil"], flag


def test_what_slurm_itself_holds_is_released_by_slurm_alone(gate):
    """A release of what the scheduler keeps goes no further than its mark. Slurm gives a
    priority to what it releases: a begin time keeps that, in the same request."""
    (gate.home / "slurm.heartbeat").write_text("4000000000 busy\n\n\n")
    for flag, slurms in ((0, False), (512, False), (4096, True), (32768, True),
                         (2097152, True)):
        for mark in ("KEPT", "HELD"):
            assert gate(f"""
local r = request({{ priority = 4294967295 }})
print(slurm_job_modify(r, record(12, 0, {{ job_state = {flag}, site_factor = {mark} }}), {{}}, 7))
print(r.site_factor, r.priority == 4294967295, r.begin_time > os.time() + 30)
print(r.admin_comment)  -- an owner's request that has one is refused by Slurm
r = request({{ comment = "x" }})
slurm_job_modify(r, record(12, 0, {{ job_state = {flag}, site_factor = {mark} }}), {{}}, 7)
print(r.priority == slurm.NO_VAL)       -- else any change would free one found impossible
""") == ["0", "1", *[str(slurms).lower()] * 2, "nil", str(slurms).lower()], (flag, mark)


def test_what_slurm_releases_is_kept_however_long_the_scheduler_counts_as_there(gate):
    """By a begin time that never comes, unless its owner's is surely later."""
    (gate.home / "slurm.heartbeat").write_text("4000000000 busy\n\n\n")
    script = gate.home / "job_submit.lua"
    text = script.read_text()
    for age in (0, 60, 900):
        script.write_text(re.sub(r"(local MAX_AGE = )\d+", rf"\g<1>{age}", text))
        assert gate("""
local current = record(12, 0, { job_state = 4096 })
function released()
    local r = request({ priority = 4294967295 })
    slurm_job_modify(r, current, {}, 7)
    return r.begin_time == 4000000000
end
print(released())
for _, later in ipairs({ 30, 5000 }) do
    slurm_job_modify(request({ begin_time = now + later }), current, {}, 7)
    print(released())
end
""") == ["true", "true", "false"], age


def test_an_adapter_that_is_older_than_the_gate_is_told_of_marks(gate):
    (gate.home / "slurm.marks").mkdir()
    beat = gate.home / "slurm.heartbeat"
    for words, told in ((" judged", True), (" judged marks", True),
                        (" judged nomarks", False)):
        beat.write_text(f"4000000000 busy{words}\n\n\n")
        gate("hold(record(12, 0))")
        assert (gate.home / "slurm.marks/12").exists() == told, words
        if told:  # whose it is: numbers are used again
            assert (gate.home / "slurm.marks/12").read_text() == "2 7 1000"
        (gate.home / "slurm.marks/12").unlink(missing_ok=True)


def test_what_cannot_be_judged_is_refused(gate):
    """Slurm 22.05 makes a change of which a script has judged with an error."""
    assert gate("""
slurm.log_error = function(form, what) slurm.said = what end
local odd = record(63, 63)
odd.job_id = nil
print((hold(odd)), slurm.said and "said")
print((hold(record(64, 64))))
""") == ["-1", "said", "0"]


def test_what_is_put_back_replaces_nothing_that_was_changed_since(gate):
    """Of a job that came back: what Slurm has taken stays, what it refused behind the gate
    comes from no user."""
    assert gate("""
local r = record(63, 0, { min_nodes = 2, max_nodes = 2, partition = "all", admin_comment = "maui:asked;count=2-2" })
local function back()
    local order = request({ req_nodes = "", min_nodes = 2, max_nodes = 2, time_limit = slurm.NO_VAL,
        partition = "all,low", admin_comment = "maui:held", priority = 0 })
    assert(slurm_job_modify(order, r, {}, 0) == slurm.SUCCESS)
    print(order.min_nodes, order.max_nodes, order.partition)
end
slurm_job_modify(request({ min_nodes = 3, max_nodes = 3, partition = "secret" }), r, {}, 7)
back()
r.min_nodes, r.max_nodes = 3, 3
back()
os.time = function() return now + 10 end
back()
""") == ["2", "2", "all,low", "3", "3", "all,low", "2", "2", "all,low"]


def test_no_strangers_change_delays_a_start(gate):
    """Slurm refuses it behind the gate; its owner's does, whatever the adapter has seen."""
    assert gate("""
local r = record(63, 0, { min_nodes = 2, max_nodes = 2 })
for _, uid in ipairs({ 8, 7 }) do
    slurm_job_modify(request({ min_nodes = 3, max_nodes = 3 }), r, {}, uid)
    print(slurm_job_modify(request({ req_nodes = "n[1-2]", min_nodes = 2, max_nodes = 2,
        admin_comment = "maui:asked;count=" .. (uid == 8 and "2-2" or "3-3"), priority = 4294967295 }), r, {}, 0))
end
""") == ["0", "2020"]


def test_a_clock_that_goes_back_delays_no_start(gate):
    assert gate("""
local r = record(63, 0, { min_nodes = 2, max_nodes = 2 })
local function start()
    print(slurm_job_modify(request({ req_nodes = "n1", admin_comment = "maui:asked;count=1-1",
        priority = 4294967295 }), r, {}, 0))
end
slurm_job_modify(request({ min_nodes = 2, max_nodes = 2 }), r, {}, 7)
start()
os.time = function() return now - 3600 end
start()
""") == ["2020", "0"]


def test_no_folders_name_passes_for_an_administrators_comment(gate):
    assert gate("""
local own = { work_dir = "/tmp/x AdminComment=maui:kept;priority=9", user_id = 7 }
print(slurm_job_submit(request(own), {}, 7))
print(slurm_job_modify(request(own), record(63, 0), {}, 7))
""") == ["-1", "-1"]


def test_no_start_passes_over_a_hold_that_the_scheduler_has_not_seen(gate):
    """By scontrol, in two requests: a hold before the first, or between them."""
    (gate.home / "slurm.heartbeat").write_text("4000000000 busy\n\n\n")
    assert gate("""
local asked = "maui:asked;count=1-0;go"
local r = record(63, 0, { site_factor = HELD })
print(slurm_job_modify(request({ req_nodes = "n1", admin_comment = asked }), r, {}, 0))
r = record(64, 0, { admin_comment = asked })
hold(r)
print(slurm_job_modify(request({ priority = 4294967295 }), r, {}, 0))
os.time = function() return now + 10 end
print(slurm_job_modify(request({ priority = 4294967295 }), r, {}, 0))
""") == ["2042", "2042", "0"]
