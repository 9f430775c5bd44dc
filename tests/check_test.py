# SPDX-License-Identifier: Apache-2.0
"""maui check: what it prints, and how it ends."""
import json
import pathlib
import re

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
    assert "1 warning, 1 note" in done.stderr


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
    for args in (["--format", "xml"], ["--nosuch"], ["stray"], ["--parameters", "html"]):
        assert maui("check", *args, check=False).returncode == 2
    assert "examples:" in maui("check", "--help").stdout
