# SPDX-License-Identifier: Apache-2.0
"""The units of packaging/ without systemd: the very command of a unit, with its drop-ins,
and what systemd does of Restart=, its limit of starts, and OnFailure=. What this does not
show is systemd itself, which the tests have not as process 1."""
import pathlib
import re
import shlex
import subprocess
import time

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"
START_LIMIT, START_INTERVAL = 5, 10  # systemd's own, which no unit of ours changes


class Unit:
    """As installed beside a cluster: %S is the folder of its home."""

    def __init__(self, slurm, name, drop_in=""):
        self.slurm, self.name, self.settings, self.environment = slurm, name, {}, {}
        text = (PACKAGING / f"{name}.in").read_text() + "\n" + drop_in
        for line in text.splitlines():
            found = re.match(r"(\w+)=(.*)", line)
            if found and found[1] == "Environment":
                self.environment.update([found[2].split("=", 1)])
            elif found:
                self.settings[found[1]] = found[2]

    def command(self):
        text = self.settings["ExecStart"].replace("@bindir@/maui", self.slurm.maui.program)
        text = text.replace("%S/maui", self.slurm.maui.home)
        assert "%" not in text and "@" not in text, text
        return [re.sub(r"\$\{(\w+)\}", lambda m: self.environment[m[1]], word)
                for word in shlex.split(text)]

    def seconds(self, key, usual=0.1):
        return float(self.settings.get(key, usual))

    def start(self):
        return self.slurm.popen(*self.command())

    def fail(self):
        """Starts it as often as systemd would, each of which fails; then the unit that its
        OnFailure= names. Its words, and those of that unit."""
        assert self.settings["Restart"] in ("on-failure", "always")
        begun, said = [], []
        while len(begun) < START_LIMIT or begun[-START_LIMIT] < time.monotonic() - START_INTERVAL:
            assert len(begun) < 30, "systemd would go on starting it for ever"
            begun.append(time.monotonic())
            done = self.start().communicate(timeout=60)
            said.append("".join(done))
            time.sleep(self.seconds("RestartSec"))
        other = Unit(self.slurm, self.settings["OnFailure"])
        assert other.settings["Type"] == "oneshot"
        done = subprocess.run(other.command(), env=self.slurm.env, capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return said, done.stdout
