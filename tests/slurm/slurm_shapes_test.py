# SPDX-License-Identifier: Apache-2.0
"""What a job asks for, also after `scontrol update`, is what the scheduler plans; and what
it has while it runs, devices too, is what Slurm has given it."""
import re

import pytest

import slurm_release

NODES = {"n1": "Gres=gpu:a100:2", "n2": "Gres=gpu:a100:1,gpu:v100:1", "n3": "Gres=gpu:v100:2",
         "n4": "Gres=gpu:v100:2"}
GRES = """\
NodeName=n1 Name=gpu Type=a100 File={dir}/gpu[0-1]
NodeName=n2 Name=gpu Type=a100 File={dir}/gpu0
NodeName=n2 Name=gpu Type=v100 File={dir}/gpu1
NodeName=n[3-4] Name=gpu Type=v100 File={dir}/gpu[0-1]
"""
CLUSTER = {"node_options": NODES, "gres_conf": GRES}
KINDS = ("gpu:a100", "gpu:v100")


# What 26.05 does by itself, without this scheduler too.
IS_26 = slurm_release.release() >= (26, 5)


def running(slurm, job):
    slurm.wait_state(job, "RUNNING")
    slurm.wait_maui(job, "Running")
    return slurm.where(job)


# ---- what is asked for ----

@pytest.mark.parametrize("options", [
    ("-n", 3, "-c", 2), ("-n", 3, "-c", 2, "-N", "1-3"), ("-n", 6, "-N", "1-3"),
    ("-n", 4, "-N", "2-3"), ("-N", 2, "-n", 6)],
    ids=lambda options: " ".join(map(str, options)))
def test_tasks_lie_where_there_is_room(slurm, options):
    """Slurm alone starts each of these on such nodes."""
    for node, procs in ("n2", 2), ("n3", 3), ("n4", 3):
        running(slurm, slurm.sbatch("-w", node, "-n", procs))
    running(slurm, slurm.sbatch(*options))


@pytest.mark.parametrize("options", [("-N", "1-3"), ()], ids=["-N 1-3", "any nodes"])
def test_more_processors_are_neither_more_tasks_nor_more_nodes(slurm, options):
    taken = {node: slurm.sbatch("-w", node, "-n", 3) for node in slurm.nodes}
    for job in taken.values():
        running(slurm, job)
    job = slurm.sbatch("-H", "-n", 3, *options)
    slurm.ok("scontrol", "update", f"jobid={job}", "numcpus=4")
    slurm.ok("scontrol", "release", job)
    slurm.wait_maui(job, "Idle")
    running(slurm, slurm.sbatch("-w", "n1", "-n", 1, "-t", 1))
    assert slurm.state(job) == "PENDING", "four nodes have a processor each"
    slurm.ok("scancel", taken["n2"])
    running(slurm, job)
    told = slurm.show(job)
    has = "3" if IS_26 else "4"  # no processors there beside those of its tasks
    assert (told["NodeList"], told["NumCPUs"], told["NumTasks"]) == ("n2", has, "3")


def test_one_device_may_be_of_tasks_on_several_nodes(slurm):
    assert len(running(slurm, slurm.sbatch("-n", 5, "--gpus=1"))) == 2


def test_more_nodes_asked_for_later_are_what_it_has_in_every_run(slurm, full):
    """`scontrol update numnodes=2` sets a least, no most; so also when it is back in the
    queue, and Slurm's record is what the start has made of it."""
    job = slurm.sbatch("-n", 4, "--requeue")
    slurm.wait_maui(job, "Idle")
    slurm.ok("scontrol", "update", f"jobid={job}", "numnodes=2")
    slurm.wait(lambda: slurm.maui.job(job)["requests"][0].get("nodes") == 2, "two nodes")
    full()
    assert len(running(slurm, job)) == 2
    slurm.ok("scontrol", "requeue", job)
    slurm.wait(lambda: slurm.show(job)["Restarts"] == "1", "the next run")
    assert len(running(slurm, job)) == 2
    slurm.ok("scontrol", "requeuehold", job)
    slurm.wait(lambda: slurm.run("scontrol", "update", f"jobid={job}", "numnodes=3").returncode == 0,
               "the queue, where nothing of the start stands any more")
    slurm.wait(lambda: slurm.maui.job(job)["requests"][0].get("nodes") == 3, "three nodes")
    slurm.ok("scontrol", "release", job)
    assert len(running(slurm, job)) == 3


# ---- what runs ----

def by_slurm(slurm):
    out = {}
    for name in slurm.nodes:
        text = slurm.ok("scontrol", "-d", "show", "node", name)
        used = re.search(r"GresUsed=(\S*)", text)[1]
        out[name] = [int(re.search(rf"\b{key}=(\d+)", text)[1]) for key in ("CPUAlloc", "AllocMem")]
        out[name] += [sum(map(int, re.findall(rf"{kind}:(\d+)", used))) for kind in KINDS]
    return out


