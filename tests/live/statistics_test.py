# SPDX-License-Identifier: Apache-2.0
"""Statistics of record through the daemon: counted, kept over a crash, reset."""


def ended(daemon, job):
    daemon.wait(lambda: daemon.job(job) is None, "the end of the job")


def test_an_ended_job_is_in_all_statistics(live):
    ended(live, live.submit("exit 0", wclimit_s=300))
    status, system = live.api("/v1/statistics")
    assert status == 200
    assert system["completed_jobs"] == system["successful_jobs"] == 1
    assert system["procs"] == 8 and system["nodes"] == 4
    assert system["total"]["ps_requested"] == 300
    assert system["ps_available"] >= system["total"]["ps_dedicated"]
    status, users = live.api("/v1/statistics/user")
    assert status == 200
    users = users if isinstance(users, list) else [users]
    assert [u["jobs"] for u in users] == [1]
    status, grid = live.api("/v1/statistics/grid/jobcount")
    assert status == 200 and grid["type"] == "JOBCOUNT"
    row, column = grid["procs"].index(1), next(
        i for i, t in enumerate(grid["times_s"]) if t >= 300)
    assert grid["cells"][row][column]["jobs"] == 1
    assert sum(c.get("jobs", 0) for line in grid["cells"] for c in line) == 1


def test_answers_are_as_described(live):
    ended(live, live.submit("exit 0"))
    schemas = live.api("/openapi.json")[1]["components"]["schemas"]
    _, system = live.api("/v1/statistics")
    assert set(system) <= set(schemas["SystemStatistics"]["properties"])
    assert set(system["total"]) <= set(schemas["Statistics"]["properties"])
    _, grid = live.api("/v1/statistics/grid/AVGXFACTOR")
    assert set(grid) <= set(schemas["Grid"]["properties"])


def test_statistics_survive_kill_9_and_what_runs_counts_on(live):
    ended(live, live.submit("exit 0"))
    job = live.submit("sleep 60")
    live.wait(lambda: live.state(job) == "Running", "the start")
    before = live.api("/v1/statistics")[1]
    live.kill()
    live.start()
    live.wait(lambda: live.state(job) == "Running", "the job")
    after = live.api("/v1/statistics")[1]
    assert after["since"] == before["since"]
    assert after["completed_jobs"] == 1 and after["active_jobs"] == 1
    assert after["total"]["ps_requested"] == before["total"]["ps_requested"]
    assert after["total"]["ps_dedicated"] >= before["total"]["ps_dedicated"]
    assert after["ps_available"] >= before["ps_available"]


def test_clocks_of_nodes_go_on_after_kill_9(live):
    job = live.submit("sleep 60")
    live.wait(lambda: live.state(job) == "Running", "the start")
    node = live.job(job)["master_host"]
    live.wait(lambda: live.api(f"/v1/nodes/{node}")[1]["active_s"] >= 2, "two seconds")
    before = live.api(f"/v1/nodes/{node}")[1]
    live.kill()
    live.start()
    live.wait(lambda: live.state(job) == "Running", "the job")
    after = live.api(f"/v1/nodes/{node}")[1]
    assert after["total_s"] >= before["total_s"] and after["up_s"] == after["total_s"]
    assert before["active_s"] <= after["active_s"] <= after["total_s"]
    other = live.api("/v1/nodes/node04")[1]
    assert other["active_s"] == 0 and other["total_s"] >= before["total_s"]
    assert live.ok("checknode", node).count("Total Time: 00:00:") == 1


def test_reset_forgets_what_ended_for_good(live):
    ended(live, live.submit("exit 0"))
    status, answer = live.api("/v1/orders/reset-statistics", {})
    assert (status, answer["message"]) == (200, "statistics reset")
    assert answer["at"] == live.api("/v1/statistics")[1]["since"]
    live.kill()
    live.start()
    assert live.api("/v1/statistics")[1]["completed_jobs"] == 0


def test_what_is_not_there_is_refused(live):
    status, answer = live.api("/v1/statistics/grid/AVERAGE")
    assert status == 400 and "AVGXFACTOR" in answer["error"]["message"]
    assert live.api("/v1/statistics/planet")[0] == 404
    assert live.api("/v1/statistics/user?name=nobody-here")[0] == 404
