# SPDX-License-Identifier: Apache-2.0
"""What commands print is written, or they say that it is not."""
import subprocess

import pytest

@pytest.mark.parametrize("words", [
    ("showq",), ("showres",), ("showconfig",), ("showbf",), ("diagnose", "-n"), ("showq", "--help"),
    ("showq", "--version"), ("showq", "--format", "json"), ("--help",), ("--version",),
    ("sim", "--help"), ("sim", "--generate", "5", "--nodes", "2"), ("check", "--help"),
    ("replay", "--help"), ("serve", "--help"), ("schedctl", "--help")])
def test_a_command_whose_output_is_lost_fails_and_says_so(live, words):
    assert live.ok(*words)
    with open("/dev/full", "w") as full:
        done = subprocess.run([live.program, *words], env=live.env, stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1, (words, done)
    assert "the output could not be written: No space left on device\n" in done.stderr
