# SPDX-License-Identifier: Apache-2.0
"""A user who wishes the page ill: names that are markup, that are long, that turn the writing
round; and requests of that user's session for what is not theirs."""
import os
import urllib.parse

import pytest

from page_actions_test import button
from page_screens_test import rows
from web_page import Page, need_page

NAMES = ["<img src=x onerror=document.title='taken'>", "<script>document.title='taken'</script>",
         "\u202egnp.exe", "\U0001f480\u200d\U0001f4bb \U0001f469\u200d\U0001f52c" * 3, "x" * 900, "a\u0301" * 200,
         "${jndi:x} {{7*7}} %00 ' or 1=1 --"]


@pytest.fixture
def site(daemon, build):
    need_page(build)
    daemon.configure("RESERVATIONDEPTH 1\nADMIN1 root\n" if os.geteuid() == 0 else "RESERVATIONDEPTH 1\n")
    daemon.start()
    return daemon


def taken(browser):
    return browser.chrome.execute_script("""
        return document.title === "taken" || document.querySelectorAll("body img, .view script, iframe, .view b").length > 0
            || document.documentElement.scrollWidth > document.documentElement.clientWidth + 1;""")


def test_names_are_data(site, browser):
    """In the queue, in the panel and on the timeline: shown as they are, what is no letter
    escaped, nothing pushed out of sight."""
    jobs = []
    for name in NAMES:
        status, answer = site.api("/v1/jobs", {"script": "#!/bin/sh\nsleep 900\n", "name": name, "wclimit_s": 3600, "directory": site.home})
        if status == 200:
            jobs += answer["ids"]
        else:  # a name that cannot be is refused with a sentence
            assert status == 400 and answer["error"]["message"], answer
    assert len(jobs) >= 3, "too many are refused to see anything"
    browser.chrome.get(Page(site).login())
    browser.shows("Next ends")
    base = browser.chrome.current_url
    browser.expected = {400}
    browser.chrome.get(base + "jobs?cols=id,name,user,state")
    browser.wait(lambda: len(rows(browser)) == len(jobs), "all of them")
    assert not taken(browser)
    assert "\u202e" not in browser.text()
    for job in jobs:
        browser.chrome.get(base + f"jobs?sel={job}")
        browser.shows(f"Job {job}")
        browser.wait(lambda: "Processors" in browser.one(".panel").text, "its facts")
        assert not taken(browser), job
        wide = browser.chrome.execute_script("""
            const p = document.querySelector('.panel');
            return p.scrollWidth <= p.clientWidth + 1 ? [] : [...p.querySelectorAll("*")].filter((e) => e.scrollWidth > p.clientWidth).map((e) => e.outerHTML.slice(0, 200));""")
        assert not wide, (job, wide)
    browser.picture("hostile-names")
    # in the address: words of a search, of a view, of a selection
    for query in ("jobs?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "jobs?sel=%3Cscript%3E", "jobs?sort=%22%3E&cols=__proto__,id",
                  "timeline?from=1e99&to=-1&rows=9999999-1&color=%3Cb%3E&by=partition&fold=%3Cimg%3E|*&show=,,", "jobs/..%2f..%2fv1",
                  "credentials/__proto__/constructor", "credentials/user/%3Cimg%20src%3Dx%3E", "parameters?q=%3Cb%3E", "fairshare?kind=%3Cb%3E"):
        browser.expected = {400, 404}
        browser.chrome.get(base + query)
        browser.wait(lambda: browser.all("main") and browser.one("main").text.strip(), query)
        assert not taken(browser), query
    browser.check()


MARKUP = "<img/src><b>x"  # in letters that names may have
TEXT = "<img src=x onerror=document.title='taken'>\"'"


