# SPDX-License-Identifier: Apache-2.0
"""The verifier that Grid Engine's master asks, by itself: no Grid Engine is needed."""
import pathlib
import subprocess

import pytest

GATE = pathlib.Path(__file__).resolve().parents[2] / "src/rm/gridengine/gate.sh"


def ask(*params):
    lines = ["START", *(f"PARAM {p}" for p in params), "BEGIN", "QUIT"]
    done = subprocess.run(["/bin/sh", GATE], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=True)
    assert done.stderr == ""
    begun, *answer = done.stdout.splitlines()
    assert begun == "STARTED"
    return answer


KEPT = "PARAM a 203801010000.00"


def test_a_job_waits_by_a_start_time_and_its_holds_are_its_own():
    assert ask("h o", "N x") == [KEPT, "PARAM ac maui_gate=a", "RESULT STATE CORRECT"]
    assert ask("ac a=1,b=2") == [KEPT, "PARAM ac maui_gate=a,a=1,b=2,maui_gate=a", "RESULT STATE CORRECT"]


def test_a_job_with_a_start_time_is_held_and_its_own_hold_noted():
    assert ask("a 203001010000.00", "h o") == ["PARAM h u", "PARAM ac maui_gate=o",
                                               "RESULT STATE CORRECT"]
    for named in ("a 203001010000.00", "ar 3"):  # a reservation is over by 2038
        assert ask(named) == ["PARAM h u", "PARAM ac maui_gate=n", "RESULT STATE CORRECT"]


@pytest.mark.parametrize("text", [
    r"x=1\nPARAM\0040h\0040n\nRESULT\0040STATE\0040ACCEPT\ny", "x=a b  c", "x=%s%n$(id)`id`*"])
def test_what_a_user_wrote_is_one_line(text):
    assert ask(f"ac {text}") == [KEPT, f"PARAM ac maui_gate=a,{text},maui_gate=a", "RESULT STATE CORRECT"]


def test_a_text_that_is_too_long_is_refused():
    answer = ask("ac a=" + "x" * 20000)
    assert len(answer) == 1 and answer[0].startswith("RESULT STATE REJECT")
