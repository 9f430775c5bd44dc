# SPDX-License-Identifier: Apache-2.0
"""maui serve with SERVERMODE SIMULATION: a trace instead of a cluster, the same commands."""
import os
import shutil
import time

import pytest

from live_daemon import Daemon

EPOCH = 86400  # of a trace whose times begin at 0


def job(number, submit, run, limit, procs=1, user=1):
    """A record of the Standard Workload Format."""
    return f"{number} {submit} 0 {run} {procs} -1 -1 {procs} {limit} -1 1 {user} 1 1 1 -1 -1 -1"


class Simulation(Daemon):
    """Four nodes of a processor unless told otherwise; waits before the first iteration."""

    def __init__(self, program):
        super().__init__(program, nodes="4")

    def trace(self, *jobs):
        os.makedirs(f"{self.home}/traces", exist_ok=True)
        with open(f"{self.home}/traces/workload.trace", "w") as f:
            f.write("\n".join(jobs) + "\n")

    def begin(self, config="", stop="SIMSTOPITERATION 0"):
        self.configure("SERVERMODE SIMULATION\nRMPOLLINTERVAL 60\n"
                       f"SIMJOBSUBMISSIONPOLICY NORMAL\n{stop}\n{config}\n")
        return self.start()

    def scheduler(self):
        return self.api("/v1/scheduler")[1]

    def now(self):
        return self.scheduler()["at"] - EPOCH

    def ended(self):
        """By id: when it was submitted, started, ended, and how."""
        with open(f"{self.home}/stats/simstat.out") as f:
            fields = [line.split() for line in f if not line.startswith(("#", "VERSION"))]
        return {f[0]: (int(f[8]) - EPOCH, int(f[10]) - EPOCH, int(f[11]) - EPOCH, f[6])
                for f in fields}

    def wait_for_end(self):
        self.gone(self.pid_at_begin)

    def start(self, *options):
        super().start(*options)
        self.pid_at_begin = self.pid()
        return self

    def clean(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)


@pytest.fixture
def simulation(build):
    s = Simulation(build / "src" / "client" / "maui")
    yield s
    s.clean()


def four_jobs(simulation):
    """Two fill the machine in turn, a narrow one comes between, a late one."""
    simulation.trace(job(1, 0, 600, 900, 4, 1), job(2, 30, 600, 900, 4, 2),
                     job(3, 90, 300, 600, 1, 3), job(4, 7200, 60, 120, 1, 3))


def test_iterations_are_stepped_and_queries_tell_of_their_instant(simulation):
    four_jobs(simulation)
    simulation.begin()
    assert (simulation.scheduler()["state"], simulation.now()) == ("paused", 0)
    time.sleep(0.3)
    assert simulation.scheduler()["iteration"] == 0, "the clock stands while it waits"
    assert "will stop at iteration 3" in simulation.ok("schedctl", "-S", "3S")
    assert (simulation.scheduler()["iteration"], simulation.now()) == (3, 120)
    shown = simulation.ok("showq")
    assert "1 Active Job " in shown and "4 of    4 Processors Active (100.00%)" in shown
    assert "2 Idle Jobs" in shown and "Fri Jan  2 00:00:00" in shown
    assert " 00:13:00 " in shown, "the first has 13 of its 15 minutes left"
    assert "Earliest start in 00:13:00 on Fri Jan 2 00:15:00" in " ".join(
        simulation.ok("showstart", "2").split())
    simulation.ok("schedctl", "-S", "9S")
    assert simulation.state("2") == "Running" and simulation.job("2")["start_at"] - EPOCH == 600
    assert simulation.job("1") is None or simulation.job("1")["state"] == "Completed"
    assert simulation.ended()["1"] == (0, 0, 600, "Completed")


def test_orders_change_what_is_simulated(simulation):
    four_jobs(simulation)
    simulation.begin()
    simulation.ok("schedctl", "-S", "2S")
    simulation.ok("sethold", "-u", "2")
    simulation.ok("setres", "-s", "+30:00", "-d", "1:00:00", "-n", "service", "ALL")
    simulation.ok("canceljob", "1")
    simulation.ok("schedctl", "-S", "1S")
    at = {r["name"]: r["start_at"] - EPOCH for r in simulation.lines("showres")
          if "service" in r.get("name", "")}
    assert list(at.values()) == [60 + 1800]
    assert simulation.state("2") != "Running" and simulation.state("3") == "Running"
    simulation.ok("releasehold", "-u", "2")
    simulation.ok("schedctl", "-S", "7S")
    assert simulation.job("2")["start_at"] - EPOCH == 420, "when the narrow one had ended"
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert simulation.ended() == {
        "1": (0, 0, 60, "Removed"), "3": (90, 120, 420, "Completed"),
        "2": (30, 420, 1020, "Completed"), "4": (7200, 7200, 7260, "Completed")}


