# SPDX-License-Identifier: Apache-2.0
"""What somebody sees who opens the page for the first time: jobs that can be told apart, what
comes next, names that are found, and one sentence where a screen is not theirs."""
import re
import time

import pytest

from live_daemon import ME
from page_past_test import sent
from web_page import Page, need_page

DOWN, ENTER = "\ue015", "\ue007"
CONFIG = "RESERVATIONDEPTH 4\nACCOUNTCFG[physics] FSTARGET=40\n"


@pytest.fixture
def site(daemon, build):
    """A job of five minutes runs on all, another is promised its start after it."""
    need_page(build)
    daemon.configure(CONFIG)
    daemon.start()
    daemon.jobs = [daemon.submit("sleep 300", wclimit_s=300, account="physics", requests=[
        {"tasks": 8, "per_task": {"procs": 1}}]) for _ in range(2)]
    daemon.wait(lambda: "Running" in [daemon.state(j) for j in daemon.jobs], "a start")
    daemon.wait(lambda: any(daemon.job(j).get("reservation_at") for j in daemon.jobs), "the promise")
    return daemon


def open_as(browser, site, level=None):
    """`level` 0: as a user."""
    url = Page(site).login() if level is None else site.api("/v1/logins", {"level_max": level})[1]["url"]
    browser.chrome.get(url)
    browser.shows("Next ends")
    site.base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"


def span(browser):
    """Seconds that the timeline shows, as the address has them; None until it does."""
    found = re.search(r"from=(\d+)&to=(\d+)", browser.chrome.current_url)
    return int(found[2]) - int(found[1]) if found else None


def test_the_timeline_opens_with_what_runs_and_as_it_was_left(site, browser):
    open_as(browser, site)
    browser.keys("gt")
    opened = browser.wait(lambda: span(browser), "the span")
    assert 300 * 6 < opened < 300 * 12  # of which a job is a part that can be seen
    browser.one("#gantt").send_keys("---")
    browser.wait(lambda: span(browser) > 2 * opened, "more time")
    left = span(browser)
    browser.keys("gn")  # the picture has a key of that name, and does not take it
    browser.shows("Next ends")
    browser.keys("gt")
    again = browser.wait(lambda: "/timeline" in browser.chrome.current_url and span(browser), "the span")
    assert abs(again - left) < left / 5
    # what is in use now is told as it is, however much time a pixel has
    browser.wait(lambda: "now 100 % in use" in browser.one(".g-strip").get_attribute("aria-label"), "the use")
    browser.check()


def test_the_first_screen_shows_what_comes(site, browser):
    open_as(browser, site)
    choice = '[aria-label="Use before and after now"] select'  # drawn anew when it is known
    # not a day, in which five minutes are nothing
    browser.wait(lambda: browser.one(choice).get_attribute("value") == "hour", "the choice")
    browser.one(choice).send_keys("10 minutes")
    browser.wait(lambda: browser.all(".a-table summary"), "the table")
    browser.one(".a-table summary").click()

    def parts():
        rows = [[c.text for c in r.find_elements("css selector", "td")] for r in browser.all(".a-table tbody tr")]
        return [(int(r[1].split()[0]), int(r[2].split()[0])) for r in rows]  # running, promised

    def told():
        found = parts()  # at once: the next answer draws others
        return len(found) == 12 and any(p[1] == 100 for p in found) and found

    found = browser.wait(told, "the promise")
    assert any(p[0] == 100 for p in found)
    running = max(i for i, p in enumerate(found) if p[0] == 100)
    assert min(i for i, p in enumerate(found) if p[1] == 100) > running >= 6  # and after now
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"ahead-{scheme}")
    week = browser.one('[aria-label="Promises of the last week"]').text
    assert "1 waits for it" in week
    browser.check()


