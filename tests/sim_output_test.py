# SPDX-License-Identifier: Apache-2.0
"""maui sim: what is written to "-" and to stdout besides."""
import subprocess


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
