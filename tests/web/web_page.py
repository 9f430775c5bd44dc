# SPDX-License-Identifier: Apache-2.0
"""The page as tests ask it: by requests of their own, and in a browser."""
import http.client
import json
import os

import pytest
from live_daemon import wait_for


class Page:
    """The listener of the page: requests with what headers a test likes."""

    def __init__(self, live):
        self.live = live

    def login(self, *options):
        """The address that `maui dashboard` prints."""
        return self.live.ok("dashboard", "--no-open", *options).splitlines()[0]

    @property
    def port(self):
        url = self.login()
        return int(url.split(":")[2].split("/")[0])

    def ask(self, method, path, body=None, port=None, **headers):
        """(status, headers, answer); `Host` is as a browser has it where nothing is said."""
        if port is None:
            port = self.at
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        head = {"Host": f"127.0.0.1:{port}"}
        if body is not None:
            head["Content-Type"] = "application/json"
        head.update({name.replace("_", "-"): value for name, value in headers.items()})
        text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
        c.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if text is not None:
            head["Content-Length"] = str(len(text))
        for name, value in head.items():
            if value is not None:
                c.putheader(name, value)
        c.endheaders(text.encode() if isinstance(text, str) else text)
        answer = c.getresponse()
        data = answer.read()
        c.close()
        try:
            return answer.status, answer.headers, json.loads(data)
        except ValueError:
            return answer.status, answer.headers, data.decode("utf-8", "replace")

    def open(self, *options):
        """Log in; the session with its secret."""
        url = self.login(*options)
        self.at = int(url.split(":")[2].split("/")[0])
        status, _, answer = self.ask("POST", "/v1/session", {"login": url.split("#login=")[1]})
        assert status == 200, answer
        return answer

    def by(self, session, method, path, body=None, **headers):
        return self.ask(method, path, body, Authorization=f"Session {session['secret']}",
                        **headers)


def need_page(build):
    if b"/ui/assets/main-" not in (build / "src" / "client" / "maui-serve").read_bytes():
        pytest.skip("NOT TESTED: built without the web page (esbuild is not there)")


class Browser:
    """What tests do with it: look, wait for a condition, and see that nothing went wrong."""

    def __init__(self, chrome):
        self.chrome = chrome
        self.expected = set()  # statuses of requests that a test provokes

    def wait(self, condition, what, seconds=60):
        """As wait_for(); an element that is no longer there is one that has not come."""
        from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

        def look():
            try:
                return condition()
            except (NoSuchElementException, StaleElementReferenceException):
                return None
        try:
            return wait_for(look, what, seconds, self.text, pause=0.05)
        except Exception:
            self.picture("failed")
            raise

    def text(self):
        return self.chrome.execute_script("return document.body ? document.body.innerText : ''")

    def shows(self, words, seconds=30):
        self.wait(lambda: words in self.text(), f"{words!r}", seconds)

    def all(self, css):
        from selenium.webdriver.common.by import By
        return self.chrome.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.wait(lambda: next(iter(self.all(css)), None), css)

    def keys(self, *words):
        from selenium.webdriver.common.action_chains import ActionChains
        actions = ActionChains(self.chrome)
        for word in words:
            actions.send_keys(word)
        actions.perform()

    def picture(self, name):
        """Kept where MAUI_PICTURES says, for people to look at."""
        folder = os.environ.get("MAUI_PICTURES")
        if folder:
            self.chrome.save_screenshot(f"{folder}/{name}.png")

    def scheme(self, which):
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": which},
                         {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def check(self):
        """No message of the console, no request to another host, no refusal but those expected.
        On a busy machine the scheduler puts questions off, and the page asks them again."""
        def put_off(text):
            return "/v1/whatif" in text and "503" in text
        messages = [m["message"] for m in self.chrome.get_log("browser")
                    if not any(f"status of {s}" in m["message"] for s in self.expected)
                    and not put_off(m["message"])]
        assert not messages, "\n".join(messages)
        wrong = []
        for entry in self.chrome.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if not url.startswith(("http://127.0.0.1:", "http://localhost:", "data:", "file:")):
                    wrong.append(url)
            if event["method"] == "Network.responseReceived":
                answer = event["params"]["response"]
                if (answer["status"] >= 400 and answer["status"] not in self.expected
                        and not put_off(f"{answer['status']} {answer['url']}")):
                    wrong.append(f"{answer['status']} {answer['url']}")
        assert not wrong, wrong
