# SPDX-License-Identifier: Apache-2.0
"""maui sim --scenario: what happens besides jobs, told and in effect."""
import json
import pathlib

import pytest

pytestmark = pytest.mark.anybody

DAY = 86400


@pytest.fixture
def simulate(maui, tmp_path):
    """A generated week with a scenario: the finished program, events, jobs."""

    def run(scenario, *options, check=True):
        (tmp_path / "a.scn").write_text(scenario)
        done = maui("sim", "--generate", "7d", "--nodes", "32x4", "--seed", 5,
                    "--scenario", tmp_path / "a.scn", "--events-out", tmp_path / "events",
                    "--jobs-out", tmp_path / "jobs", *options, check=check)
        if done.returncode:
            return done, None, None
        events = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
        rows = [line.split("\t") for line in (tmp_path / "jobs").read_text().splitlines()[1:]]
        return done, events, {row[0]: (int(row[2]), int(row[3])) for row in rows}

    return run


def test_nothing_runs_during_a_maintenance(simulate):
    done, events, jobs = simulate("+1:00:00:00 setres -s +1:00:00:00 -d 8:00:00 ALL\n")
    told = [event for event in events if event["event"] == "scenario"]
    assert [(event["time"], event["done"]) for event in told] == [(DAY, True)]
    assert told[0]["command"] == "setres -s +1:00:00:00 -d 8:00:00 ALL"
    assert "1 line of the scenario carried out" in done.stdout
    begin, end = 2 * DAY, 2 * DAY + 8 * 3600
    assert any(start < begin for start, _ in jobs.values())
    late = [job for job, (start, stop) in jobs.items()
            if start >= DAY and start < end and stop > begin]
    assert not late


def test_no_job_starts_on_a_node_that_is_down(simulate):
    _, events, _ = simulate("+1:00:00:00 node '^n[1-4]$' down\n+3:00:00:00 node n1 up\n")
    for event in events:
        if event["event"] != "start" or event["time"] < DAY:
            continue
        for run in event["nodes"]:
            first = int(run["node"][1:])
            used = set(range(first, first + run["count"]))
            down = {2, 3, 4} | ({1} if event["time"] < 3 * DAY else set())
            assert not used & down, event


def test_other_settings_take_effect_at_their_time(simulate, tmp_path):
    (tmp_path / "fcfs.cfg").write_text("BACKFILLPOLICY NONE\n")
    _, events, _ = simulate("+3:00:00:00 config fcfs.cfg\n")
    backfilled = [event["time"] for event in events
                  if event["event"] == "start" and event["backfill"]]
    assert backfilled and max(backfilled) < 3 * DAY


def test_every_error_is_told_in_the_order_of_the_lines(simulate, tmp_path):
    done, _, _ = simulate("+5 setqos gold 1\n+1 setrs ALL\n+2 node n1,n99 down\n", check=False)
    assert done.returncode == 1
    name = tmp_path / "a.scn"
    assert done.stderr.splitlines()[:3] == [
        f"{name}:1: setqos: invalid QOS 'gold'",
        f"{name}:2: unknown command 'setrs'; did you mean setres?",
        f"{name}:3: node: no node matches 'n99'",
    ]
    assert not (tmp_path / "jobs").exists()


def test_what_fails_at_its_time_is_told_and_the_rest_goes_on(simulate):
    done, events, _ = simulate("+1:00:00:00 setres TASKS==33\n+2:00:00:00 node n1 drain\n")
    told = [event["done"] for event in events if event["event"] == "scenario"]
    assert told == [False, True]
    assert "a.scn:1: setres: cannot select" in done.stderr
    assert "1 refused" in done.stdout


