# SPDX-License-Identifier: Apache-2.0
"""Where would it fit? Asked of the page for a job that nobody has submitted: its first slot on
the timeline, later windows, and what is in the way; by users and by administrators."""
import math

from live_users import Users
from page_reserve_test import button, open_timeline, site, value, write  # noqa: F401
from web_page import Page

ESCAPE = "\ue00c"
ROW = 32


def panel(browser):
    return browser.one('.panel[aria-label="Where would it fit?"]')


def answers(browser, words):
    """The panel says so, of the question that is in its form."""
    browser.wait(lambda: words in panel(browser).text
                 and browser.one('section[aria-label="Where it would fit"]').get_attribute("aria-busy") == "false", f"{words!r}")


def is_marked(browser, at, row):
    """A dashed frame of the colour of what is proposed begins there."""
    return browser.chrome.execute_script("""
        const c = document.getElementById("gantt"), q = new URLSearchParams(location.search);
        const x = 128 + (c.clientWidth - 128) * (arguments[0] - q.get("from")) / (q.get("to") - q.get("from"));
        const probe = document.createElement("i");
        probe.style.color = getComputedStyle(c).getPropertyValue("--focus");
        document.body.append(probe);
        const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
        probe.remove();
        const ratio = window.devicePixelRatio || 1;
        const data = c.getContext("2d").getImageData(Math.round(x * ratio) - 3, Math.round((40 + arguments[1] * arguments[2]) * ratio), 7, Math.round(arguments[2] * ratio)).data;
        for (let i = 0; i < data.length; i += 4)
          if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40) return true;
        return false;""", at, row, ROW)


def settle(browser):
    def is_step():
        steps = 4 * math.log2(browser.chrome.execute_script("""
            const c = document.getElementById("gantt"), q = new URLSearchParams(location.search);
            return (q.get("to") - q.get("from")) / (c.clientWidth - 128);"""))
        return abs(steps - round(steps)) < 0.02
    browser.wait(is_step, "the view")


def test_a_slot_is_found_marked_and_what_is_in_its_way_is_told(site, browser):
    open_timeline(browser, Page(site).login())
    button(browser, "Where would it fit?").click()
    answers(browser, "Now, until 09:00:00")
    write(browser, "procs", "4")
    answers(browser, "On 2 nodes: node03, node04.")
    settle(browser)
    browser.wait(lambda: is_marked(browser, site.at + 3600, 2) and not is_marked(browser, site.at + 3600, 0), "its frame on the picture")
    # as long as the wide one is promised the time after it, it has to wait for that
    write(browser, "duration_s", "3:00:00")
    answers(browser, "12:00:00 (in 04:00:00), until 15:00:00")
    answers(browser, "by then they may be others")
    start = site.api("/v1/start?procs=4&duration_s=10800&places=1")[1]
    assert (start["start_at"], start["nodes"]) == (site.at + 4 * 3600, 2)
    text = panel(browser).text
    assert site.jobs["runs"] in text and "What comes free" in text, text
    settle(browser)
    browser.wait(lambda: is_marked(browser, start["start_at"], 0), "its frame there")
    # nobody has submitted anything
    assert {j["id"] for j in site.lines("showq") if "id" in j} == set(site.jobs.values())
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"fit-{scheme}")
    browser.keys(ESCAPE)
    browser.wait(lambda: not browser.all(".panel"), "the panel's end")
    assert "fit=" not in browser.chrome.current_url
    # Chromium says that many looks at pixels are slow: they are the test's own
    said = [m["message"] for m in browser.chrome.get_log("browser")]
    assert all("willReadFrequently" in m for m in said), said


