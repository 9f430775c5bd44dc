# SPDX-License-Identifier: Apache-2.0
"""A master that is killed gives numbers again: who has one then is a new job."""


def test_a_number_that_a_killed_master_gives_again_is_a_new_job(ge):
    ge.maui.start()
    first = ge.submit("alice", "true")
    ge.maui.until(first, "Completed")
    ge.kill_master()
    ge.start_master()
    again = ge.submit("bob", "true")
    # of the same number, or not, as the master has written it down

    def ended():
        return [(j["id"], j["user"], j["state"]) for j in ge.maui.lines("showq", "-c")
                if j["id"] in (first, again)]

    wanted = sorted([(first, "alice", "Completed"), (again, "bob", "Completed")])
    ge.maui.wait(lambda: len(ended()) > 1, "both ends")
    assert sorted(ended()) == wanted
