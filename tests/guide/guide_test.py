# SPDX-License-Identifier: Apache-2.0
"""The guide is true: each chapter's configurations and commands, carried out in order on one
daemon, print what the page says (guide_page.py has the convention of the blocks). What a
change of the product changes there is written anew by `guide_record.py PAGE`."""
import html.parser
import json
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from guide_page import as_expected, blocks_of  # noqa: E402
from guide_site import ROOT, SITES, Local  # noqa: E402

PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
# Of the pages beside it those whose examples are carried out as well.
BESIDE = [ROOT / "docs" / f"{name}.md" for name in (
    "native", "wiki", "managers", "pbs", "gridengine", "loadleveler", "bank")]
MONITORING = ROOT / "examples" / "monitoring"


@pytest.mark.parametrize("page", [p for p in PAGES + BESIDE if blocks_of(p)], ids=lambda p: p.stem)
def test_a_chapter_does_what_it_says(build, page):
    kind = SITES.get(page.stem, Local)
    why = kind.lacks() if hasattr(kind, "lacks") else None
    if why:
        pytest.skip(why)
    site = kind(build)
    try:
        assert site.chapter(page).carry_out(ROOT) >= 5
    finally:
        site.end()


def test_what_is_compared_is_compared():
    assert as_expected(["1  ann  00:10:00  Fri Nov 27 15:01:09"], "1 ann  00:09:20 Sat Nov  7 05:01:09\n")
    assert not as_expected(["1 00:10:00"], "1 00:20:00\n")
    assert as_expected(["a ... b", "...", "c"], "a x b\n1\n2\nc\n")
    assert not as_expected(["a ... b"], "a x c\n")
    assert not as_expected(["a"], "a\nb\n")
    assert as_expected(["wait, mean  3 d"], "wait, mean 5 h\n", roughly=True)
    assert not as_expected(["wait, mean  3 d"], "busy 5 h\n", roughly=True)


def test_the_guide_has_no_page_that_its_first_one_forgets():
    front = (ROOT / "docs" / "guide" / "README.md").read_text()
    assert {p.name for p in PAGES} - {"README.md"} <= set(re.findall(r"\]\(([a-z-]+\.md)\)", front))


def test_figures_of_dashboard_and_alarms_exist(build):
    """Every metric and label that Prometheus and Grafana are told to ask for."""
    site = Local(build)
    try:
        pathlib.Path(site.daemon.home, "maui.cfg").write_text(
            "RMCFG[local] TYPE=LOCAL NODES=1x1\nCLASSCFG[short] PRIORITY=1\nQOSCFG[high] PRIORITY=1\n")
        site.daemon.ok("serve")
        shell = site.chapter(PAGES[0]).run
        page = shell("curl -s --unix-socket $MAUIHOMEDIR/api.sock http://maui/metrics").stdout
    finally:
        site.end()
    known = set(re.findall(r"^# TYPE (\w+)", page, re.M))
    dashboard = json.loads((MONITORING / "maui-dashboard.json").read_text())
    asked = " ".join(t["expr"] for p in dashboard["panels"] for t in p["targets"])
    asked += (MONITORING / "maui-alerts.yml").read_text()
    names = {re.sub(r"_(bucket|sum|count)$", "", n) if n not in known else n
             for n in re.findall(r"\bmaui_[a-z_]+", asked)}
    assert len(names) >= 15 and names <= known, names - known
    for name, label, value in re.findall(r'(maui_\w+)\{(\w+)="(\w+)"\}', asked):
        assert f'{name}{{{label}="{value}"}}' in page, (name, label, value)
    for panel in dashboard["panels"]:  # legends name labels that are there
        for target in panel["targets"]:
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                assert f'{{{label}="' in page, label


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found |= {v for k, v in attrs if k in ("href", "src")}


def test_html_is_made_of_every_page_and_its_links_lead_somewhere(build):
    made = build / "packaging"
    if not (made / "recipes.html").exists():
        pytest.skip("no HTML was built: cmark-gfm is not installed (scripts/deps build)")
    for page in PAGES:
        name = "index" if page.stem == "README" else page.stem
        text, links = (made / f"{name}.html").read_text(), Links()
        links.feed(text)
        assert f"<title>{page.read_text().split('# ', 1)[1].splitlines()[0]}" in text
        assert "raw HTML" not in text and ("|---" in page.read_text()) == ("<table>" in text)
        for link in links.found:
            source = re.sub(r"index\.html$", "README.md", link.split("#")[0])
            source = re.sub(r"\.html$", ".md", source)
            assert "://" in link or (page.parent / source).exists(), f"{name}.html: {link}"
