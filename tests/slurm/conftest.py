# SPDX-License-Identifier: Apache-2.0
"""One cluster for a module of tests; each test leaves it empty and as it was."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import pytest

import slurm_cluster
import slurm_release


def pytest_collection_modifyitems(items):
    """Say which package is missing rather than fail in each test."""
    lack = slurm_cluster.missing()
    if lack:
        mark = pytest.mark.skip(reason=f"no Slurm here: {lack} is not installed")
        for item in items:
            if pathlib.Path(__file__).parent in pathlib.Path(str(item.fspath)).parents:
                item.add_marker(mark)


@pytest.fixture(scope="session")
def slurm_program(build):
    if not (build / "src/client/maui-slurm").exists():
        pytest.skip("maui-slurm is not built: libslurm-dev is not installed (scripts/deps test)")
    assert slurm_release.is_against(build / "src/client/maui-slurm"), (
        f"{build} is not built against {slurm_release.PREFIX}: scripts/build slurm")
    return build / "src/client/maui"


@pytest.fixture
def fresh_cluster(slurm_program):
    """Make clusters of your own: fresh_cluster(nodes=2, ...); up() is called here."""
    made = []

    def make(scheduler=True, **options):
        made.append(slurm_cluster.SlurmCluster(slurm_program, **options))
        return made[-1].up(scheduler=scheduler)

    yield make
    for c in made:
        c.down()


@pytest.fixture(scope="module")
def meanwhile(slurm_program, request):
    """meanwhile(name): the result of what the module's MINUTES have under that test's name,
    a function and the clusters to make for it. What takes a minute by its nature, as limits
    of jobs do, begins with the first test that uses this and goes on beside the others."""
    pool, made, begun = concurrent.futures.ThreadPoolExecutor(), [], {}

    def act(work, *clusters):
        mine = [slurm_cluster.SlurmCluster(slurm_program, **c) for c in clusters]
        made.extend(mine)
        return work(*(c.up(scheduler=c.gate) for c in mine))
    asked = {item.originalname for item in request.session.items
             if item.module is request.module}
    for name, task in request.module.MINUTES.items():
        if name in asked:
            begun[name] = pool.submit(act, *task)
    yield lambda name: begun[name].result()
    pool.shutdown()
    for c in made:
        c.down()


@pytest.fixture(scope="module")
def module_cluster(slurm_program, request):
    c = slurm_cluster.SlurmCluster(slurm_program, **getattr(request.module, "CLUSTER", {}))
    try:
        yield c.up()
    finally:
        c.down()


@pytest.fixture(scope="module")
def shift(tmp_path_factory):
    """A library that makes a clock wrong."""
    source = pathlib.Path(__file__).parent / "shift.c"
    library = tmp_path_factory.mktemp("shift") / "shift.so"
    done = subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-o", library,
                           source], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("shift.c is not built: no C compiler (scripts/deps test)")
    return str(library)


@pytest.fixture(scope="module")
def forge():
    """A program that speaks to slurmctld by its library."""
    source = pathlib.Path(__file__).parent / "forge.c"
    folder = pathlib.Path("/tmp") / f"maui-forge-{os.getpid()}"
    folder.mkdir(mode=0o755)
    done = subprocess.run([shutil.which("cc") or "gcc", "-o", folder / "forge", source,
                           *slurm_release.LIBRARY, "-lslurm"], capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(folder)
        assert not slurm_release.PREFIX, done.stderr
        pytest.skip("forge.c is not built: libslurm-dev is not installed (scripts/deps test)")
    yield str(folder / "forge")
    shutil.rmtree(folder)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Where a test failed, its fixtures know."""
    outcome = yield
    item.failed = getattr(item, "failed", False) or outcome.get_result().failed


@pytest.fixture
def slurm(module_cluster, request):
    marks = module_cluster.marks()
    yield module_cluster
    if getattr(request.node, "failed", False):
        print(module_cluster.since(marks))
    module_cluster.empty()


@pytest.fixture
def policies(slurm):
    """policies("PARAMETER VALUE\\n..."): the scheduler with these and no memory."""
    def restart(text):
        slurm.maui.stop()
        for path in pathlib.Path(slurm.maui.home).iterdir():
            if path.is_file() and not path.name.startswith("slurm."):
                path.unlink()
        slurm.maui.configure(f"{slurm.section}\nRMPOLLINTERVAL 1\n" + text)
        slurm.maui.start()
        slurm.wait(slurm.known, "the scheduler's picture")

    yield restart
    slurm.empty()
    restart("")


@pytest.fixture
def users():
    """Other people, of every Debian; only root can be them. Not "nobody": whoever is called
    that is nobody to later releases of Slurm."""
    if os.geteuid() != 0:
        pytest.skip("other users can only be played by root")
    return "daemon", "games", "bin"


@pytest.fixture
def full(slurm):
    """A job on all processors; call it to end the job."""
    job = slurm.sbatch("-N", len(slurm.nodes), "--exclusive", "-t", "30")
    slurm.wait_state(job, "RUNNING")
    return lambda: slurm.ok("scancel", job)
