# SPDX-License-Identifier: Apache-2.0
"""Time travel: every screen as it was then, nothing to be done there, and back."""
import json
import pathlib
import urllib.parse

import pytest

from driven_clock import DrivenClock
from web_page import Page, need_page

ROOT = pathlib.Path(__file__).parents[2]
BEGIN, HOUR = 1800000000, 3600
LEFT, RIGHT = "\ue012", "\ue014"


@pytest.fixture
def site(daemon, build):
    """Two hours: a job ran in the first and was cancelled, another one waited behind it."""
    need_page(build)
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env)
    clock.stand(BEGIN)
    daemon.configure("RMPOLLINTERVAL 10:00:00\n")
    daemon.start()
    daemon.jobs = {}
    for name in ("first", "second"):
        daemon.jobs[name] = daemon.submit("sleep 600", wclimit_s=7200, output="/dev/null", error="/dev/null",
                                          requests=[{"tasks": 8, "per_task": {"procs": 1}}])
    daemon.wait(lambda: daemon.state(daemon.jobs["first"]) == "Running", "its start")
    daemon.wait(lambda: daemon.job(daemon.jobs["second"]).get("reservation_at"), "the promise")
    daemon.at = BEGIN + HOUR
    clock.stand(daemon.at)
    daemon.ok("canceljob", daemon.jobs["first"])
    daemon.wait(lambda: daemon.state(daemon.jobs["second"]) == "Running", "its start")
    daemon.at += HOUR
    clock.stand(daemon.at)
    daemon.ok("canceljob", daemon.jobs["second"])
    daemon.wait(lambda: daemon.state(daemon.jobs["second"]) is None, "its end")
    return daemon


def open_page(browser, daemon, query="", screen="/ui/"):
    page = Page(daemon)
    browser.chrome.get(page.login())
    browser.shows("live")
    address = browser.chrome.current_url.split("/ui/")[0] + screen + query
    browser.chrome.get("about:blank")
    sent(browser)  # of the present
    browser.chrome.get(address)
    browser.wait(lambda: browser.all(".rail-link"), "the page")


def travels(browser):
    return bool(browser.all(".frame-past"))


def rows(browser):
    return browser.chrome.execute_script(
        "return [...document.querySelectorAll('.q-rows [role=row]')].map((r) => r.innerText)")


def button(browser, words):
    return browser.wait(lambda: next((b for b in browser.all("button") if b.text.strip() == words), None), words)


def sent(browser):
    """(method, path) of what the page asked for."""
    found = []
    for entry in browser.chrome.get_log("performance"):
        event = json.loads(entry["message"])["message"]
        if event["method"] == "Network.requestWillBeSent":
            request = event["params"]["request"]
            url = urllib.parse.urlsplit(request["url"])
            found.append((request["method"], f"{url.path}?{url.query}"))
    return found


def test_a_link_shows_then_in_every_screen_and_the_present_is_one_key_away(site, browser):
    jobs = site.jobs
    open_page(browser, site, f"?at={BEGIN + 60}", "/ui/jobs")
    browser.shows("As of Fri 15 Jan")
    browser.wait(lambda: len(rows(browser)) == 2, "the jobs of then")
    first, second = rows(browser)
    assert "Running" in first and first.split()[0] == jobs["first"]
    assert "Idle" in second and second.split()[0] == jobs["second"]
    browser.picture("past-queue")
    # all links go to then
    links = [a.get_attribute("href") for a in browser.all(".rail-link")]
    assert len(links) > 7 and all(f"at={BEGIN + 60}" in link for link in links)
    for link in links:
        browser.chrome.find_element("css selector", f'.rail-link[href="{"/ui/" + link.split("/ui/")[1]}"]').click()
        browser.wait(lambda: browser.chrome.current_url.split("&from")[0] == link, link)
        browser.shows("As of Fri 15 Jan")
        assert travels(browser)
    asked = sent(browser)
    of_then = [p for m, p in asked if p.startswith(("/v1/jobs", "/v1/timeline", "/v1/fairshare", "/v1/events"))]
    assert of_then and all("past=" in p for p in of_then), of_then
    assert {(m, p.split("?")[0].rsplit("/", 1)[0]) for m, p in asked if m != "GET"} <= {
        ("POST", "/v1"), ("PATCH", "/v1/past")}, asked
    # loaded again it is then still
    browser.chrome.refresh()
    browser.shows("As of Fri 15 Jan")
    assert travels(browser) and f"at={BEGIN + 60}" in browser.chrome.current_url
    # and back: nothing is left of then
    browser.keys("b")
    browser.wait(lambda: not travels(browser), "the present")
    assert "at=" not in browser.chrome.current_url
    browser.keys("gj")
    browser.shows("There are no jobs")
    browser.check()