def test_a_limit_set_meanwhile_is_obeyed(simulation):
    simulation.trace(*(job(n, 0, 600, 900, 1, 7) for n in (1, 2, 3)))
    simulation.begin()
    simulation.ok("changeparam", "USERCFG[DEFAULT]", "MAXJOB=1")
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert [start for _, start, _, _ in simulation.ended().values()] == [0, 600, 1200]


@pytest.mark.parametrize("policy", [
    "", "BACKFILLPOLICY NONE\n", "RESERVATIONDEPTH 4\n",
    "SIMJOBSUBMISSIONPOLICY CONSTANTJOBDEPTH\nSIMINITIALQUEUEDEPTH 5\n",
    "SIMJOBSUBMISSIONPOLICY CONSTANTPSDEPTH\nSIMINITIALQUEUEDEPTH 3\n",
    "SIMSTARTTIME 90000\nSIMWCACCURACYCHANGE 0.5\nSIMWCSCALINGPERCENT 90\n",
    "SIMRANDOMIZEJOBSIZE TRUE\nSIMFLAGS IGNCLASS:IGNQOS\nSIMDEFAULTJOBFLAGS RESTARTABLE\n",
])
def test_a_trace_served_starts_as_maui_sim_starts_it(simulation, policy):
    home = simulation.home
    os.makedirs(f"{home}/traces")
    simulation.nodes = "16"
    simulation.ok("sim", "--generate", "120", "--nodes", "16", "--load", "1.3", "--seed", "5",
                  "--trace-out", f"{home}/traces/workload.trace")
    simulation.begin(f"QUEUETIMEWEIGHT 1\n{policy}", stop="")
    simulation.wait_for_end()
    simulation.ok("sim", "--trace", f"{home}/traces/workload.trace", "--nodes", "16",
                  "-c", f"{home}/maui.cfg", "--poll", "60", "--jobs-out", f"{home}/jobs")
    with open(f"{home}/jobs") as f:
        rows = [line.split("\t") for line in f][1:]
    expected = {row[0]: tuple(map(int, row[1:4])) for row in rows}
    assert len(expected) == 120
    assert {j: times[:3] for j, times in simulation.ended().items()} == expected


def test_a_constant_queue_is_kept(simulation):
    simulation.trace(*(job(n, n * 100000, 600, 900, 2) for n in range(1, 11)))
    simulation.begin("SIMJOBSUBMISSIONPOLICY CONSTANTJOBDEPTH\nSIMINITIALQUEUEDEPTH 3\n")
    simulation.ok("schedctl", "-S", "1S")
    assert {r["id"] for r in simulation.api("/v1/jobs")[1] if "id" in r} == {"1", "2", "3"}
    simulation.ok("schedctl", "-S", "1S")
    jobs = [r for r in simulation.api("/v1/jobs")[1] if "id" in r]
    states = sorted(r["state"] for r in jobs)
    assert states == ["Idle"] * 3 + ["Running"] * 2
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert len(simulation.ended()) == 10


def test_a_constant_amount_of_work_is_kept(simulation):
    simulation.trace(job(1, 0, 600, 900, 4), job(2, 1, 600, 900, 4), job(3, 2, 600, 900, 1),
                     *(job(n, n, 600, 900, 1) for n in range(4, 9)))
    simulation.begin("SIMJOBSUBMISSIONPOLICY CONSTANTPSDEPTH\nSIMINITIALQUEUEDEPTH 2\n")
    simulation.ok("schedctl", "-S", "1S")
    assert {r["id"] for r in simulation.api("/v1/jobs")[1] if "id" in r} == {"1", "2"}
    simulation.ok("schedctl", "-S", "1S")
    waiting = {r["id"] for r in simulation.api("/v1/jobs")[1] if r.get("state") == "Idle"}
    assert waiting == {"2", "3", "4", "5", "6"}, "four processors' work took the place of the first"


