# SPDX-License-Identifier: Apache-2.0
"""Of very many jobs those that lost a node are told a part at a time: no reply keeps the
daemon from others while it looks at all of them."""
import http.server
import json
import pathlib
import socketserver
import sqlite3
import threading
import time

from bank_test import account, bank, check, ended  # noqa: F401  # pylint: disable=unused-import

JOBS = 12000
FIRST = 1_700_000_000
COLUMNS = ("job", "name", "user", "group", "account", "class", "qos", "partition", "state",
           "submit_at", "queue_at", "start_at", "end_at", "wclimit_s", "procs", "nodes", "tasks",
           "mem_mb", "cpu_s", "exit_status", "backfilled", "priority", "hosts", "extra")
LOST = json.dumps({"end": {"reason": "node_down"}})


def write_history(daemon, lost, charged=50000):
    """Jobs that ended one a second; of those of these numbers a run was charged."""
    db = sqlite3.connect(f"{daemon.home}/state.db")
    marks = ", ".join("?" * len(COLUMNS))
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    db.executemany(
        f"INSERT INTO account({names}) VALUES({marks})",
        ((f"x{n}", "", "ann", "", "chem", "", "", "", "Removed", FIRST + n - 100,
          FIRST + n - 100, FIRST + n - 50, FIRST + n, 100, 1, 1, 1, 0, 0.0, 1, 0, 0, "n1",
          LOST if n in lost else "{}") for n in range(JOBS)))
    columns = [row[1] for row in db.execute("PRAGMA table_info(am_run)")]
    account, = db.execute("SELECT id FROM am_account WHERE name = 'chem'").fetchone()
    for n in lost:
        row = {"run": f"x{n}.r1", "account": account, "since_at": FIRST + n - 50,
               "until_at": FIRST + n + 50, "open": 0, "most": 100000, "rates": "PROCS:1",
               "charged": charged, "refunded": 0, "text": "", "user": "ann", "job": f"x{n}"}
        row = {name: row[name] for name in columns if name in row}
        db.execute(f"INSERT INTO am_run({', '.join(chr(34) + name + chr(34) for name in row)}) "
                   f"VALUES({', '.join('?' * len(row))})", tuple(row.values()))
    db.commit()
    db.close()


def test_losses_among_many_jobs_come_page_by_page(bank):  # noqa: F811
    lost = (3, 5000, 11999)
    bank.stop()
    write_history(bank, lost)
    bank.start()
    pages, since = [], FIRST
    while since:
        status, text = bank.api(f"/v1/bank/losses?since={since}")
        assert status == 200
        page = text if isinstance(text, list) else [
            json.loads(line) for line in (text if isinstance(text, str) else json.dumps(text)
                                          ).splitlines()]
        since = page[-1]["next"] if page and "next" in page[-1] else 0
        pages.append([o["run"] for o in page if "run" in o])
    assert pages == [["x3.r1"], ["x5000.r1"], ["x11999.r1"]]
    day = time.strftime("%H:%M:%S_%m/%d/%Y", time.gmtime(FIRST))
    told = bank.ok("mam-refund", "--node-failures", "-n", "--since", day)
    assert [f"x{n}.r1" in told for n in lost] == [True] * 3 and "next" not in told


def test_all_pages_are_given_back_once(bank):  # noqa: F811
    bank.ok("mam-deposit", "chem", "1000")
    jobs = [bank.submit("sleep 2", account="chem", wclimit_s=60) for _ in range(3)]
    for job in jobs:
        bank.wait(lambda job=job: ended(bank, job), "the end")
    spent = 1000 - account(bank)["balance"]
    assert spent > 0
    bank.stop()
    places = (3, 5000, 11999)
    write_history(bank, ())
    db = sqlite3.connect(f"{bank.home}/state.db")
    for n, job in zip(places, jobs):
        db.execute("DELETE FROM account WHERE job = ?", (job,))
        db.execute("UPDATE account SET job = ?, extra = ? WHERE job = ?", (job, LOST, f"x{n}"))
        db.execute("UPDATE am_run SET since_at = ?, until_at = ? WHERE run LIKE ?",
                   (FIRST + n - 50, FIRST + n, f"{job}.r%"))
    db.commit()
    db.close()
    bank.start()
    day = time.strftime("%H:%M:%S_%m/%d/%Y", time.gmtime(FIRST))
    told = bank.ok("mam-refund", "--node-failures", "--since", day)
    assert all(f" {job}.r" in told for job in jobs) and told.count(" 1 run that") == 3
    assert account(bank)["balance"] == 1000
    bank.ok("mam-refund", "--node-failures", "--since", day)
    assert account(bank)["balance"] == 1000
    check(bank)


def test_what_is_done_part_by_part_is_one_record(bank):  # noqa: F811
    lost = (3, 5000, 11999)
    bank.stop()
    write_history(bank, lost, charged=0)  # with nothing left to give back: no transactions are made up
    bank.start()
    answer = json.loads(bank.ok("mam-refund", "--node-failures", "--since", FIRST, "--format", "json"))
    assert [run["run"] for run in answer["runs"]] == [f"x{n}.r1" for n in lost]
    assert set(answer) == {"message", "runs"} and answer["message"].count("of 1 run that lost a node") == 3


class HalfABank(http.server.BaseHTTPRequestHandler):
    """One that gives back a first part and refuses the second."""

    def answer(self, status, o):
        text = json.dumps(o).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(200, {"at": int(time.time())})

    def do_POST(self):
        since = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["since"]
        if since == FIRST:
            self.answer(200, {"message": "5 credits given back", "runs": [{"run": "x3.r1", "rest": 5}],
                              "next": FIRST + 4000})
        else:
            self.answer(409, {"error": {"code": "conflict", "message": "the disk is full"}})

    def address_string(self):
        return "a socket"

    def log_message(self, *args):
        pass


def test_a_refund_that_ends_halfway_tells_how_far_it_came(bank):  # noqa: F811
    bank.stop()
    path = pathlib.Path(bank.home, "api.sock")
    path.unlink(missing_ok=True)
    with socketserver.ThreadingUnixStreamServer(str(path), HalfABank) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            done = bank.run("mam-refund", "--node-failures", "--since", FIRST, "--format", "json")
        finally:
            server.shutdown()
            thread.join()
    path.unlink()
    assert done.returncode == 1 and "the disk is full" in done.stderr, done.stderr
    assert "given back of runs that ended before" in done.stderr and f"--since {FIRST + 4000}" in done.stderr
    assert json.loads(done.stdout) == {"message": "5 credits given back", "runs": [{"run": "x3.r1", "rest": 5}]}