def by_us(slurm):
    """Nodes of a job with several requests are listed in the order of these."""
    out = {name: [0] * 4 for name in slurm.nodes}
    for name in slurm.nodes:
        taken = slurm.maui.api(f"/v1/nodes/{name}")[1]["dedicated"]
        out[name][:2] = taken.get("procs", 0), taken.get("mem_mb", 0)
    for record in slurm.queued():
        job = slurm.maui.job(record["id"])
        places = [p for p in job.get("allocation", []) for _ in range(p["tasks"])]
        for q in job["requests"]:
            for place in places[:q["tasks"]]:
                for i, kind in enumerate(KINDS):
                    out[place["node"]][2 + i] += q["per_task"].get("gres", {}).get(kind, 0)
            del places[:q["tasks"]]
    return out


@pytest.mark.parametrize("options", [
    ("--gpus=3", "-n", 3), ("--gpus=3", "-n", 6), ("--gpus=v100:3", "-n", 3),
    ("--gpus=4", "-N", 3, "-n", 4), ("--gpus-per-node=1", "-N", 2, "-n", 5),
    ("--gpus-per-node=a100:1", "-N", 2, "-n", 3), ("--gpus-per-task=1", "-n", 3),
    ("--gpus-per-task=v100:1", "-n", 3), ("--gpus=3", "--cpus-per-gpu=2"),
    ("--gpus=2", "--mem-per-gpu=500", "-n", 2), ("--gpus=5", "-n", 5, "--mem=200"),
    ("--gres=gpu:2", "-n", 6), ("--gpus-per-task=1", "-n", 3, "-c", 2),
    ("--gpus=2", ":", "--gpus=v100:2", "-n", 2)],
    ids=lambda options: " ".join(map(str, options)))
def test_what_runs_has_the_devices_that_slurm_has_given_it(slurm, options):
    """Processors, memory and devices of each type, node by node; so what comes later finds
    what is left."""
    running(slurm, slurm.sbatch("-w", "n1", "-n", 1, "--gres=gpu:1"))
    running(slurm, slurm.sbatch(*options))
    slurm.wait(lambda: by_slurm(slurm) == by_us(slurm), "the same")


# ---- what is changed: the last, as what these wait behind stays until the end ----

def planned(slurm, job):
    """Processors, memory and devices in all, and the first request of its picture."""
    found = slurm.maui.job(job)
    first = found["requests"][0]
    gres = {}
    for q in found["requests"]:
        for name, n in q["per_task"].get("gres", {}).items():
            gres[name] = gres.get(name, 0) + n * q["tasks"]
    return found, first, found["procs"], found["mem_mb"], gres


SHAPE = {  # by what is said: the job's options, and what is true of its picture afterwards
    "gres=gpu:2": ((), lambda f, q, n, m, g: (n, g) == (2, {"gpu": 2})),
    "gres=gpu:v100:1": (("--gres=gpu:v100:2",), lambda f, q, n, m, g: g == {"gpu": 1, "gpu:v100": 1}),
    "gres=": (("--gres=gpu:1",), lambda f, q, n, m, g: g == {}),
    "numcpus=3": ((), lambda f, q, n, m, g: (n, m) == (3, 300)),
    "numcpus=1": ((), lambda f, q, n, m, g: n == 1),
    "numtasks=3 numcpus=3": ((), lambda f, q, n, m, g: (n, q["tasks"]) == (3, 3)),
    "numtasks=4 numcpus=4": (("-N", 2), lambda f, q, n, m, g: (n, q["nodes"]) == (4, 2)),
    "numnodes=2": ((), lambda f, q, n, m, g: (n, q["nodes"]) == (2, 2)),
    "NumNodes=2": (("-n", 4), lambda f, q, n, m, g: (n, q["nodes"]) == (4, 2)),
    "numnodes=3": (("-n", 4, "--ntasks-per-node=2"), lambda f, q, n, m, g: (n, q["nodes"]) == (6, 3)),
    "NumNodes=3": (("-w", "n1,n2", "-n", 4), lambda f, q, n, m, g: (n, q["nodes"]) == (4, 3)),
    "numnodes=2-2": ((), lambda f, q, n, m, g: (n, q["nodes"]) == (2, 2)),
    "numnodes=1-1": (("-N", 2), lambda f, q, n, m, g: (n, q["nodes"]) == (2, 1)),
    "mincpusnode=3": ((), lambda f, q, n, m, g: n == 3),
    "minmemorynode=300": ((), lambda f, q, n, m, g: m == 300),
    "minmemorycpu=300": (("--mem=200",), lambda f, q, n, m, g: m == 600),
    "mintmpdisknode=10": ((), lambda f, q, n, m, g: q["per_task"]["disk_mb"] == 10),
    "features=odd": (("-C", "even"), lambda f, q, n, m, g: q["features"] == ["odd"]),
    "features=": (("-C", "even"), lambda f, q, n, m, g: "features" not in q),
    "licenses=lic_a:2": ((), lambda f, q, n, m, g: q["gres"] == {"lic_a": 2}),
    "licenses=": (("-L", "lic_a:1"), lambda f, q, n, m, g: "gres" not in q),
    "timelimit=9": ((), lambda f, q, n, m, g: f["wclimit_s"] == 540),
    "timemin=2": ((), lambda f, q, n, m, g: f["min_wclimit_s"] == 120),
    "partition=high": ((), lambda f, q, n, m, g: f["class"] == "high"),
    "reqnodelist=n3": ((), lambda f, q, n, m, g: q["hosts"] == ["n3"]),
    "reqnodelist=": (("-w", "n1"), lambda f, q, n, m, g: "hosts" not in q),
    "excnodelist=n1,n2": ((), lambda f, q, n, m, g: q["exclude_hosts"] == ["n1", "n2"]),
    "contiguous=1": ((), lambda f, q, n, m, g: q["allocation"] == "CONTIGUOUS"),
    "oversubscribe=no": ((), lambda f, q, n, m, g: q["access"] == "SINGLEJOB"),
    "nice=50": ((), lambda f, q, n, m, g: f["user_priority"] == -50),
    "deadline=now+3hours": ((), lambda f, q, n, m, g: f["deadline_at"] > f["at"] + 10000),
    "starttime=now+1hour": ((), lambda f, q, n, m, g: f["release_at"] > f["at"] + 3000),
}


