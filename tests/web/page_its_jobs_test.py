# SPDX-License-Identifier: Apache-2.0
"""A reservation in a browser: its jobs, who may use it, one like it; and keys of the timeline."""
import pytest

from live_daemon import ME
from page_promises_test import open_page, records
from web_page import need_page

ENTER = "\ue007"


@pytest.fixture
def site(daemon, build, browser):
    """Two nodes are for me, with a job in them and another that is for later; two are ann's."""
    need_page(build)
    daemon.configure("RESERVATIONDEPTH 4\n")
    daemon.start()
    daemon.ok("setres", "-n", "mine", "-u", ME, "-d", "2:00:00", "node0[12]")
    daemon.ok("setres", "-n", "hers", "-u", "ann", "-d", "1:00:00", "node0[34]")
    daemon.inside = daemon.submit("sleep 900", wclimit_s=900, reservation="mine.0", requests=[{"tasks": 4, "per_task": {"procs": 1}}])
    daemon.wait(lambda: daemon.state(daemon.inside) == "Running", "the job in it")
    daemon.behind = daemon.submit("true", wclimit_s=900, reservation="mine.0", requests=[{"tasks": 4, "per_task": {"procs": 1}}])
    daemon.kept = daemon.submit("true", wclimit_s=900, requests=[{"tasks": 8, "per_task": {"procs": 1}}])
    daemon.wait(lambda: daemon.job(daemon.kept).get("reservation_at"), "the promise")
    open_page(browser, daemon)
    return daemon


def texts(browser, name):
    return [r.text.split()[0] for r in browser.all(f'.panel [aria-label="{name}"] tbody tr')]


def found(site, q):
    return [j["id"] for j in records(site, f"/v1/jobs?q={q}&fields=id") if "id" in j]


def test_a_reservation_tells_its_jobs(site, browser):
    assert found(site, "in:mine.0") == [site.inside] and found(site, "wants:mine.0") == [site.behind]
    assert found(site, "in:hers.0") == found(site, "wants:hers.0") == found(site, "in:nothing") == []
    browser.chrome.get(site.base + "reservations?sel=mine.0")
    browser.wait(lambda: texts(browser, "Jobs in it") == [site.inside], "the job in it")
    browser.wait(lambda: texts(browser, "Jobs that wait for it") == [site.behind], "the one that asks for it")
    browser.chrome.get(site.base + "reservations?sel=hers.0")
    browser.shows("None asks for it by name.")
    browser.one('.panel [data-do="held-up"]').click()
    browser.wait(lambda: site.kept in browser.one('.panel [aria-label="What if"]').text, "whom it holds up")
    assert "1 job earlier" in browser.one('.panel [aria-label="What if"]').text
    assert [r["name"] for r in records(site, "/v1/reservations?type=User&places=0")] == ["mine.0", "hers.0"]  # it was asked about
    browser.picture("reservation-jobs")
    browser.check()


def verdict(site, words, name="hers.0"):
    return site.api(f"/v1/reservations/{name}?{words}")[1]["verdict"]


def test_a_reservation_tells_who_may_use_it(site, browser):
    site.ok("setres", "-n", "both", "-u", "ann*,bob*", "-a", "chem*", "-s", "+3600", "-d", "1:00:00", "node01")
    assert verdict(site, "user=ann") == {"granted": True, "text": "may use it", "by": "USER==ann+"}
    assert not verdict(site, "user=bob")["granted"] and verdict(site, "user=bob")["text"] == "nothing in its access list matches"
    assert not verdict(site, "user=Ann")["granted"]
    assert not verdict(site, "class=fast")["granted"]
    told = verdict(site, "user=ann", "both.0")
    assert not told["granted"] and told["text"] == "only jobs that its access list names by something else"
    assert verdict(site, "user=ann&account=chem", "both.0")["granted"]
    assert "verdict" not in site.api("/v1/reservations/hers.0")[1]
    browser.chrome.get(site.base + "reservations?sel=hers.0")
    browser.one("#may-job").send_keys("ann")
    browser.one('[aria-label="Kind of what is asked about"]').send_keys("user")
    browser.one("#may-job").send_keys(ENTER)
    browser.shows("User ann: may use it (USER==ann+)")
    browser.one("#may-job").send_keys("a" + ENTER)
    browser.shows("User anna: nothing in its access list matches")
    browser.check()


