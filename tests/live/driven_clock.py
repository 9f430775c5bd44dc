# SPDX-License-Identifier: Apache-2.0
"""The time of day of a daemon under test, as a file says (tests/support/driven_clock.c)."""
import os
import pathlib
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "support" / "driven_clock.c"


class DrivenClock:
    """Of daemons that are started with `env`; in a folder that somebody else takes away."""

    def __init__(self, folder):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        assert compiler, "a C compiler has built what is tested here"
        self.file, library = f"{folder}/clock", f"{folder}/driven_clock.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, str(SOURCE), "-ldl"],
                       check=True)
        self.env = {"LD_PRELOAD": library, "TEST_CLOCK_FILE": self.file}
        self.ahead(0)

    def _say(self, text):
        with open(f"{self.file}.new", "w") as f:
            f.write(text)
        os.rename(f"{self.file}.new", self.file)

    def ahead(self, seconds):
        """It goes, so many seconds ahead of the right time."""
        self._say(str(seconds))

    def stand(self, at):
        """It stands at this second."""
        self._say(f"={at}")