def test_it_stops_and_exits_at_its_iterations(simulation):
    four_jobs(simulation)
    simulation.begin("SIMEXITITERATION 40\n", stop="SIMSTOPITERATION 20")
    simulation.wait(lambda: simulation.scheduler()["state"] == "paused", "the stop")
    assert (simulation.scheduler()["iteration"], simulation.now()) == (20, 19 * 60)
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert "SUM: 40 iterations; jobs: 3 completed" in simulation.log()


def test_nothing_is_said_of_running_jobs_where_none_are(simulation):
    four_jobs(simulation)
    simulation.begin(stop="")
    simulation.wait_for_end()
    assert "maui stops\n" in simulation.log() and "running jobs" not in simulation.log()


def test_it_goes_on_when_one_of_many_that_are_held_is_cancelled(simulation):
    """What is cancelled leaves a hole in the queue, when that is long enough."""
    simulation.trace(*(job(n, 0, 600, 900, 4, n) for n in range(1, 21)))
    simulation.begin()
    simulation.ok("schedctl", "-S", "1S")
    simulation.ok("sethold", "-u", *range(2, 21))
    simulation.ok("canceljob", "5")
    simulation.ok("canceljob", "1")
    simulation.ok("schedctl", "-S", "2S")
    assert "Blocked Jobs: 18" in simulation.ok("showq")


def test_it_waits_at_the_end_when_it_is_not_to_shut_down(simulation):
    four_jobs(simulation)
    simulation.begin("SIMAUTOSHUTDOWN FALSE\n", stop="")
    simulation.wait(lambda: simulation.scheduler()["state"] == "paused", "the end")
    assert "4/4" in " ".join(simulation.ok("showstats").split())
    assert simulation.now() == 7260


def test_nodes_of_a_resource_trace_are_counted_off(simulation):
    four_jobs(simulation)
    with open(f"{simulation.home}/traces/resource.trace", "w") as f:
        f.write("VERSION 230\n" + "".join(
            f"COMPUTENODE AVAILABLE 0 host{n} base 9000 8192 50000 2 1 {n} 1 linux x86 [NONE]"
            " [batch:4] [eth] 1.0 [NONE] [NONE] [NONE]\n" for n in range(1, 5)))
    simulation.configure("SERVERMODE SIMULATION\nSIMNODECOUNT 2\nSIMSTOPITERATION 0\n"
                         "SIMSTARTTIME 100000\n")
    done = simulation.run("serve")
    assert done.returncode == 0, done.stderr
    simulation.pid_at_begin = simulation.pid()
    names = [r["name"] for r in simulation.api("/v1/nodes")[1] if "name" in r]
    assert names == ["host1", "host2"] and simulation.now() == 100000 - EPOCH


def test_equal_runs_leave_equal_records(simulation):
    four_jobs(simulation)
    texts = []
    for _ in range(2):
        simulation.begin(stop="")
        simulation.wait_for_end()
        with open(f"{simulation.home}/stats/simstat.out") as f:
            texts.append(f.read())
    assert texts[0] == texts[1] and texts[0].count("Completed") == 4


def test_records_keep_the_command_and_the_seconds_used(simulation):
    """Of the trace's record where it tells them, else those that were dedicated."""
    def record(name, procs, submit, run, command, used):
        return (f"{name} 0 {procs} ann bio 900 Completed [DEFAULT:1] {submit} {submit} {submit} "
                f"{submit + run} [NONE] [NONE] [NONE] >= 0 >= 0 [NONE] {submit} {procs} -1 "
                f"[NONE] [NONE] [NONE] {command} [NONE] 0 {used} DEFAULT 1 0 0 0 0 0 "
                "[NONE] [NONE] [NONE] [NONE] [NONE] [NONE] [NONE]")

    simulation.trace("VERSION 230", record("a.1", 2, EPOCH, 600, "/home/ann/bin/run.sh", 700),
                     record("a.2", 4, EPOCH + 60, 300, "md.sh", 0),
                     record("a.3", 1, EPOCH + 120, 100, "[NONE]", 100))
    simulation.begin(stop="")
    simulation.wait_for_end()
    with open(f"{simulation.home}/stats/simstat.out") as f:
        rows = [line.split() for line in f if line.startswith("a.")]
    assert {r[0]: (r[26], float(r[29])) for r in rows} == {
        "a.1": ("/home/ann/bin/run.sh", 700), "a.2": ("md.sh", 1200), "a.3": ("[NONE]", 100)}


