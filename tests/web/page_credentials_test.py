# SPDX-License-Identifier: Apache-2.0
"""Credentials and their limits in a browser: what is in force and where it comes from, changed
with what that would come to, and who may use what."""
import pytest

from live_daemon import ME
from page_timeline_test import open_timeline
from web_page import need_page

CONFIG = """USERCFG[DEFAULT] MAXJOB=1
CLASSCFG[fast] MAXPROC=2,4
CLASSCFG[slow] PRIORITY=5
QOSCFG[high] PRIORITY=9
ACCOUNTCFG[chem] QLIST=high QDEF=high
ACCOUNTCFG[physics] PRIORITY=1
"""


@pytest.fixture
def site(daemon, build, browser):
    """One job of each class runs, one waits for the limit of its user."""
    need_page(build)
    daemon.configure(CONFIG)
    daemon.start()
    daemon.first, daemon.kept = (
        daemon.submit("sleep 600", wclimit_s=600, requests=[{"tasks": 2, "per_task": {"procs": 1}}],
                      **{"class": "fast"}) for _ in range(2))
    daemon.wait(lambda: daemon.state(daemon.first) == "Running", "the first job")
    daemon.wait(lambda: "MAXJOB" in str(daemon.job(daemon.kept).get("reason")), "the limit")
    open_timeline(browser, daemon)
    daemon.base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"
    return daemon


def record(site, kind, name):
    return site.api(f"/v1/credentials/{kind}?name={name}")[1]


def fill(browser, css, text):
    box = browser.one(css)
    box.send_keys("\ue009a")
    box.send_keys(text)


def panel(browser):
    return browser.one(".panel").text


def test_limits_are_shown_with_use_holds_and_source(site, browser):
    from live_daemon import ME
    browser.chrome.get(site.base + f"credentials/user/{ME}")
    browser.wait(lambda: "MAXJOB" in panel(browser), "its limits")
    limit = next(l for l in record(site, "user", ME)["limits_in_force"] if l["limit"] == "MAXJOB")
    assert (limit["hard"], limit["used"], limit["held"], limit["by_default"]) == (1, 1, 1, True)
    assert limit["source"].endswith("maui.cfg:1")
    assert "1 of 1" in panel(browser) and "USERCFG[DEFAULT], maui.cfg:1" in panel(browser)
    browser.chrome.get(site.base + "credentials/class/fast")
    browser.wait(lambda: "MAXPROC" in panel(browser), "the class")
    assert "2 of 2, at most 4" in panel(browser) and "maui.cfg:2" in panel(browser)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"credential-{scheme}")
    browser.check()


def test_a_limit_is_changed_as_it_was_foretold(site, browser):
    from live_daemon import ME
    browser.chrome.get(site.base + f"credentials/user/{ME}")
    browser.one('[aria-label="Change MAXJOB"]').click()
    fill(browser, "#setting-value", "2")
    browser.shows(f"USERCFG[{ME}] MAXJOB=2")
    browser.shows("1 job earlier" if "earlier" in browser.text() else "with a start they had not")
    assert site.state(site.kept) != "Running"  # it was asked about, not done
    browser.picture("credential-change")
    browser.wait(lambda: browser.one(".order .main").is_enabled(), "the button")
    browser.one(".order .main").click()
    site.wait(lambda: site.state(site.kept) == "Running", "the job that waited")
    browser.shows("in force until the configuration is read again")
    limit = next(l for l in record(site, "user", ME)["limits_in_force"] if l["limit"] == "MAXJOB")
    assert (limit["hard"], limit["by_default"], limit["source"].split(":")[0]) == (2, False, "changeparam")
    browser.wait(lambda: "2 of 2" in panel(browser) and "changed at run time" in panel(browser), "the new limit")
    # another attribute of it later leaves this one alone
    site.ok("changeparam", f"USERCFG[{ME}]", "MAXPROC=8")
    assert {l["limit"]: l["hard"] for l in record(site, "user", ME)["limits_in_force"]} == {"MAXJOB": 2, "MAXPROC": 8}
    browser.check()


def test_who_is_second_to_change_a_limit_is_told_what_it_became(site, browser):
    browser.expected = {409}
    browser.chrome.get(site.base + "credentials/class/fast")
    browser.one('[aria-label="Change MAXPROC"]').click()
    fill(browser, "#setting-value", "1,2")
    browser.wait(lambda: browser.one(".order .main").is_enabled(), "the button")
    site.ok("changeparam", "CLASSCFG[fast]", "MAXPROC=6,8")
    browser.one(".order .main").click()
    browser.shows("Nothing was done")
    browser.shows("it is 6,8 by now")
    browser.wait(lambda: browser.one(".order .main").is_enabled(), "what it would come to by now")
    assert "Nothing was done" in browser.text()  # until it is pressed again
    browser.one(".order .main").click()
    browser.shows("in force until the configuration is read again")
    assert record(site, "class", "fast")["limits"] == ["MAXPROC=1,2"]
    browser.check()