def test_a_later_window_is_taken_and_the_address_tells_it(site, browser):
    open_timeline(browser, Page(site).login(), "&fit=procs=4")
    answers(browser, "Now, until 09:00:00")
    button(browser, "12:00:00", ".panel .list").click()
    answers(browser, "12:00:00 (in 04:00:00), until 13:00:00")
    assert value(browser, "from") == "2027-01-15 12:00"
    # the address tells it to somebody else
    assert "fit=procs=4" in browser.chrome.current_url.replace("%3D", "=")
    browser.chrome.refresh()
    answers(browser, "12:00:00 (in 04:00:00), until 13:00:00")
    assert value(browser, "procs") == "4"
    browser.check()


def test_what_cannot_be_is_said_at_its_field(site, browser):
    browser.expected = {400, 404}
    browser.chrome.get(Page(site).login())
    browser.wait(lambda: browser.all(".rail-link"), "the page")
    browser.keys("g", "w")
    answers(browser, "Now")
    write(browser, "procs", "16")
    answers(browser, "Never, as things are:")
    write(browser, "procs", "some")
    browser.shows("a whole number is needed")
    write(browser, "procs", "2")
    browser.one(".panel details summary").click()
    write(browser, "features", "moon")
    browser.shows("no node has feature 'moon'")
    assert browser.one('.panel [name="features"]').get_attribute("aria-invalid") == "true"
    write(browser, "features", " ")
    answers(browser, "Now")
    # each task on one node: these nodes have two processors
    write(browser, "procs_per_task", "4")
    write(browser, "procs", "4")
    answers(browser, "Never, as things are:")
    browser.check()


def test_in_the_queue_it_is_tried_as_ones_own(site, browser):
    open_timeline(browser, Page(site).login(), "&fit=procs=4;duration_s=3:00:00")
    answers(browser, "12:00:00 (in 04:00:00)")
    button(browser, "What if it were submitted now?", ".panel").click()
    browser.shows("1 new")
    browser.shows("No promise is broken.")
    assert len([j for j in site.lines("showq") if "id" in j]) == 2
    # of another's job nobody but that user would be told it
    browser.one(".panel details summary").click()
    write(browser, "user", "games")
    answers(browser, "12:00:00 (in 04:00:00)")
    assert not [b for b in browser.all(".panel button") if "submitted" in b.text]
    browser.check()


def test_the_way_to_it_is_on_now_and_on_the_queue(site, browser):
    browser.chrome.get(Page(site).login())
    browser.wait(lambda: browser.all(".fit-link"), "the link on Now")
    browser.one(".fit-link").click()
    answers(browser, "Now, until")
    browser.keys(ESCAPE)
    browser.wait(lambda: not browser.all(".panel"), "the panel's end")
    browser.one('.rail-link[href^="/ui/jobs"]').click()
    browser.wait(lambda: browser.all("#rows"), "the queue")
    browser.one(".fit-link").click()
    answers(browser, "Now, until")
    browser.check()


def test_it_takes_the_place_of_a_reservation_that_is_drawn_and_that_its(site, browser):
    open_timeline(browser, Page(site).login(), "")
    heading = lambda: [h.text for h in browser.all(".panel h2")]  # noqa: E731
    for _ in range(2):  # the second time the question is in the address already
        button(browser, "New reservation", "").click()
        browser.wait(lambda: heading() == ["New reservation"], "its form")
        browser.chrome.execute_script("document.getElementById('gantt').focus()")
        browser.keys("g", "w")
        browser.wait(lambda: heading() == ["Where would it fit?"], "the question")
    browser.check()


def test_a_user_asks_as_that_user_and_sees_no_more(site, browser):
    users = Users(site)
    site.ok("setres", "-u", "root", "-s", "+4:00:00", "-d", "2:00:00", "node01,node02")
    open_timeline(browser, users.ok("games", "dashboard", "--no-open").splitlines()[0], "&fit=procs=8;duration_s=1:00:00")
    answers(browser, "14:00:00 (in 06:00:00)")
    assert "reservation of others, 2 nodes\n" in panel(browser).text, panel(browser).text  # not until when
    browser.one(".panel details summary").click()
    assert not browser.all('.panel [name="user"]')
    browser.check()