def test_a_job_of_then_has_its_why_and_nothing_can_be_done_with_it(site, browser):
    jobs = site.jobs
    open_page(browser, site, f"?at={BEGIN + 60}&sel={jobs['second']}", "/ui/jobs")
    browser.shows(f"Job {jobs['second']}")
    browser.wait(lambda: browser.all(".panel"), "the panel")
    browser.shows("What comes free")
    words = {b.text.strip() for b in browser.all("button")}
    assert not words & {"Hold", "Cancel", "Priority", "Modify", "Run now", "New reservation"}, words
    # the next decisions about it: in the end its start, an hour later
    def starts():
        return any(d.text.startswith("start") for d in browser.all(".travel-decision"))

    browser.keys("d")
    browser.wait(lambda: f"at={BEGIN + HOUR}" in browser.chrome.current_url, "what was decided then")
    for _ in range(5):
        if not starts():
            browser.keys("d")
            browser.wait(lambda: "on the way" not in browser.text(), "the next one")
    browser.wait(starts, "its start")
    browser.wait(lambda: [r for r in rows(browser) if "Running" in r or "Starting" in r], "that it runs")
    browser.picture("past-job")
    browser.check()


def test_the_slider_and_the_buttons_go_there_by_keyboard(site, browser):
    open_page(browser, site)
    browser.shows("Processors")
    browser.keys("b")
    browser.wait(lambda: travels(browser), "the past")
    browser.shows("As of")
    at = browser.wait(lambda: int(browser.chrome.current_url.split("at=")[1].split("&")[0]), "the instant")
    assert 0 <= at - (BEGIN + HOUR) <= 30
    # what is kept has been told, and the view is there: else the slider is of another span
    ends = lambda s: (int(s.get_attribute("min")), int(s.get_attribute("max")))  # noqa: E731
    browser.wait(lambda: ends(browser.one("#travel-slider")) == (BEGIN, site.at), "the ends of what is kept")
    browser.wait(lambda: "on the way" not in browser.text(), "the view")
    slider = browser.one("#travel-slider")
    was = int(slider.get_attribute("value"))
    slider.send_keys(LEFT * 3)
    browser.wait(lambda: int(slider.get_attribute("value")) < was, "that it moved")
    browser.wait(lambda: int(browser.chrome.current_url.split("at=")[1].split("&")[0]) < at, "earlier")
    at = browser.wait(lambda: "on the way" not in browser.text()
                      and int(browser.chrome.current_url.split("at=")[1].split("&")[0]), "the view of then")
    browser.wait(lambda: "8 in use" in browser.text() and "1 running" in browser.text(), "the jobs of then")
    assert slider.get_attribute("aria-valuetext").startswith("Fri 15 Jan")
    button(browser, "+1 h").click()
    browser.wait(lambda: int(browser.chrome.current_url.split("at=")[1].split("&")[0]) > at, "later")
    button(browser, "To the present").click()
    browser.wait(lambda: not travels(browser), "the present")
    browser.shows("0 running")
    browser.check()


def test_before_the_journal_it_is_said_since_when_there_is_one(site, browser):
    browser.expected.add(404)
    open_page(browser, site, f"?at={BEGIN - 5000}")
    browser.shows("the journal is kept since")
    assert "in use" not in browser.text()  # nothing of the present stands there
    browser.check()


def test_a_user_looks_back_at_own_jobs_and_sees_no_more_than_the_queue_told(site, browser):
    """A session that was opened as one of a user's level: the jobs are that user's own."""
    browser.chrome.get(site.api("/v1/logins", {"level_max": 0})[1]["url"])
    browser.shows("My jobs")
    browser.wait(lambda: browser.all("#travel"), "the button")
    base = browser.chrome.current_url.split("/ui/")[0]
    browser.chrome.get(f"{base}/ui/?at={BEGIN + 60}")
    browser.wait(lambda: travels(browser), "the past")
    browser.shows("As of")
    browser.shows("My jobs")
    assert not browser.all(".travel-wrong"), browser.text()
    browser.picture("past-now-user")
    browser.chrome.get(f"{base}/ui/jobs?at={BEGIN + 60}&sel={site.jobs['second']}")
    browser.shows("As of")
    browser.wait(lambda: len(rows(browser)) == 2, "the queue of then")
    for screen in ("timeline", "reservations", "promises"):
        browser.chrome.get(f"{base}/ui/{screen}?at={BEGIN + 60}")
        browser.shows("As of")
        assert not browser.all(".travel-wrong"), (screen, browser.text())
    browser.check()