def test_the_sites_state_is_left_alone_and_no_program_is_run(simulation):
    four_jobs(simulation)
    with open(f"{simulation.home}/state.db", "w") as f:
        f.write("of the site")
    script = f"{simulation.home}/feedback"
    with open(script, "w") as f:
        f.write(f"#!/bin/sh\ntouch {simulation.home}/told\n")
    os.chmod(script, 0o755)
    simulation.begin(f"FEEDBACKPROGRAM {script}\nNOTIFICATIONPROGRAM {script}\n", stop="")
    simulation.wait_for_end()
    with open(f"{simulation.home}/state.db") as f:
        assert f.read() == "of the site"
    assert not os.path.exists(f"{simulation.home}/told")


def test_what_cannot_be_simulated_is_told(simulation):
    simulation.configure("SERVERMODE SIMULATION\n")
    done = simulation.run("serve", "--nodes", "4")
    assert done.returncode == 1 and "SIMWORKLOADTRACEFILE" in done.stderr
    assert "traces/workload.trace" in done.stderr
    four_jobs(simulation)
    simulation.begin()
    assert "stands" in simulation.run("mschedctl", "-r", "10:00").stderr
    done = simulation.run("msub", stdin="#!/bin/sh\nsleep 1\n")
    assert done.returncode == 1 and "from the trace" in done.stderr


def test_a_suspended_job_has_the_rest_of_its_time_and_a_requeued_one_all_of_it(simulation):
    simulation.trace(job(1, 0, 600, 900, 1, 1), job(2, 0, 600, 900, 1, 2))
    simulation.begin()
    simulation.ok("schedctl", "-S", "6S")
    simulation.ok("sethold", "-u", "2")
    simulation.ok("mjobctl", "-R", "2")
    simulation.ok("mjobctl", "-s", "1")
    assert simulation.state("1") == "Suspended" and simulation.now() == 300
    simulation.ok("schedctl", "-S", "2S")
    simulation.ok("mjobctl", "-r", "1")
    simulation.ok("releasehold", "-u", "2")
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert simulation.ended() == {
        "1": (0, 0, 720, "Completed"), "2": (0, 480, 1080, "Completed")}


def test_a_limit_that_is_changed_while_its_job_is_suspended_ends_it(simulation):
    simulation.trace(job(1, 0, 600, 900, 1, 1))
    simulation.begin()
    simulation.ok("schedctl", "-S", "6S")
    simulation.ok("mjobctl", "-s", "1")
    simulation.ok("mjobctl", "-m", "wclimit=400", "1")
    simulation.ok("mjobctl", "-r", "1")
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert simulation.ended() == {"1": (0, 0, 400, "Removed")}


def test_a_ratio_to_the_real_clock_is_kept(simulation):
    four_jobs(simulation)
    begun = time.monotonic()
    simulation.begin("SIMTIMERATIO 600\n", stop="SIMSTOPITERATION 11")
    simulation.wait(lambda: simulation.scheduler()["state"] == "paused", "the stop")
    assert time.monotonic() - begun > 0.9, "ten iterations of a tenth of a second"
    assert simulation.now() == 600


def test_a_job_for_ever_held_does_not_keep_it_from_ending(simulation):
    four_jobs(simulation)
    simulation.begin()
    simulation.ok("schedctl", "-S", "2S")
    simulation.ok("sethold", "-b", "2")
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert "1 waiting" in simulation.log() and "2" not in simulation.ended()


def test_a_job_held_by_a_person_is_waited_for(simulation):
    four_jobs(simulation)
    simulation.begin()
    simulation.ok("schedctl", "-S", "2S")
    simulation.ok("sethold", "-u", "2")
    simulation.ok("schedctl", "-r")
    simulation.wait(lambda: simulation.scheduler()["state"] == "paused", "the others' end")
    simulation.ok("releasehold", "-u", "2")
    simulation.ok("schedctl", "-r")
    simulation.wait_for_end()
    assert "4 completed" in simulation.log() and "2" in simulation.ended()


