# SPDX-License-Identifier: Apache-2.0
"""Priorities, statistics and events in a browser: what the commands tell is what is shown."""
import re

import pytest

from live_daemon import ME
from page_timeline_test import open_timeline
from web_page import Page, need_page

CONFIG = f"""QUEUETIMEWEIGHT 1
CREDWEIGHT 1
CLASSWEIGHT 1
CLASSCFG[fast] PRIORITY=-5000
CLASSCFG[slow] PRIORITY=-10000
USERWEIGHT 1
USERCFG[{ME}] PRIORITY=20000
"""


@pytest.fixture
def site(daemon, build, browser):
    """Two jobs are over, one runs, two wait."""
    need_page(build)
    daemon.configure(CONFIG)
    daemon.start()
    done = [daemon.submit("true", wclimit_s=60) for _ in range(2)]
    daemon.wait(lambda: all(daemon.job(j) is None for j in done), "their ends")
    every = {"requests": [{"tasks": 8, "per_task": {"procs": 1}}], "wclimit_s": 600}
    daemon.running = daemon.submit("sleep 600", **every)
    daemon.wait(lambda: daemon.state(daemon.running) == "Running", "the job that runs")
    daemon.slow, daemon.fast = (daemon.submit("true", **every, **{"class": c}) for c in ("slow", "fast"))
    daemon.wait(lambda: daemon.job(daemon.fast).get("reservation_at"), "the promise")
    open_timeline(browser, daemon)
    daemon.base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"
    return daemon


def rows(browser, name):
    return [r.text for r in browser.all(f'[aria-label="{name}"] tbody tr')]


def test_priorities_are_bars_in_their_order(site, browser):
    browser.chrome.get(site.base + "priorities")
    browser.wait(lambda: len(rows(browser, "The queue by priority")) == 2, "the queue")
    assert [r.split()[0] for r in rows(browser, "The queue by priority")] == [site.fast, site.slow]
    # what counts against a job is as long as it is much
    fast, slow = browser.chrome.execute_script("return [...document.querySelectorAll('.stack-below')].map((e) => e.firstChild.getBoundingClientRect().width)")
    assert abs(slow - 2 * fast) <= 2, (fast, slow)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"priorities-{scheme}")
    # a part that counts for nothing changes the order
    slider = next(s for s in browser.all(".p-slider") if "lass" in s.text)
    box = slider.find_element("css selector", "input")
    box.send_keys("\ue011")
    browser.shows("2 of 2 jobs would be at another place")
    places = [r.text.split()[0] for r in browser.all('[aria-label="Places before and after"] tbody tr')]
    assert places == [site.slow, site.fast]
    # a part is muted, and what a weight would come to is asked about
    browser.one(".priority-legend button").click()
    assert browser.one(".priority-legend button").get_attribute("aria-pressed") == "false"
    browser.one('[aria-label="What if a weight were another"] select').send_keys("CLASSWEIGHT")
    box = browser.one("#setting-value")
    box.send_keys("\ue009a")
    box.send_keys("0")
    browser.shows("1 job later")
    assert site.lines("showconfig", "CLASSWEIGHT")[0]["value"] == "1"
    browser.check()


def test_statistics_are_those_of_the_commands(site, browser):
    from live_daemon import ME
    browser.chrome.get(site.base + "statistics")
    browser.wait(lambda: rows(browser, "By credential"), "the users")
    told = site.api("/v1/statistics/user")[1]
    mine = next(r for r in rows(browser, "By credential") if r.split()[0] == ME)
    assert mine.split()[1:4] == [str(told["active_jobs"]), str(told["active_procs"]), str(told["jobs"])]
    assert told["jobs"] == 2
    grid = " ".join(rows(browser, "By size and length"))
    assert grid.split().count("2") >= 1 and "jobs" in browser.one('[aria-label="By size and length"] h2').text
    assert browser.one("a[download]").get_attribute("href").startswith("data:text/csv")
    browser.shows("there will be something to see soon" if "see soon" in browser.text() else "processor hours in the queue")
    browser.picture("statistics")
    browser.check()


def test_fairshare_is_that_of_the_scheduler(daemon, build, browser):
    need_page(build)
    daemon.configure("FSPOLICY DEDICATEDPS\nFSINTERVAL 12:00:00\nFSDEPTH 3\nFSDECAY 0.5\nFSWEIGHT 1\nFSACCOUNTWEIGHT 5\n"
                     "ACCOUNTCFG[chem] FSTARGET=50\nACCOUNTCFG[physics] FSTARGET=20+\n")
    daemon.start()
    job = daemon.submit("sleep 600", wclimit_s=600, account="chem")
    told = lambda: {c["name"]: c for c in daemon.api("/v1/fairshare")[1]["credentials"]  # noqa: E731
                    if c["kind"] == "account"}
    daemon.wait(lambda: told().get("chem", {}).get("percent"), "its use")
    open_timeline(browser, daemon)
    browser.chrome.get(browser.chrome.current_url.split("/ui/")[0] + "/ui/fairshare")
    browser.shows("DEDICATEDPS, 3 windows of 12:00:00, each counts 0.50")
    browser.wait(lambda: len(rows(browser, "account")) == len(told()), "the accounts")
    assert (told()["chem"]["percent"], told()["chem"]["target"]) == (100, 50)
    line = {r.split()[0]: r for r in rows(browser, "account")}
    # what it is worth: 5 points a percent, for a floor none above and all below
    assert (told()["chem"]["points"], told()["physics"]["points"]) == (-250, 100)
    assert line["chem"].split()[1:] == ["100.00", "%", "50.00", "%", "!", "-250", "Change"]
    assert line["physics"].split()[1:] == ["0.00", "%", "20.00", "%+", "!", "+100", "Change"]
    words = [e.get_attribute("aria-label") for e in browser.all('[aria-label="account"] .f-off, [aria-label="account"] .f-windows')]
    assert words[0] == "50.0 points above the target"
    assert words[1].startswith("Shares of the windows, the latest first: 100 %")
    assert "20.0 points below the target" in words
    # another target, with what that would come to
    browser.one('[aria-label="Change the target of physics"]').click()
    assert browser.one("#setting-value").get_attribute("value") == "20+"
    browser.one("#setting-value").send_keys("\ue009a")
    browser.one("#setting-value").send_keys("55")
    browser.shows("ACCOUNTCFG[physics] FSTARGET=55")
    browser.wait(lambda: browser.one(".order .main").is_enabled(), "what it would come to")
    assert told()["physics"]["target"] == 20  # it was asked about, not done
    browser.one(".order .main").click()
    browser.wait(lambda: "55.00 %" in " ".join(rows(browser, "account")), "the other target")
    assert told()["physics"]["target"] == 55
    daemon.ok("canceljob", job)
    browser.check()


