# SPDX-License-Identifier: Apache-2.0
"""Every example configuration is right, and does what it says."""
import json
import pathlib

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).resolve().parent.parent / "examples").glob("*.cfg"))


@pytest.fixture(scope="module")
def simulate(maui, tmp_path_factory):
    """Statistics of the same generated fortnight under a configuration."""

    def run(config, *options):
        out = tmp_path_factory.mktemp("sim") / "stats.json"
        maui("sim", "--generate", "14d", "--nodes", "64x8", "--seed", 3,
             "-c", config, "--stats-json", out, *options)
        return json.loads(out.read_text())

    return run


@pytest.mark.parametrize("config", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_no_finding(maui, config):
    done = maui("check", "-c", config)
    assert "warning" not in done.stdout + done.stderr
    assert "error:" not in done.stdout + done.stderr


@pytest.mark.parametrize("config", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_every_job_of_a_generated_fortnight(simulate, config):
    stats = simulate(config)
    assert stats["jobs"] > 100
    assert stats["jobs_waiting"] == stats["jobs_refused"] == stats["held"] == 0
    assert 0 < stats["utilization"] <= 1


def test_backfill_shortens_the_mean_wait(simulate):
    by_name = {path.stem: path for path in EXAMPLES}
    fcfs, easy = simulate(by_name["fcfs"]), simulate(by_name["easy"])
    assert easy["jobs"] == fcfs["jobs"]
    assert easy["mean_wait_s"] < fcfs["mean_wait_s"]


def test_equal_runs_give_equal_schedules(maui, tmp_path):
    for name in ("a", "b"):
        maui("sim", "--generate", "7d", "--nodes", "16x4", "--seed", 11,
             "-c", EXAMPLES[-1], "--jobs-out", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("policy", ["REQUEUE", "SUSPEND", "CHECKPOINT"])
def test_stolen_cycles_are_given_back_as_the_events_tell(simulate, tmp_path, policy):
    example = next(path for path in EXAMPLES if path.stem == "stealing")
    config, log = tmp_path / "maui.cfg", tmp_path / "events.jsonl"
    config.write_text(example.read_text() + f"PREEMPTPOLICY {policy}\n")
    stats = simulate(config, "--events-out", log)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    stops = [e for e in events if e["event"] == policy.lower()]
    assert stats["preempted"] == len(stops) > 0
    assert (stats["lost_proc_hours"] > 0) == (policy == "REQUEUE")
    started = {(e["time"], e["job"]) for e in events if e["event"] == "start"}
    assert all((e["time"], e["by"]) in started for e in stops)
    back = "resume" if policy == "SUSPEND" else "start"
    for e in stops:
        assert any(b["job"] == e["job"] and b["event"] == back and b["time"] > e["time"]
                   for b in events)
