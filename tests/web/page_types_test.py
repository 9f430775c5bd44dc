# SPDX-License-Identifier: Apache-2.0
"""What the page reads of the API's records is what openapi.json says of them."""
import pathlib
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.anybody

ROOT = pathlib.Path(__file__).resolve().parents[2]


def complaints(tmp_path, change=lambda text: text):
    """Of Debian's TypeScript about the page, with types made of the description."""
    if not shutil.which("tsc"):
        pytest.skip("NOT TESTED: node-typescript is not there (scripts/deps test)")
    web, api = tmp_path / "web", tmp_path / "openapi.json"
    shutil.copytree(ROOT / "web", web)
    api.write_text(change((ROOT / "src" / "server" / "api" / "openapi.json").read_text()))
    made = subprocess.run([sys.executable, ROOT / "scripts" / "api-types", api],
                          capture_output=True, text=True, check=True).stdout
    (web / "api" / "schema.ts").write_text(made)
    return subprocess.run(["tsc", "-p", web / "types.json"], capture_output=True, text=True, check=False).stdout


def test_the_page_reads_what_the_description_promises(tmp_path):
    assert complaints(tmp_path) == ""


def test_a_member_that_is_called_otherwise_is_noticed(tmp_path):
    told = complaints(tmp_path, lambda text: text.replace('"reservation_at"', '"promised_at"'))
    assert "reservation_at" in told
