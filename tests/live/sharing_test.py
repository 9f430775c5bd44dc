# SPDX-License-Identifier: Apache-2.0
"""What many readers have of one answer: it is made once, told again only when it is another,
and never told to somebody who may not see the same."""
import json
import threading
import time

from live_daemon import Connection
from live_users import Users

LIST = "/v1/reservations?jobs=0&places=0&limit=2000"


def ask(live, path=LIST, tag=None):
    """(status, tag, text)"""
    api = Connection(f"{live.home}/api.sock")
    api.request("GET", path, None, {"If-None-Match": tag} if tag else {})
    answer = api.getresponse()
    text = answer.read().decode()
    api.close()
    return answer.status, answer.getheader("ETag"), text


def made(live):
    lines = ask(live, "/metrics")[2].splitlines()
    return int(next(l.split()[1] for l in lines if l.startswith("maui_lists_made_total ")))


def reserve(live, **more):
    words = {"tasks": 1, "start_at": int(time.time()) + 90000, "duration_s": 3600, **more}
    status, answer = live.api("/v1/reservations", words)
    assert status == 200, answer
    return answer["name"]


def in_one_state(live, look):
    """What `look` finds while the answer is the same: minutes pass, nodes are told of."""
    def still():
        before, found = ask(live)[1], look()
        return [found] if ask(live)[1] == before else None
    return live.wait(still, "a moment in which nothing changes")[0]


def test_twenty_readers_have_one_answer(live):
    reserve(live)
    ask(live)

    def look():
        begin, texts = made(live), []
        readers = [threading.Thread(target=lambda: texts.append(ask(live)[2])) for _ in range(20)]
        for r in readers:
            r.start()
        for r in readers:
            r.join()
        return made(live) - begin, texts
    lists, texts = in_one_state(live, look)
    assert lists == 0 and len(texts) == 20 and len(set(texts)) == 1


def test_what_a_reader_has_is_not_told_again(live):
    name = reserve(live)
    status, tag, text = ask(live)
    assert status == 200 and name in text and tag
    assert in_one_state(live, lambda: [ask(live, tag=ask(live)[1])[::2]]) == [(304, "")]
    # a job that comes is none of it; another reservation is, and words are
    live.submit("sleep 600", hold=True)
    assert in_one_state(live, lambda: ask(live, tag=ask(live)[1])[0]) == 304
    for change in (lambda: reserve(live, comment="first"),
                   lambda: live.ok("releaseres", name)):
        tag = ask(live)[1]
        change()
        status, other, text = ask(live, tag=tag)
        assert status == 200 and other != tag
    assert name not in text and "first" in text


def test_words_alone_make_it_another(live):
    name = reserve(live, comment="first")
    tag = ask(live)[1]
    status, answer = live.api(f"/v1/reservations/{name}", {"comment": "second"}, method="PATCH")
    assert status == 200, answer
    status, _, text = ask(live, tag=tag)
    assert status == 200 and "second" in text and "first" not in text


def test_those_of_jobs_are_of_no_state(live):
    job = live.submit("sleep 600")
    live.wait(lambda: live.state(job) == "Running", "its start")
    path = "/v1/reservations?places=0"
    status, tag, text = ask(live, path)
    assert status == 200 and tag is None and job in text
    live.ok("canceljob", job)
    live.wait(lambda: job not in ask(live, path)[2], "its end")


def test_who_asks_where_they_are_has_them_as_of_now(live):
    """Lists may show what others had within a minute; commands ask for places."""
    name = reserve(live)
    status, tag, text = ask(live, "/v1/reservations?jobs=0")
    assert status == 200 and tag is None and name in text
    first = json.loads(text.splitlines()[0])["at"]
    live.wait(lambda: json.loads(ask(live, "/v1/reservations?jobs=0")[2].splitlines()[0])["at"] > first,
              "an answer of a later second")


def test_nobody_has_an_answer_of_others(live):
    users = Users(live, programs=False)
    reserve(live, users=["bin"])
    tag = ask(live)[1]
    seen = {}
    for user in ("nobody", "bin", "games", "nobody", "bin"):  # kept answers are there the second time
        status, lines = users.api(user, LIST)
        assert status == 200
        seen.setdefault(user, []).append(lines)
    assert seen["nobody"] == ["", ""] and seen["games"] == [""] and all("start_at" in l for l in seen["bin"])
    # nor is it taken for theirs because they know its tag
    done = users.call("nobody", "curl", "-s", "-g", "-w", "%{http_code}", "-H", f"If-None-Match: {tag}",
                      "--unix-socket", f"{live.home}/api.sock", f"http://maui{LIST}")
    assert done.stdout == "200"