def test_fairshare_has_a_tree_and_tells_whom_caps_keep_waiting(daemon, build, browser):
    need_page(build)
    daemon.configure("FSPOLICY DEDICATEDPS\nFSWEIGHT 1\nACCOUNTCFG[chem] FSTARGET=100^\nUSERCFG[ann] ALIST=chem,bio\n")
    daemon.start()
    jobs = [daemon.submit("sleep 600", wclimit_s=600, account=a) for a in ("chem", "physics")]
    daemon.wait(lambda: daemon.state(jobs[1]) == "Running", "the one without a cap")
    told = lambda: {c["name"]: c for c in daemon.api("/v1/fairshare?kind=account")[1]["credentials"]}  # noqa: E731
    daemon.wait(lambda: told()["chem"]["held"] == 1, "the one that the cap keeps")
    assert told()["physics"]["held"] == 0
    open_timeline(browser, daemon)
    browser.chrome.get(browser.chrome.current_url.split("/ui/")[0] + "/ui/fairshare?view=tree")
    mine = daemon.job(jobs[0])
    lines = browser.wait(lambda: [r.text.split() for r in browser.all('[aria-label="Tree"] tbody tr')], "the tree")
    of_jobs = [(mine["group"], "group"), (mine["user"], "user")]
    assert [tuple(line[:2]) for line in lines] == [
        ("chem", "account"), ("ann", "user"), *of_jobs, ("physics", "account"), *of_jobs]
    assert "1 job" in " ".join(lines[0])
    browser.picture("fairshare-tree")
    link = next(a for a in browser.all('[aria-label="Tree"] a') if a.text == "1 job")
    link.click()
    browser.wait(lambda: [r for r in browser.all(".q-rows [role='row']") if jobs[0] in r.text] and len(browser.all(".q-rows [role='row']")) == 1, "the job")
    browser.check()


def test_events_come_as_they_happen_and_are_filtered(site, browser):
    browser.chrome.get(site.base + "events")
    browser.wait(lambda: rows(browser, "What happened"), "the events")
    last = site.api("/v1/events?last=1&follow=0")[1]
    assert rows(browser, "What happened")[0].split()[0] == str(last["number"])
    job = site.submit("true", hold=True)
    browser.wait(lambda: f"job '{job}' was submitted" in browser.text(), "the new one")
    box = browser.one(".filter input")
    box.send_keys("JOBEND")
    browser.wait(lambda: len(rows(browser, "What happened")) == 2, "the two ends")
    assert "q=JOBEND" in browser.chrome.current_url
    box.send_keys("\ue009a\ue003")
    browser.one("button[aria-pressed]").click()  # nothing comes while it is paused
    other = site.submit("true", hold=True)
    site.wait(lambda: site.job(other), "the other job")
    assert f"job '{other}' was submitted" not in browser.text()
    browser.one("button[aria-pressed]").click()
    browser.wait(lambda: f"job '{other}' was submitted" in browser.text(), "what came meanwhile")
    # instants are no bare numbers
    site.ok("setres", "-n", "later", "-s", "+1:00:00", "-d", "1:00:00", "node01")
    browser.wait(lambda: "reserved: 1 node, from " in browser.text(), "what was reserved")
    site.ok("releaseres", "later.0")
    browser.wait(lambda: "no longer reserved: 1 node, from " in browser.text(), "its end")
    assert not re.search(r"\b1\d{9}\b", browser.one('[aria-label="What happened"]').text)
    browser.picture("events")
    browser.check()


def test_events_are_shown_once_also_after_a_request_that_failed(site, browser):
    browser.chrome.get(site.base + "events")
    browser.wait(lambda: rows(browser, "What happened"), "the events")
    browser.chrome.execute_cdp_cmd("Network.enable", {})
    browser.chrome.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/v1/events*"]})
    site.submit("true", hold=True)
    browser.wait(lambda: browser.all('[role="alert"]'), "the failure")
    browser.chrome.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    job = site.submit("true", hold=True)
    browser.wait(lambda: f"job '{job}' was submitted" in browser.text(), "the new one")
    numbers = [r.split()[0] for r in rows(browser, "What happened")]
    assert len(numbers) == len(set(numbers)), numbers


def test_nothing_there_is_said(live, browser):
    browser.chrome.get(Page(live).login())
    browser.shows("Next ends")
    base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"
    for screen, words in (("priorities", "Nobody waits for their turn."), ("statistics", "No job has ended yet."),
                          ("credentials/class", "DEFAULT"), ("credentials/access", "QOSCFG lines make the one")):
        browser.chrome.get(base + screen)
        browser.shows(words)
    browser.check()