def test_a_reservation_is_copied_to_other_times(site, browser):
    before = site.api("/v1/reservations/hers.0")[1]
    browser.chrome.get(site.base + "reservations?sel=hers.0")
    browser.one('.panel [data-do="copy"]').click()
    browser.wait(lambda: "/ui/timeline" in browser.chrome.current_url and browser.one(".panel h2").text == "New reservation", "its form")
    assert browser.one('.panel [name="users"]').get_attribute("value") == "ann+"
    browser.wait(lambda: browser.one(".panel .main").is_enabled(), "what it would come to")
    browser.one(".panel .main").click()
    browser.shows(" made: from ")
    made = next(r for r in records(site, "/v1/reservations?type=User&places=0") if r["name"] not in ("mine.0", "hers.0"))
    same = ("acl", "hosts", "per_task", "tasks", "nodes", "flags")
    assert {k: made.get(k) for k in same} == {k: before.get(k) for k in same}
    assert made["end_at"] - made["start_at"] == 3600 and 0 <= made["start_at"] - before["end_at"] + 60 <= 120
    assert site.api("/v1/reservations/hers.0")[1]["start_at"] == before["start_at"]
    browser.check()


def test_keys_tell_why_and_go_to_the_form(site, browser):
    browser.chrome.get(site.base + f"timeline?sel={site.kept}")
    browser.wait(lambda: "pieces are loaded" in browser.one("#gantt").get_attribute("aria-label"), "its data")
    browser.wait(lambda: browser.all(".panel .verdict"), "the job")
    focused = lambda words: browser.chrome.execute_script(f"return document.activeElement.{words}")  # noqa: E731
    browser.chrome.execute_script("document.getElementById('gantt').focus()")
    browser.wait(lambda: browser.keys("w") or "j-why" in focused("className"), "the verdict, which is read first")
    # the same beside the queue, where what opens, and each row, is told to who cannot see it
    browser.chrome.get(site.base + "jobs")
    browser.wait(lambda: browser.all("#row-0"), "the rows")
    browser.chrome.execute_script("document.getElementById('rows').focus()")
    browser.keys("\ue015")
    browser.wait(lambda: focused("getAttribute('aria-activedescendant')") == "row-1", "the row of the cursor")
    browser.keys("\ue007")
    said = lambda: browser.one(".panel > [role=status]").get_attribute("textContent")  # noqa: E731
    browser.wait(lambda: browser.one(".panel .verdict").text.split("\n")[0] in said(), "its verdict, told")
    browser.keys("w")
    browser.wait(lambda: "j-why" in focused("className") and focused("ariaLabel") in said(), "why, from the queue as well")
    browser.chrome.get(site.base + "timeline?sel=hers.0&kind=reservation")
    browser.wait(lambda: "pieces are loaded" in browser.one("#gantt").get_attribute("aria-label"), "its data")
    browser.one('.panel [data-do="change"]')
    browser.chrome.execute_script("document.getElementById('gantt').focus()")
    browser.keys("e")
    browser.wait(lambda: browser.one(".panel h2").text == "Reservation hers.0" and focused("name") == "start_at", "its form")
    assert not any(b.text == "Reserve" for b in browser.all(".panel button"))
    browser.check()


def test_a_narrow_window_scrolls_tables_and_not_itself(site, browser):
    """Also what only screen readers see stays within the table that it is of."""
    browser.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False})
    for screen, there in (("fairshare", ".f-list tbody tr"), ("events", ".e-list tbody tr"), ("reservations?sel=mine.0", ".panel .list tbody tr")):
        browser.chrome.get(site.base + screen)
        browser.wait(lambda there=there: browser.all(there), screen)
        wide = browser.chrome.execute_script("return [document.documentElement, ...document.querySelectorAll('.panel')].map((e) => e.scrollWidth - e.clientWidth)")
        assert max(wide) <= 0, (screen, wide)
        # and of the strip of screens the one that is shown is in sight
        browser.wait(lambda: browser.chrome.execute_script("""
            const box = document.querySelector(".rail-link[aria-current]").getBoundingClientRect();
            return box.left >= 0 && (box.left + box.right) / 2 < document.documentElement.clientWidth;"""), f"the name of {screen}")
    browser.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.check()
