# SPDX-License-Identifier: Apache-2.0
"""Mail about jobs: who gets it, when, what it says; and what nobody can make of it."""
import os
import pathlib
import re

import pytest

from live_daemon import ME
from live_users import Users

# A mail program: each call is a file, first its words, who it is, then the mail.
PROGRAM = """#!/bin/sh
to=$(mktemp {home}/mails/tmpXXXXXX)
{{ printf '[%s]' "$@"; echo; id -u; id -G; cat; }} > "$to"
mv "$to" "{home}/mails/mail.${{to##*/}}"
"""


def use(daemon, config="", program=PROGRAM):
    os.makedirs(f"{daemon.home}/mails", exist_ok=True)
    os.chmod(daemon.home, 0o755)
    os.chmod(f"{daemon.home}/mails", 0o777)
    path = pathlib.Path(daemon.home, "mailer")
    path.write_text(program.format(home=daemon.home))
    path.chmod(0o755)
    daemon.configure(f"MAILPROGRAM {path}\nRMPOLLINTERVAL 1\n{config}")
    daemon.start()
    return daemon


def mails(daemon, job=None):
    """Parts of each: words of the program, uid, groups, headers, body."""
    found = []
    for path in sorted(pathlib.Path(daemon.home, "mails").glob("mail.*")):
        words, uid, groups, text = path.read_text().split("\n", 3)
        head, body = text.split("\n\n", 1)
        headers = dict(line.split(": ", 1) for line in head.split("\n"))
        if job is None or re.match(rf"Job {job} ", headers["Subject"]):
            found.append((words, int(uid), groups, headers, body))
    return found


def subjects(daemon, job):
    return sorted(m[3]["Subject"].partition(") ")[2] for m in mails(daemon, job))


def wait_subjects(daemon, job, *expected):
    daemon.wait(lambda: len(mails(daemon, job)) >= len(expected), f"mails of {job}")
    assert subjects(daemon, job) == sorted(expected)


def test_begin_and_end_are_mailed_as_pbs_and_slurm_scripts_ask(daemon):
    use(daemon)
    done = daemon.run("msub", "-d", daemon.home, "-N", "sim",
                      stdin="#PBS -m abe -M me@site,you\nexit 3\n")
    job = done.stdout.strip()
    assert not done.stderr
    wait_subjects(daemon, job, "has begun", "has ended with exit status 3")
    for words, uid, _, headers, body in mails(daemon, job):
        assert words == "[-i][--][me@site][you]" and uid == os.geteuid()
        assert headers["To"] == "me@site,you" and headers["Auto-Submitted"] == "auto-generated"
        assert body.startswith(f"Job {job} (sim) has ")
        assert ("Nodes:    node01\n" in body) == ("has begun" in body)
        assert ("Walltime: 00:00:0" in body) == ("has ended" in body)
    job = daemon.ok("msub", "-d", daemon.home, "-N", "two",
                    stdin="#SBATCH --mail-type=END\ntrue\n").strip()
    wait_subjects(daemon, job, "has ended with exit status 0")
    assert mails(daemon, job)[0][3]["To"] == ME


def test_an_end_is_mailed_to_those_who_want_this_kind(daemon):
    use(daemon)
    sent, silent = [], []
    for script, when, expected in (
            ("exit 1", "f", "has ended with exit status 1"), ("true", "f", None),
            ("true", "a", None), ("exit 1", "a", None), ("true", "n", None),
            ("kill -SEGV $$", "f", "has ended with exit status 139"), ("true", None, None)):
        more = {"mail_when": when} if when else {}
        job = daemon.submit(script, name="x", mail="me", **more)
        (sent if expected else silent).append((job, expected))
    for job, expected in sent:
        wait_subjects(daemon, job, expected)
    daemon.wait(lambda: all(daemon.job(j) is None for j, _ in silent), "their ends")
    marker = daemon.submit("true", name="x", mail_when="e")
    wait_subjects(daemon, marker, "has ended with exit status 0")
    assert not [m for j, _ in silent for m in mails(daemon, j)]


def test_what_is_cut_short_is_mailed_with_the_reason(daemon):
    use(daemon)
    late = daemon.submit("sleep 60", name="late", wclimit_s=1, mail_when="a")
    gone = daemon.submit("sleep 60", name="gone", mail_when="a")
    held = daemon.submit("true", name="held", mail_when="a", hold=True)
    daemon.wait(lambda: daemon.state(gone) == "Running", "the start")
    daemon.ok("canceljob", gone, held)
    for job, reason in ((late, "wallclock limit"), (gone, "cancelled"), (held, "cancelled")):
        wait_subjects(daemon, job, "was aborted")
        assert re.search(f"Reason: .*{reason}", mails(daemon, job)[0][4]), job
    assert "It never ran." in mails(daemon, held)[0][4]


