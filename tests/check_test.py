# SPDX-License-Identifier: Apache-2.0
"""maui check: what it prints, and how it ends."""
import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE = re.compile(r"^[^:]+:\d+: (error|warning|note): .+$")


def test_the_reference_page_is_current(maui):
    page = ROOT / "docs" / "reference-parameters.md"
    assert maui("check", "--parameters", "markdown").stdout == page.read_text(), (
        "run: maui check --parameters markdown > docs/reference-parameters.md"
    )


def test_every_finding_has_file_line_and_level(maui, tmp_path):
    config = tmp_path / "bad.cfg"
    config.write_text("FSDEPTH x\nNOSUCH 1\nSERVERNAME login\n")
    done = maui("check", "-c", config, check=False)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert all(LINE.match(line) for line in lines)
    assert lines[0].startswith(f"{config}:1: error: FSDEPTH")


def test_warnings_and_notes_leave_it_usable(maui, tmp_path):
    config = tmp_path / "old.cfg"
    config.write_text("NOSUCH 1\nMAXJOBPERUSERCOUNT 4\n")
    done = maui("check", "-c", config)
    assert "1 warning, 2 notes" in done.stderr


def test_json_holds_the_same(maui, tmp_path):
    config = tmp_path / "bad.cfg"
    config.write_bytes(b"FSDEPTH 4\nFSDECAY \xff\n")
    done = maui("check", "-c", config, "--format", "json", "--explain", check=False)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["usable"] is False
    assert report["findings"][0]["line"] == 2
    assert report["findings"][0]["level"] == "error"
    assert report["settings"] == [{
        "name": "FSDEPTH", "value": "4", "default": "8", "file": str(config), "line": 1}]


def test_explain_tells_value_default_and_origin(maui, tmp_path):
    config = tmp_path / "maui.cfg"
    config.write_text("\nFSDEPTH 4\n")
    done = maui("check", "--explain", cwd=tmp_path)
    assert re.search(r"^FSDEPTH +4 +8 +maui\.cfg:2$", done.stdout, re.M)
    assert re.search(r"^FSDECAY +1\.0 +1\.0 +default$", done.stdout, re.M)


def test_a_missing_file_and_wrong_calls_are_told(maui, tmp_path):
    missing = maui("check", "-c", tmp_path / "gone.cfg", check=False)
    assert missing.returncode == 1
    assert "gone.cfg" in missing.stderr
    for args in (["--format", "xml"], ["--nosuch"], ["-c", "a", "stray"], ["a", "stray"],
                 ["--parameters", "html"]):
        assert maui("check", *args, check=False).returncode == 1
    assert "examples:" in maui("check", "--help").stdout


def check(maui, folder, text, *options):
    """The lines that `maui check` prints of a configuration."""
    config = folder / "maui.cfg"
    config.write_bytes(text if isinstance(text, bytes) else text.encode())
    return maui("check", *options, config, check=False)


def test_a_file_is_named_with_or_without_an_option(maui, tmp_path):
    done = check(maui, tmp_path, "NOSUCH 1\n")
    assert done.returncode == 0 and "1 warning" in done.stderr
    assert maui("check", tmp_path / "maui.cfg", "--explain").returncode == 0


def test_strict_fails_for_warnings_not_for_notes(maui, tmp_path):
    assert check(maui, tmp_path, "NOSUCH 1\n", "--strict").returncode == 1
    assert check(maui, tmp_path, "BACKFILLDEPTH 4\n", "--strict").returncode == 0


