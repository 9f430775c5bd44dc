# SPDX-License-Identifier: Apache-2.0
"""maui sim: what is written to "-" and to stdout besides."""
import subprocess

import pytest

pytestmark = pytest.mark.anybody


def test_outputs_to_a_redirected_stdout_stand_one_after_the_other(build, maui, tmp_path):
    job = ["sim", "--generate", "30", "--nodes", "8x1"]
    maui(*job, "--jobs-out", tmp_path / "jobs")
    rows = (tmp_path / "jobs").read_text()
    with open(tmp_path / "all", "w", encoding="ascii") as out:
        out.write("before\n")
        out.flush()
        subprocess.run([build / "src" / "client" / "maui", *job, "--jobs-out", "-"],
                       stdin=subprocess.DEVNULL, stdout=out, check=True)
    before, _, rest = (tmp_path / "all").read_text().partition("\n")
    assert before == "before"
    assert len(rows.splitlines()) == 31 and rest.startswith(rows)
    assert rest[len(rows):].startswith("Workload ")


def test_a_log_with_more_columns_than_the_format_is_taken_and_told_once(maui, tmp_path):
    log = tmp_path / "wide.swf"
    log.write_text("".join(
        f"{i} {i} -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1 9 more\n" for i in range(1, 4)))
    done = maui("sim", "--trace", log, "--nodes", "8")
    assert "jobs       3," in done.stdout
    assert done.stderr.count("the first 18 are taken") == 1