def test_owners_change_it_and_see_it_and_others_do_not(daemon):
    use(daemon)
    users = Users(daemon)
    job = users.submit("nobody", name="x")
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    users.ok("nobody", "mjobctl", "-m", "mail=me@site", "-m", "mailwhen=ae", job)
    shown = users.ok("nobody", "checkjob", job)
    assert "Mail: me@site\n" in shown and "MailWhen: ae\n" in shown
    for words in (("checkjob", job), ("showq", "--format", "json"),
                  ("mjobctl", "-q", "diag", job)):
        done = users.run("games", *words)
        assert "me@site" not in done.stdout + done.stderr
    assert "not authorized" in users.refused("games", "mjobctl", "-m", "mail=x", job)
    for change, says in (("mail=-oQ", "begins with a hyphen"), ("mailwhen=q", "expected"),
                         ("mail=a b", "character 0x20")):
        assert says in users.refused("nobody", "mjobctl", "-m", change, job)
    users.ok("nobody", "mjobctl", "-m", "notificationaddress=you", job)
    daemon.kill()
    daemon.start()
    assert (daemon.job(job)["mail"], daemon.job(job)["mail_when"]) == ("you", "ae")
    users.ok("nobody", "canceljob", job)
    wait_subjects(daemon, job, "was aborted")
    words, uid, groups, _, _ = mails(daemon, job)[0]
    assert words == "[-i][--][you]"
    assert (uid, groups) == (65534, "65534")  # the owner, with no other group


def test_an_end_that_nobody_saw_is_mailed_once(daemon):
    use(daemon)
    job = daemon.submit("sleep 2; exit 4", name="x", mail_when="n")
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    daemon.ok("mjobctl", "-m", "mailwhen=e", job)
    daemon.kill()
    record = pathlib.Path(daemon.home, "spool")
    daemon.wait(lambda: not any(b"sleep 2" in p.read_bytes() for p in cmdlines()), "its end")
    assert record.exists()
    daemon.start()
    wait_subjects(daemon, job, "has ended with exit status 4")
    daemon.kill()
    daemon.start()
    later = daemon.submit("true", name="x", mail_when="e")
    wait_subjects(daemon, later, "has ended with exit status 0")
    assert len(mails(daemon, job)) == 1


def cmdlines():
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            path.read_bytes()
        except OSError:
            continue
        yield path


HOSTILE = ["-oQ/tmp/x", "me\nBcc: all@site", "me,-X/tmp/log", "$(touch x)", "a;b", "<me>",
           "|/bin/sh", "me@", "a b"]


def test_hostile_addresses_are_refused_and_hostile_names_do_nothing(daemon):
    use(daemon)
    for address in HOSTILE:
        status, answer = daemon.api("/v1/jobs", {"script": "true", "mail": address,
                                                 "mail_when": "e"})
        assert status == 400 and "mail" in answer["error"]["message"], address
    for when in ("abex", "ee", "-", "a\nb"):
        assert daemon.api("/v1/jobs", {"script": "true", "mail_when": when})[0] == 400
    name = "x\nBcc: all@site\n\n.\n`id` -t \u00e4\u2028"
    status, answer = daemon.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "name": name,
                                             "mail_when": "e", "directory": daemon.home})
    if status != 200:  # a name that is refused cannot do harm either
        name = "Bcc: all@site `id` -t %s%n"
        status, answer = daemon.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "name": name,
                                                 "mail_when": "e", "directory": daemon.home})
    assert status == 200, answer
    job = answer["ids"][0]
    daemon.wait(lambda: mails(daemon, job), "the mail")
    words, _, _, headers, body = mails(daemon, job)[0]
    assert words == f"[-i][--][{ME}]" and "Bcc" not in headers and "Cc" not in headers
    assert headers["Subject"].startswith(f"Job {job} (") and "\n.\n" not in body
    assert set(headers) == {"To", "Subject", "Auto-Submitted", "MIME-Version", "Content-Type"}


def test_a_user_has_so_many_mails_in_a_minute(daemon):
    use(daemon)
    ids = [daemon.submit("true", name="x", mail_when="e", array="1-70")]
    daemon.wait(lambda: "has had 30 mails in a minute" in daemon.log(), "the limit", 60)
    last = daemon.submit("true", name="x")
    daemon.wait(lambda: daemon.job(last) is None, "its end")
    # those of one user are sent one after the other
    daemon.wait(lambda: len(mails(daemon)) >= 30, "the mails", 30)
    assert ids and len(mails(daemon)) <= 60  # a minute may have passed meanwhile


@pytest.mark.parametrize("config", ["", "MAILPROGRAM NONE\n"], ids=["unset", "none"])
def test_where_no_mail_is_sent_msub_says_so(daemon, config):
    daemon.configure(config)
    daemon.start()
    done = daemon.run("msub", "-m", "abe", "-d", daemon.home, stdin="true\n")
    assert done.returncode == 0 and "no mail is sent here: MAILPROGRAM is NONE" in done.stderr
    assert not daemon.run("msub", "-d", daemon.home, stdin="true\n").stderr
    assert not daemon.run("msub", "-m", "n", "-d", daemon.home, stdin="true\n").stderr
    daemon.configure(f"MAILPROGRAM {daemon.home}/missing\n")
    daemon.ok("schedctl", "-R")
    daemon.wait(lambda: "cannot be executed: no mail is sent" in daemon.log(), "the alert")
    done = daemon.run("msub", "-m", "abe", "-d", daemon.home, stdin="true\n")
    assert "MAILPROGRAM cannot be executed" in done.stderr


@pytest.mark.parametrize("program", ["#!/bin/sh\nexec sleep 600\n", "#!/bin/sh\nexit 75\n",
                                     "#!/no/such/shell\n"])
def test_a_mail_program_that_fails_holds_up_nothing(daemon, program):
    use(daemon, program=program)
    jobs = [daemon.submit("true", name="x", mail_when="be") for _ in range(12)]
    daemon.wait(lambda: all(daemon.job(j) is None for j in jobs), "their ends")
    assert daemon.submit("true")