# What was silent once: a configuration, and what is said of it.
WHOLE = "RMCFG[base] TYPE=LOCAL NODES=4x2\n"
SR = WHOLE + "SRCFG[x] HOSTLIST=ALL PERIOD=INFINITY "
FINDINGS = [
    (SR + "CLASSLIST=batchh\nCLASSCFG[batch] PRIORITY=0\n", "2: warning.*'batchh'.*'batch'"),
    (SR + "CLASSLIST=batch\n", "2: note.*class 'batch'"),
    (SR + "USERLIST=nosuchuser\n", "2: note.*user 'nosuchuser'"),
    (SR + "GROUPLIST=nosuchgroup\n", "2: note.*group 'nosuchgroup'"),
    (SR + "QOSLIST=highh\nQOSCFG[high] PRIORITY=0\n", "2: warning.*QOS 'highh'.*'high'"),
    (SR + "USERLIST=root PARTITION=p9\n", "2: warning.*partition 'p9'"),
    (SR + "OWNER=QOS:nobody\n", "2: warning.*QOS 'nobody'"),
    (WHOLE + "SRCFG[x] HOSTLIST=node01,node9 USERLIST=root\n", "2: warning.*no node.*'node9'"),
    (WHOLE + "NODECFG[nod01] SPEED=2\n", "2: warning.*'nod01'.*node01"),
    ("USERCFG[ann] QLIST=hihg\nQOSCFG[high] PRIORITY=0\n", "1: warning.*'hihg'.*'high'"),
    ("QOSCFG[a] PRIORITY=0\nQOSCFG[b] PRIORITY=0\nUSERCFG[ann] QLIST=a QDEF=b\n",
     "3: warning.*b is not in QLIST=a"),
    ("USERCFG[ann] MAXIJOB=5,9\n", "1: warning.*idle jobs are hard: 9 counts, the soft 5"),
    ("CLASSCFG[b] MAXJOB=5,3\n", "1: warning.*soft limit 5 is above.*3 is both"),
    ("CLASSCFG[b] MAXJOB=-5\n", "1: warning.*-5 means no limit"),
    ("CLASSCFG[b] MAXPROC[USER]=0\n", "1: warning.*0 sets no limit"),
    ("FSUSERWEIGHT 10\n", "1: warning.*while FSPOLICY is not set"),
    ("USERCFG[DEFAULT] FSTARGET=5\n", "1: warning.*while FSPOLICY is not set"),
    ("FSPOLICY DEDICATEDPS\n", "1: note.*FSUSERWEIGHT"),
    ("QOSCFG[a] PRIORITY=100\n", "1: warning.*while QOSWEIGHT is 0"),
    ("ADMIN1 root nosuchuser\n", "1: warning.*'nosuchuser'"),
    ("ADMIN1 ALL\n", "1: warning.*everybody"),
    ("NOTIFICATIONPROGRAM /nosuch/program\n", "1: warning.*/nosuch/program"),
    ("MAILPROGRAM /nosuch/mailer\n", "1: warning.*/nosuch/mailer.*no mail"),
    ("FEEDBACKPROGRAM nosuch\n", "1: warning.*/tools/+nosuch"),
    ("WEBADDRESS 0.0.0.0\n", "1: warning.*WEBADDRESS: the web page stays off:.*without TLS"),
    ("WEBKEY key.pem\n", "1: warning.*WEBKEY: the web page stays off: WEBCERT and WEBKEY belong together: WEBCERT is missing"),
    ("WEBPORT 40000\nWEBCERT nosuch.pem\nWEBKEY nosuch.pem\n", "2: warning.*stays off: WEBCERT:.*nosuch.pem"),
    (SR + "USERLIST=root TRIGGER=start;exec@/nosuch\n", "2: warning.*/nosuch"),
    ("#INCLUDE gone.cfg\n", "1: error.*gone.cfg"),
    ("FSDEPTH\u00a07\n", "1: warning.*no-break space"),
    (b"FSDEPTH\xa07\n", "1: warning.*no-break space"),
    ("RMCFG[base] TYPE=LSF\n", "1: error.*no driver for LSF; scripts.*TYPE=NATIVE.*SLURM, LOCAL"),
    ("RMCFG[b] TYPE=PBS HOST=head\n", r"1: note: RMCFG\[b\].HOST: has no effect with PBS"),
    ("RMCFG[b] TYPE=SLURM EPORT=7\n", r"1: warning: RMCFG\[b\].EPORT: SLURM wakes the scheduler"),
    ("RMTYPE[0] SSS\n", "1: error.*no driver for SSS.*SLURM, LOCAL"),
    ("RMCFG[base] NODES=4by2\n", "1: error.*'4by2'.*NxP"),
    ("RMCFG[base] TIMEOUT=5\n", "1: note.*LOCAL"),
    ("RMCFG[one] TYPE=SLURM\nRMCFG[two] TYPE=SLURM\n", r"2: error.*of SLURM one.*RMCFG\[one\]"),
    ("RMCFG[one] TYPE=LOCAL\nRMCFG[two] TYPE=SLURM\n", "1: error.*LOCAL needs NODES="),
    ("RMCFG[one] TYPE=PBS ENV=LANG=C\nRMCFG[two] TYPE=PBS\n", r"2: error.*RMCFG\[one\]"),
    (WHOLE + "RMCFG[a.b] TYPE=SLURM\n", "2: error.*'a.b' must have no '.'"),
    ("BACKFILLDEPTH 5\n", "1: note.*whether they fit or not"),
    ("RESDEPTH 5\n", "1: warning.*no such limit"),
    ("NODEACCESSPOLICY SINGLETASK\n", "1: warning.*each task a node of its own"),
    ("CLASSCFG[b] NODEACCESSPOLICY=SINGLETASK\n", "1: warning.*each task a node"),
    ("USERCFG[DEFAULT] MAXJOB=4\n", "1: note.*queue time.*MAXIJOB"),
]


