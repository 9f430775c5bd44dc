# SPDX-License-Identifier: Apache-2.0
"""Credentials over time and in relation to others; instances that are wanted and not there."""
import pytest

from live_daemon import ME
from page_timeline_test import open_timeline
from web_page import need_page

CONFIG = f"""SRCFG[lunch] STARTTIME=11:00:00 ENDTIME=14:00:00 HOSTLIST=node02 USERLIST={ME} DEPTH=9 PERIOD=DAY
SRCFG[hall] PERIOD=WEEK STARTTIME=0:00:00 ENDTIME=7:00:00:00 HOSTLIST=node02 ACCESS=SHARED DEPTH=2 USERLIST={ME}
QOSCFG[high] PRIORITY=10
QOSCFG[low] PRIORITY=1
USERCFG[{ME}] QLIST=high,low QDEF=low
USERCFG[zoe] PLIST=DEFAULT^
ACCOUNTCFG[physics] PLIST=DEFAULT& QLIST=high&
USERCFG[amy] ADEF=physics
GROUPCFG[lab] ALIST=physics,biology
"""


@pytest.fixture
def site(daemon, build, browser):
    """A job is over, one runs, one waits."""
    need_page(build)
    daemon.configure(CONFIG)
    daemon.start()
    every = {"account": "physics", "wclimit_s": 600}
    done = daemon.submit("true", **every)
    daemon.wait(lambda: daemon.job(done) is None, "its end")
    running = daemon.submit("sleep 600", requests=[{"tasks": 2, "per_task": {"procs": 1}}], **every)
    daemon.wait(lambda: daemon.state(running) == "Running", "the job that runs")
    daemon.submit("true", hold=True, **every)
    open_timeline(browser, daemon)
    daemon.base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"
    return daemon


def numbers(browser, name, column):
    return [int(c.text) for c in browser.all(f'[aria-label="{name}"] tbody td:nth-child({column})')]


def test_a_credential_over_time_and_its_relations(site, browser):
    browser.chrome.get(site.base + "credentials/account/physics")
    curves = browser.wait(lambda: browser.all('[aria-label="Use over time"] figure'), "its use")
    assert len(curves) == 2

    def queued():
        """In the last of many slots, a part of which has passed since it was submitted."""
        told = site.api("/v1/series/account?name=physics")[1]
        return told["points"][-1][told["names"].index("queued")]
    site.wait(lambda: queued() > 0, "a share of the last slot")
    browser.chrome.get(site.base + f"credentials/user/{ME}")
    browser.wait(lambda: browser.all(".n-drawing"), "the drawing")

    def tell_the_same():
        """The drawing and the table, when all answers have come."""
        table = sorted(r.text.split()[1] for r in browser.all('[aria-label="Relations"] tbody tr'))
        drawn = sorted(t.text.split()[-1] for t in browser.all(".n-drawing a .n-text"))
        return len(drawn) == min(9, len(table)) and set(drawn) <= set(table)
    browser.wait(tell_the_same, "the same in the drawing and the table")
    drawing = browser.one(".n-drawing")
    drawn = [t.text for t in drawing.find_elements("css selector", "a .n-text")]
    assert {"QOS high", "QOS low"} <= set(drawn) and len(drawing.find_elements("css selector", ".n-strong")) == 1
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"credential-use-{scheme}")
    drawing.find_elements("css selector", "a")[0].click()
    browser.wait(lambda: "QOS low" in browser.one(".panel h2").text, "that QOS")
    browser.check()


def test_members_of_an_account_are_drawn(site, browser):
    browser.chrome.get(site.base + "credentials/account/physics")
    browser.wait(lambda: browser.all(".n-drawing"), "the drawing")
    assert {"user amy", "group lab"} <= {t.text for t in browser.all(".n-drawing a .n-text")}
    browser.chrome.get(site.base + "credentials/group/lab")
    browser.wait(lambda: {"account physics", "account biology"} <= {t.text for t in browser.all(".n-drawing a .n-text")},
                 "the accounts of the group")
    browser.check()


def test_waits_and_factors_are_tables_with_bars(site, browser):
    browser.chrome.get(site.base + "statistics")
    browser.wait(lambda: browser.all('[aria-label="Wait"]'), "the waits")
    told = site.api("/v1/distributions")[1]
    assert sum(numbers(browser, "Wait", 3)) == sum(told["waits"]) == told["jobs"] == 1
    assert sum(numbers(browser, "Expansion factor", 3)) == sum(told["xfactors"])
    browser.picture("statistics-waits")
    browser.check()


def test_instances_that_were_released_are_seen_to_be_missing(site, browser):
    def standing():
        return {s["name"]: s["wanted"] for s in site.api("/v1/standing")[1]}

    def missing():
        """Of three weeks: what is drawn as not there, each day of it one piece."""
        found = []
        for week in (0, 1, 2):
            browser.chrome.get(site.base + f"reservations?view=week&week={week}")
            browser.wait(lambda: len(browser.all(".wk-day")) == 7 and browser.all(".wk-standings"), "the week")
            found += [p.text for p in browser.all(".wk-missing")]
        return found

    assert missing() == []
    site.ok("releaseres", standing()["lunch"][3]["reservation"])
    assert missing() == ["lunch: released"]
    # the last one too: of a week, where one is left and no step from one to the next tells how far
    site.ok("releaseres", standing()["hall"][1]["reservation"])
    assert sorted(missing()) == ["hall: released"] * 7 + ["lunch: released"]
    row = next(r for r in browser.all(".wk-standings tbody tr") if r.text.startswith("hall"))
    assert "week all" in row.text and "1 of 2" in row.text
    # and all of one
    for w in standing()["lunch"]:
        if w["state"] == "there":
            site.ok("releaseres", w["reservation"])
    lunch = standing()["lunch"]
    assert {w["state"] for w in lunch} == {"released"} and missing().count("lunch: released") == len(lunch)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"week-missing-{scheme}")
    browser.check()


def test_how_lists_of_partitions_count_stands_beside_them(site, browser):
    for kind, name, words in (("partitions", "zoe", "this list alone counts"),
                              ("accountpartitions", "physics", "only what all lists have"), ("qos", "physics", "only what all lists have")):
        browser.chrome.get(site.base + f"credentials/access?of={kind}")
        row = browser.wait(lambda: next((r.text for r in browser.all(".m-table tbody tr") if r.text.startswith(name)), None), name)
        assert words in row
    browser.check()
