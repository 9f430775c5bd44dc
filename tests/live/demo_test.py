# SPDX-License-Identifier: Apache-2.0
"""maui demo: runs through, tells what it promises, and leaves nothing behind."""
import glob
import os
import subprocess


def test_the_demo_shows_a_scheduler_at_work_and_cleans_up(build, tmp_path):
    program = str(build / "src" / "client" / "maui")
    env = dict(os.environ, TMPDIR=str(tmp_path))
    done = subprocess.run([program, "demo", "-t", "0.8"], capture_output=True, text=True,
                          env=env, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for text in ("$ maui showq -b", "(hard) processors active and this job asks for 2",
                 "reservation 'patch.", "released User reservation 'patch.", "$ maui msub -l",
                 "What to try next",
                 "12 of 12 jobs left their output", "express.0.0", "physics"):
        assert text in done.stdout, text
    assert not glob.glob(f"{tmp_path}/*")
    left = subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, text=True,
                          check=False).stdout
    assert not left


def test_an_interrupted_demo_cleans_up_as_well(build, tmp_path):
    program = str(build / "src" / "client" / "maui")
    env = dict(os.environ, TMPDIR=str(tmp_path))
    with subprocess.Popen([program, "demo"], env=env, stdout=subprocess.PIPE,
                          text=True) as demo:
        for line in demo.stdout:
            if "twelve jobs" in line:
                break
        demo.terminate()
        demo.stdout.read()
    assert demo.returncode != 0
    assert not glob.glob(f"{tmp_path}/*")


def test_the_demo_goes_on_with_its_page_until_it_is_ended(build, tmp_path):
    program = str(build / "src" / "client" / "maui")
    env = dict(os.environ, TMPDIR=str(tmp_path))
    page = b"/ui/assets/main-" in (build / "src" / "client" / "maui-serve").read_bytes()
    last = "/ui/#login=" if page else "export MAUIHOMEDIR="
    with subprocess.Popen([program, "demo", "--keep", "-t", "0.2"], env=env,
                          stdout=subprocess.PIPE, text=True) as demo:
        lines = []
        for line in demo.stdout:
            lines.append(line)
            if last in line:
                break
        assert any("sixteen nodes" in line for line in lines), lines
        [home] = glob.glob(f"{tmp_path}/maui-demo-*")
        queue = subprocess.run([program, "showq"], env=dict(env, MAUIHOMEDIR=home),
                               capture_output=True, text=True, check=True).stdout
        assert "64 Processors" in queue.replace("  ", " ") or " of 64" in queue, queue
        demo.terminate()
        demo.stdout.read()
    assert demo.returncode == 0
    assert not glob.glob(f"{tmp_path}/*")