def named_nodes(simulation):
    """Sixteen of two processors, in racks r1 and r2."""
    with open(f"{simulation.home}/traces/resource.trace", "w") as f:
        f.write("VERSION 230\n" + "".join(
            f"COMPUTENODE AVAILABLE 0 r{r}i{i}n{n} base 9000 8192 50000 2 1 {n} 1 linux x86"
            " [NONE] [batch:2] [eth] 1.0 [NONE] [NONE] [NONE]\n"
            for r in (1, 2) for i in (3, 4) for n in (1, 2, 3, 4)))


def served(simulation, config):
    simulation.configure("SERVERMODE SIMULATION\nRMPOLLINTERVAL 60\n"
                         "SIMJOBSUBMISSIONPOLICY NORMAL\nSIMFLAGS IGNCLASS\n" + config)
    done = simulation.run("serve")
    assert done.returncode == 0, done.stderr
    simulation.pid_at_begin = simulation.pid()


def test_a_script_of_a_site_leads_a_stopped_simulation_to_where_it_wants_it(simulation):
    simulation.trace(*(job(n, 40 * n, 3000, 36000, 1 + n % 4, n % 5) for n in range(1, 1200)))
    named_nodes(simulation)
    served(simulation, "SIMSTOPITERATION 1\nSIMSTARTTIME 08:30:00_02/20/2017\n"
                       "SIMAUTOSHUTDOWN FALSE\nSIMEXITITERATION 640\n")
    simulation.wait(lambda: simulation.scheduler()["state"] == "paused", "the first stop")
    assert simulation.ok("schedctl", "-s", "500I") == "scheduling will stop at iteration 500\n"
    shown = simulation.ok("showstats", "-v")  # it waits until then, as all commands do
    assert "statistics for iteration   500 " in shown
    assert "current scheduler time: Mon Feb 20 16:49:00 (1487609340)" in shown
    assert "reservation 'SYSTEM.0' created on 16 nodes" in simulation.ok(
        "setres", "-s", "09:00:00_02/21/2017", "-d", "29880", "ALL")
    assert simulation.scheduler()["iteration"] == 500, "it has stopped there"
    simulation.ok("schedctl", "-s", "600I")
    node = simulation.ok("checknode", "r2i4n3")
    assert simulation.scheduler()["iteration"] == 600
    assert "State:      Busy  (in current state for " in node and "SYSTEM.0" in node
    assert "reservation '^r2i4n3$.0' created on 1 node" in simulation.ok(
        "setres", "-n", "^r2i4n3$", "-s", "+20:00:00", "-d", "60", "^r2i4n3$")
    assert simulation.ok("releaseres", "^r2i4n3$.0") == (
        "released User reservation '^r2i4n3$.0'\n")
    simulation.ok("schedctl", "-r")
    simulation.wait(lambda: simulation.scheduler()["state"] == "paused", "SIMEXITITERATION")
    assert simulation.scheduler()["iteration"] == 640, "without SIMAUTOSHUTDOWN it stays"
    simulation.ok("schedctl", "-S", "2S")
    assert simulation.scheduler()["iteration"] == 642, "and goes on when it is told to"
    os.kill(simulation.pid_at_begin, 0)


def test_full_nodes_of_a_simulation_are_busy_and_others_run_or_are_idle(simulation):
    simulation.trace(job(1, 0, 600, 900, 2), job(2, 0, 600, 900, 1))
    named_nodes(simulation)
    served(simulation, "SIMSTOPITERATION 0\n")
    simulation.ok("schedctl", "-s", "4")
    states = [r["state"] for r in simulation.api("/v1/nodes")[1] if "name" in r]
    assert sorted(set(states)) == ["Busy", "Idle", "Running"]
    assert states.count("Busy") == 1 and states.count("Running") == 1
    assert simulation.api("/v1/nodes?state=Busy")[1]["state"] == "Busy", "one record"
    busy = next(r["name"] for r in simulation.api("/v1/nodes")[1] if r.get("state") == "Busy")
    assert "Busy  (in current state for 00:03:00)" in simulation.ok("checknode", busy)


def test_who_waits_for_a_stopped_simulation_is_answered_when_it_is_resumed(simulation):
    four_jobs(simulation)
    simulation.begin("SIMAUTOSHUTDOWN FALSE\nSIMTIMERATIO 1\n")
    simulation.ok("schedctl", "-s", "500I")
    refused = simulation.run("showq")  # with a clock like ours that would take hours
    assert refused.returncode == 1 and "nobody is answered" in refused.stderr
    simulation.ok("schedctl", "-s")
    assert "Total Jobs" in simulation.ok("showq")