def test_a_wrong_name_gets_the_nearest_and_escape_sends_nothing(site, browser):
    browser.chrome.get(site.base + "credentials/class/fast")
    browser.one('[data-do="set"]').click()
    fill(browser, "#setting-name", "MAXPORC")
    fill(browser, "#setting-value", "8")
    browser.expected = {400}
    browser.shows("There is MAXPROC")
    assert not browser.one(".order .main").is_enabled()
    browser.one(".field-take").click()
    browser.shows("CLASSCFG[fast] MAXPROC=8")
    browser.wait(lambda: browser.one(".order .main").is_enabled(), "the button")
    browser.keys("\ue00c")
    browser.wait(lambda: not browser.all(".order"), "the form's end")
    assert record(site, "class", "fast")["limits"] == ["MAXPROC=2,4"]
    browser.check()


def test_whoever_may_not_change_sees_no_button(site, browser):
    from web_page import Page
    browser.chrome.get(Page(site).login("--read-only"))
    browser.shows("Next ends")
    browser.chrome.get(site.base + "credentials/class/fast")
    browser.wait(lambda: "MAXPROC" in panel(browser), "the class")
    assert not browser.all('[data-do="set"]') and "Change" not in panel(browser)
    browser.check()


def test_who_may_use_what_is_a_matrix(site, browser):
    site.ok("setres", "-n", "course", "-u", "ann", "-d", "1:00:00", "node04")
    browser.chrome.get(site.base + "credentials/access")
    browser.wait(lambda: browser.all(".m-table"), "the matrix")

    def rows():
        return {r.text.split()[0]: r.text.split()[1:] for r in browser.all(".m-table tbody tr")}
    assert rows()["chem"] == ["default"] and rows()["physics"] == ["–"]
    browser.picture("access-matrix")
    browser.chrome.get(site.base + "credentials/access?of=classes")
    browser.wait(lambda: "node01" in browser.one(".m-table").text, "the nodes")
    browser.chrome.get(site.base + "credentials/access?of=reservations")
    browser.wait(lambda: "USER ann" in browser.one(".m-table").text, "the reservation")
    site.ok("setres", "-n", "others", "-u", "!eve", "-d", "1:00:00", "node04")
    browser.wait(lambda: "USER eve" in browser.one(".m-table").text, "the other one")
    row = next(r for r in browser.all(".m-table tbody tr") if r.text.startswith("others"))
    assert "all but" in row.text and "yes" not in row.text.split("others")[1]
    browser.check()


def test_a_parameter_is_changed_on_its_screen(site, browser):
    browser.chrome.get(site.base + "parameters?all=1&sel=RESERVATIONDEPTH")
    browser.one('[data-do="set"]').click()
    fill(browser, "#setting-value", "4")
    browser.shows("RESERVATIONDEPTH 4")
    browser.wait(lambda: browser.one(".order .main").is_enabled(), "the button")
    browser.one(".order .main").click()
    site.wait(lambda: site.lines("showconfig", "RESERVATIONDEPTH")[0]["value"] == "4", "the change")
    # taken back it is at its default, and not a change to that
    next(b for b in browser.all(".notice button") if b.text == "Undo").click()
    browser.shows("all is as it was before")
    record = site.lines("showconfig", "RESERVATIONDEPTH")[0]
    assert record["value"] == "1" and "source" not in record, record
    # who changed it, what it was and is
    told = lambda: [(c, e["by"], e["via"]) for e in site.api("/v1/events?follow=0&from=1")[1]  # noqa: E731
                    if e["event"] == "CONFIGURATION" for c in e["changed"]]
    name = "RESERVATIONDEPTH"
    assert site.wait(lambda: len(told()) == 2 and told(), "both events") == [
        ({"name": name, "was": "1", "is": "4"}, ME, "page"), ({"name": name, "was": "4", "is": "1"}, ME, "page")]
    browser.chrome.get(site.base + "events?of=people")
    browser.shows("RESERVATIONDEPTH is 4 (was 1)")
    browser.shows("RESERVATIONDEPTH is 1 (was 4)")
    browser.check()