def test_other_names_are_data_too(site, browser):
    """Of accounts, reservations and what is said of them, on every screen that shows them, in
    lists, panels, drawings, previews, progress, notices and the search."""
    running = [site.submit("sleep 900", account=MARKUP, name=MARKUP, wclimit_s=900, requests=[{"tasks": 8, "per_task": {"procs": 1}}])]
    site.wait(lambda: site.state(running[0]) == "Running", "its start")
    job = site.submit("sleep 900", account=MARKUP, name=MARKUP, wclimit_s=3600)
    status, answer = site.api("/v1/reservations", {"name": MARKUP, "hosts": "node01", "duration_s": 3600, "start_at": site.api("/v1/scheduler")[1]["at"] + 7200,
                                                   "accounts": ["physics"], "comment": TEXT, "label": MARKUP})
    assert status == 200, answer
    made = answer["name"]
    site.wait(lambda: site.api("/v1/promises")[0] == 200, "promises")
    browser.chrome.get(Page(site).login())
    browser.shows("Next ends")
    base = browser.chrome.current_url
    it, who = urllib.parse.quote(made, safe=""), urllib.parse.quote(MARKUP, safe="")
    browser.expected = {400, 404}
    for screen, shown in (("", made), (f"timeline?table=1&by=partition&color=account&sel={job}", MARKUP),
                          (f"timeline?kind=reservation&sel={it}", made), (f"jobs?q=account:{who}&cols=id,name,account", MARKUP),
                          (f"jobs/{job}", MARKUP), ("reservations?jobs=1", made), (f"reservations?sel={it}", TEXT), ("reservations?view=week", made),
                          ("nodes?view=table&sel=node01", made), ("promises", job), ("credentials/account", MARKUP),
                          (f"credentials/account/{who}", MARKUP), ("credentials/access?of=reservations", made), ("fairshare?kind=account", ""),
                          ("priorities", job), ("statistics?kind=account", "By credential"), (f"parameters?q={who}", ""), ("events", made),
                          (f"timeline?fit=1&account={who}", "Where would it fit?")):
        browser.chrome.get(base + screen)
        browser.wait(lambda: shown in browser.text() and "Loading" not in browser.text(), f"{shown} at {screen}")
        assert not taken(browser), screen
    # the search, and what an order would come to, comes to, and how it is undone
    browser.one("#search").send_keys(MARKUP[:5])
    browser.wait(lambda: made in browser.one(".search-found").text, "what is found")
    assert not taken(browser)
    browser.chrome.get(base + f"jobs?sel={job}")
    button(browser, "Hold").click()
    browser.wait(lambda: "promise" in browser.one(".w-sum").text, "what it would come to")
    button(browser, "Check thoroughly").click()
    browser.shows("Average wait")
    button(browser, "Hold: do it").click()
    browser.wait(lambda: browser.all(".notice-undo"), "how it is undone")
    assert not taken(browser)
    browser.chrome.get(base + f"reservations?sel={it}")
    button(browser, "Try what would be without it").click()
    button(browser, "Release").click()
    browser.wait(lambda: "promise" in browser.one(".w-sum").text, "what its release comes to")
    button(browser, "Release it").click()
    browser.shows("x.0 released.")
    assert not taken(browser)
    browser.check()


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_a_session_has_the_rights_of_its_user_and_no_more(site):
    from live_users import Users
    users = Users(site)
    page = Page(site)
    theirs = site.submit("sleep 900", name="theirs")
    site.wait(lambda: site.state(theirs) == "Running", "its start")
    url = users.ok("nobody", "dashboard", "--no-open").splitlines()[0]
    page.at = int(url.split(":")[2].split("/")[0])
    session = page.ask("POST", "/v1/session", {"login": url.split("#login=")[1]})[2]
    assert session["user"] == "nobody" and session["level"] == 0
    for path in ("/v1/parameters", "/v1/fairshare", "/v1/credentials/class", "/v1/events?follow=0", "/v1/managers",
                 f"/v1/jobs/{theirs}/why", "/v1/sessions/../parameters"):
        status, _, answer = page.by(session, "GET", path)
        assert status in (403, 404), (path, status, answer)
    for path, body in ((f"/v1/orders/cancel", {"jobs": [theirs]}), ("/v1/orders/hold", {"jobs": [theirs]}),
                       ("/v1/parameters", {"text": "RESERVATIONDEPTH 9"}),
                       ("/v1/whatif", {"changes": [{"parameters": {"text": "RESERVATIONDEPTH 9"}}]})):
        status, _, answer = page.by(session, "POST", path, body)
        assert status in (400, 403) or "theirs" not in str(answer) and "true" not in str(answer.get("results", "")), (path, answer)
        if status == 200 and "changes" in answer:
            assert not answer["changes"][0]["ok"], answer
    assert site.state(theirs) == "Running"
    # nor by saying that it is somebody else's
    for header in ({"X_Forwarded_User": "root"}, {"Remote_User": "root"}, {"X_Forwarded_For": "127.0.0.1"}):
        assert page.by(session, "GET", "/v1/parameters", **header)[0] == 403
    assert page.ask("GET", "/v1/parameters", Authorization="Session " + session["secret"][:-1] + "x")[0] == 401


def test_whose_rights_change_is_told_so(build, daemon, browser):
    from live_users import LEVELS, Users
    from web_page import need_page
    need_page(build)
    browser.expected = {403}  # what was asked for before it was known
    daemon.configure(LEVELS)
    daemon.start()
    browser.chrome.get(Users(daemon).ok("daemon", "dashboard", "--no-open").splitlines()[0])
    browser.shows("help desk")
    daemon.configure(LEVELS.replace("ADMIN3 daemon", "ADMIN3 sys"))
    daemon.ok("schedctl", "-R")
    browser.shows("you are user by now, and were help desk", 60)
    browser.check()