def test_the_example_runs_without_a_refusal(maui, tmp_path):
    examples = pathlib.Path(__file__).resolve().parent.parent / "examples"
    done = maui("sim", "--generate", "30d", "--nodes", "64x8", "-c", examples / "easy.cfg",
                "--scenario", examples / "month.scn", "--chart", "--stats-json", tmp_path / "s")
    stats = json.loads((tmp_path / "s").read_text())
    assert stats["scenario_lines"] == 7 and stats["scenario_refused"] == 0
    assert {row["name"] for row in stats["reservations"]} == {"maintenance", "course"}
    assert stats["jobs_lost"] > 0
    assert "x" in done.stdout and not done.stderr


BANKED = "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\n"


def test_an_account_runs_dry_and_a_deposit_lets_jobs_go_on(maui, tmp_path):
    (tmp_path / "bank.cfg").write_text(BANKED)
    (tmp_path / "free.cfg").write_text("\n")

    def report(lines, *configs):
        (tmp_path / "a.scn").write_text(lines)
        done = maui("sim", "--generate", "2d", "--nodes", "8x4", "--seed", 5, "--format",
                    "json", "--scenario", tmp_path / "a.scn", "--config", *configs)
        return json.loads(done.stdout)

    def all_of(report, key):
        return sum(account[key] for account in report["accounts"])

    accounts = "+0 account inst\n" + "".join(
        f"+0 account account{n} inst overflow\n" for n in range(1, 41))
    rich = report(f"{accounts}+0 deposit inst 100000h\n", tmp_path / "bank.cfg")
    used = all_of(rich, "charged")
    inst = rich["accounts"][0]
    assert inst["account"] == "inst" and inst["charged"] == 0
    assert used > 3600 and inst["available"] == 100000 * 3600 - used
    assert all(a["dry_at"] is None and a["held"] == 0 for a in rich["accounts"])
    half = f"{accounts}+0 deposit inst {used / 2:.3f}\n"
    poor = report(half, tmp_path / "bank.cfg")
    assert any(a["dry_at"] is not None and a["waiting"] for a in poor["accounts"])
    assert all_of(poor, "charged") <= used / 2 and poor["started"] < rich["started"]
    saved = report(f"{half}+3:00:00:00 deposit inst 100000h\n", tmp_path / "bank.cfg")
    assert all_of(saved, "waiting") == 0 and saved["started"] == rich["started"]
    assert all_of(saved, "charged") == used
    assert "accounts" not in report("+0 node n1 up\n", tmp_path / "free.cfg")


def test_who_makes_room_for_others_costs_less_where_the_site_gives_it_back(maui, tmp_path):
    config = ("FLUSHINTERVAL=1:00:00{}\nSIMDEFAULTJOBFLAGS PREEMPTEE PREEMPTOR\n"
              "PREEMPTPOLICY REQUEUE\nQUEUETIMEWEIGHT 0\nRESOURCEWEIGHT 1\nPROCWEIGHT 1\n")
    (tmp_path / "a.scn").write_text(
        "+0 account inst\n+0 deposit inst 1000000h\n"
        + "".join(f"+0 account account{n} inst overflow\n" for n in range(1, 41)))
    charged = []
    for word in ("", " REFUNDONREQUEUE=TRUE"):
        (tmp_path / "bank.cfg").write_text(BANKED.strip() + " " + config.format(word))
        told = json.loads(maui("sim", "--generate", "2d", "--nodes", "8x4", "--seed", 5,
                               "--format", "json", "--scenario", tmp_path / "a.scn",
                               "--config", tmp_path / "bank.cfg").stdout)
        assert told["preempted"] > 0
        charged.append(sum(account["charged"] for account in told["accounts"]))
        # what came back can be used again, in the picture that decisions are made from
        assert told["accounts"][0]["available"] == 3600 * 1000000 - charged[-1]
    assert charged[1] < charged[0]


def test_deposits_that_make_no_sense_are_told(simulate):
    done, _, _ = simulate("+0 deposit chem\n+0 deposit chem x\n+0 deposit chem 5 soon\n"
                          "+0 account a b odd\n", check=False)
    for words in ("expected: deposit ACCOUNT AMOUNT", "'x' is not an amount", "soon",
                  "expected: account NAME"):
        assert words in done.stderr, words