def test_names_of_all_kinds_are_found(site, browser):
    site.ok("setres", "-n", "course", "-u", "ann", "-s", "+600", "-d", "1:00:00", "node04")
    open_as(browser, site)

    def found(word):
        browser.one("#main").click()
        browser.keys("/")
        box = browser.one("#search")
        box.send_keys("\ue009a")
        box.send_keys(word)
        browser.wait(lambda: browser.all("#search-found [role=option]") and
                     browser.one("#search-found").get_attribute("hidden") is None, word)
        return [o.text for o in browser.all("#search-found [role=option]")]

    def chosen(address):
        browser.wait(lambda: address in browser.chrome.current_url, address)
        browser.wait(lambda: browser.one("#search").get_attribute("value") == "", "the end of the search")

    assert found("node0")[0] == "node node01"
    browser.keys(DOWN, DOWN, ENTER)
    chosen("/ui/nodes?sel=node02")
    for word, told, address in (("cour", "reservation course.0", "reservations?sel=course.0"),
                                ("phys", "account physics", "credentials/account/physics"),
                                ("RESERVATIOND", "parameter RESERVATIONDEPTH 4", "parameters?all=1&sel=RESERVATIONDEPTH"),
                                ("fairsh", "screen Fairshare", "fairshare")):
        assert told in found(word), word
        browser.keys(DOWN, ENTER)
        chosen(address)
    assert any(o.startswith(f"job {site.jobs[0]}") for o in found(site.jobs[0]))
    assert found("<b>nothing") == ["Nothing is called so; Enter filters the queue by it."]
    # what is pressed and not let go there is no choice yet; a click is, also one without a pointer
    found("cour")
    address = browser.chrome.current_url
    option = '#search-found [role=option]'
    browser.chrome.execute_script(f"document.querySelector('{option}').dispatchEvent(new PointerEvent('pointerdown', {{ bubbles: true }}))")
    assert browser.chrome.current_url == address
    browser.chrome.execute_script(f"document.querySelector('{option}').click()")
    chosen("reservations?sel=course.0")
    found("cour")
    browser.one(option).click()
    chosen("reservations?sel=course.0")
    browser.check()


def test_whose_screen_it_is_not_is_told_once_and_asks_for_nothing(site, browser):
    open_as(browser, site, level=0)
    links = [a.text for a in browser.all(".rail-link")]
    assert "Statistics" in links and not {"Nodes", "Fairshare", "Priorities", "Parameters", "Events"} & set(links)
    for screen in ("nodes", "fairshare", "priorities", "parameters", "events"):
        browser.chrome.get(site.base + screen)
        browser.shows("shown to administrators, operators and the help desk")
        assert browser.one("#main a").text == "your limits, your share and your use"
        assert "not authorized" not in browser.text()
    browser.chrome.get(site.base + "statistics")
    browser.shows("Your use")
    browser.shows("No job that ran has ended in that time.")
    assert "not authorized" not in browser.text() and "By credential" not in browser.text()
    browser.chrome.get(site.base + "credentials")
    browser.shows("Nothing limits you.")
    assert f"User {ME}" in browser.text()
    # nothing was asked for that would be refused
    browser.check()
    assert not [p for _, p in sent(browser) if p.startswith(("/v1/nodes", "/v1/fairshare", "/v1/statistics"))]


def test_a_refused_picture_is_not_asked_for_each_second(site, browser):
    open_as(browser, site)
    browser.keys("gt")
    browser.wait(lambda: span(browser), "the span")
    browser.chrome.execute_script("""
        const real = window.fetch;
        window.refuse = 503;
        window.asked = 0;
        window.fetch = (path, how) => {
          if (!String(path).includes("height=1&")) return real(path, how);
          window.asked++;
          const error = {code: "refused", message: "nodes are not for you"};
          return Promise.resolve(new Response(JSON.stringify({error}), {status: window.refuse}));
        };""")

    def asked():
        return browser.chrome.execute_script("return window.asked")

    browser.keys("gn")
    browser.wait(lambda: asked(), "the question")
    began, first = time.monotonic(), asked()
    browser.wait(lambda: asked() >= first + 2, "questions again")
    assert time.monotonic() - began > 4  # three seconds are between two
    browser.chrome.execute_script("window.refuse = 403")
    browser.shows("nodes are not for you")
    last = asked()
    time.sleep(5)
    assert asked() == last
    browser.check()