@pytest.fixture(scope="module")
def updated(module_cluster):
    """All of these at once, behind a job that has everything: {what was said: its job}."""
    slurm = module_cluster
    full = slurm.sbatch("-N", 4, "--exclusive", "-t", 30, script="sleep 1800")
    slurm.wait_state(full, "RUNNING")
    try:
        jobs = {said: slurm.sbatch("-n", 2, "-t", 5, *options, script="sleep 1")
                for said, (options, _) in SHAPE.items()}
        for job in jobs.values():
            slurm.wait_maui(job, "Idle")
        for said, job in jobs.items():
            if said.startswith("partition="):
                slurm.move(job, said.removeprefix("partition="))
            else:
                slurm.ok("scontrol", "update", f"jobid={job}", *said.split())
        yield jobs
    finally:
        slurm.empty()


@pytest.mark.parametrize("said", SHAPE)
def test_what_a_waiting_job_is_changed_to_is_planned(module_cluster, updated, said):
    slurm, right = module_cluster, SHAPE[said][1]

    def holds():
        try:
            return right(*planned(slurm, updated[said]))
        except KeyError:
            return False
    slurm.wait(holds, said)


@pytest.mark.skipif(IS_26, reason="Slurm 26.05 refuses such a job, where one gives no -N")
def test_processors_that_memory_costs_lie_where_there_is_room(fresh_cluster):
    """MaxMemPerCPU makes two processors of --mem=600: of these every node has a pair."""
    slurm = fresh_cluster(conf="MaxMemPerCPU=500\n")
    for node in slurm.nodes:
        running(slurm, slurm.sbatch("-w", node, "-n", 1))
    job = slurm.sbatch("-n", 8, "--mem=600", "-t", 1)
    running(slurm, job)
    told = slurm.show(job)
    assert (told["NumNodes"], told["NumCPUs"]) == ("4", "8"), told
    assert [n["tasks"] for n in slurm.maui.job(job)["allocation"]], slurm.maui.job(job)


# ---- what later releases have ----

@pytest.mark.skipif(slurm_release.release() < (24, 5), reason="--segment came with 24.05")
def test_a_segment_waits_for_room_in_one_block_and_keeps_nobody(fresh_cluster):
    """Segments do not choose the nodes here: Slurm does, once it has refused those chosen."""
    c = fresh_cluster(conf="TopologyPlugin=topology/block\n",
                      topology="BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2\n")
    taken = [c.sbatch("-N1", "--exclusive", "-w", node) for node in ("n1", "n3")]
    for job in taken:
        c.wait_state(job, "RUNNING")
    job = c.sbatch("-N2", "-n2", "--segment=2", "-t", 5)
    c.wait(lambda: "No suitable topology unit found" in c.maui.why(job), "Slurm's reason")
    assert c.state(job) == "PENDING"
    c.ok("scancel", taken[1])
    c.wait_state(job, "RUNNING")
    assert c.where(job) == ["n3", "n4"]