@pytest.mark.parametrize("text, want", FINDINGS)
def test_it_is_told(maui, tmp_path, text, want):
    done = check(maui, tmp_path, text)
    assert re.search(f"maui.cfg:{want}", done.stdout), done.stdout + done.stderr
    assert done.returncode == int(": error:" in done.stdout)


def test_a_certificate_that_is_not_of_its_key_is_found(maui, tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("NOT TESTED: openssl is not there")
    for name in ("page", "other"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-keyout", tmp_path / f"{name}.key",
                        "-out", tmp_path / f"{name}.pem"], check=True, capture_output=True)
        (tmp_path / f"{name}.key").chmod(0o600)

    def told(key):
        return check(maui, tmp_path, WHOLE + f"WEBCERT {tmp_path}/page.pem\nWEBKEY {tmp_path}/{key}.key\n").stdout
    assert told("page") == ""
    assert re.search("2: warning: WEBCERT: the web page stays off: WEBKEY is not the key", told("other"))
    (tmp_path / "page.key").chmod(0o644)
    assert "can be read by others" in told("page")


def test_programs_can_tell_findings_by_the_name_of_their_rule(maui, tmp_path):
    done = check(maui, tmp_path, "BACKFILLDEPTH 5\n", "--format", "json")
    assert [f["rule"] for f in json.loads(done.stdout)["findings"]] == ["backfill-depth"]


@pytest.mark.parametrize("lines,rule,says", [
    ("WCLIMITDEFAULT HISTORY\nSYSTEMDEFAULTJOBWALLTIME 0:10:00\n", "wclimit-history",
     "which is 00:10:00: all jobs have that"),
    ("WCLIMITDEFAULT 0:20:00\nSYSTEMDEFAULTJOBWALLTIME 0:10:00\n", "wclimit-twice",
     "has no effect: WCLIMITDEFAULT 00:20:00 goes before it"),
    ("WCLIMITDEFAULT HISTORY\nSYSTEMDEFAULTJOBWALLTIME 0:10:01\n", None, ""),
    ("WCLIMITDEFAULT 0:20:00\n", None, ""),
    ("WCLIMITDEFAULT HISTORIC\n", None, "'HISTORIC' is neither HISTORY nor a duration")])
def test_what_jobs_have_that_ask_for_no_limit_is_looked_at(maui, tmp_path, lines, rule, says):
    done = check(maui, tmp_path, lines, "--format", "json")
    found = json.loads(done.stdout)["findings"]
    assert [f.get("rule") for f in found] == ([rule] if says else [])
    assert not says or says in found[0]["text"]


def test_a_site_without_fault_is_told_nothing(maui, tmp_path):
    done = check(maui, tmp_path, """\ufeffSERVERMODE NORMAL\r
ADMIN1\troot # who runs it
RMCFG[base] TYPE=LOCAL NODES=4x2
CREDWEIGHT 10
USERWEIGHT 1
QOSWEIGHT 1
FSPOLICY DEDICATEDPS
FSUSERWEIGHT 10
QOSCFG[high] PRIORITY=100
USERCFG[DEFAULT] FSTARGET=25.0 QLIST=high QDEF=high
USERCFG[root] PRIORITY=10
NODECFG[node01] PARTITION=p1
NODECFG[DEFAULT] PARTITION=p2
SRCFG[x] HOSTLIST=node0[1-3],^node04$ PARTITION=p1 QOSLIST=high USERLIST=root
""", "--strict")
    assert (done.returncode, done.stdout) == (0, "")


def test_does_it_name_a_resource_manager(maui, tmp_path):
    named, parts = tmp_path / "maui.cfg", tmp_path / "maui.cfg.d"
    named.write_text("FSDEPTH 3\n")
    done = maui("check", "--has-manager", named, check=False)
    assert done.returncode == 1 and "names no resource manager" in done.stderr
    parts.mkdir()
    (parts / "rm.cfg").write_text("RMCFG[a] TYPE=LOCAL\n")
    assert maui("check", "--has-manager", named).returncode == 0
    named.unlink()
    assert maui("check", "--has-manager", named).returncode == 0
    assert maui("check", "--has-manager", tmp_path / "other.cfg", check=False).returncode == 1
