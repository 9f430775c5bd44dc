# SPDX-License-Identifier: Apache-2.0
"""The story, and what the commands say of it, in words that are the same everywhere."""
import re

# What the managers know of their own accord: sizes, loads, names, what was asked for how.
OWN = ("Configured Resources", "Utilized Resources", "Dedicated Resources", "Opsys:", "Speed:",
       "Features:", "Classes:", "Total Time:", "IWD:", "AName:", "TasksPerNode:", "NodeCount:",
       "Flags:", "RM[", "Event Management", "RM Performance", "Network:", "WARNING: node", "ALERT: its load",
       "StartPriority", "PE:", "Total Tasks:", "Memory Usage", "CPU time", "Average", "Max Util",
       "-----")
SECONDS = 60


class Story:
    """Four processors that are up: `one`, `two` and `three` have them; `four` waits for
    some, `held` is its user's, `kept` an administrator's."""

    def __init__(self, site):
        self.site, self.ids = site, {}
        maui, (u, v, w) = site.maui, site.users
        site.begin()
        maui.wait(lambda: maui.run("checknode", site.nodes[0]).returncode == 0, "an answer", SECONDS)
        if "down" in site.can:
            site.close(site.nodes[2])
            maui.wait(lambda: "Down" in maui.ok("checknode", site.nodes[2]), "a node that is down", SECONDS)
        for label, user, procs in (("one", u, 1), ("two", v, 2), ("three", w, 1)):
            self.add(label, user, procs=procs)
            self.until(label, "Running")
        self.add("four", u)
        self.add("held", v, held=True)
        self.add("kept", w)
        for label, state in (("four", "Idle"), ("held", "Hold"), ("kept", "Idle")):
            self.until(label, state)
        maui.ok("sethold", self.ids["kept"])
        maui.wait(lambda: "Batch" in maui.ok("checkjob", self.ids["kept"]), "an administrator's hold", SECONDS)
        # an order of ours is under way for a moment, and the node is told at the next look
        maui.wait(lambda: all("State:      Busy" in maui.ok("checknode", n) for n in site.nodes[:2]),
                  "that nothing is left", SECONDS)

    def go_on(self):
        """`after` waits for another; of `array` one at a time may run."""
        maui, (u, v, _) = self.site.maui, self.site.users
        self.add("after", u, after=self.ids["one"])
        self.until("after", "Idle", "Hold")
        for i, job in enumerate(self.site.submit(v, array="1-3%1"), 1):
            self.ids[f"array{i}"] = job
        maui.wait(lambda: all(maui.job(self.ids[f"array{i}"]) for i in (1, 2, 3)), "all tasks", SECONDS)

    def add(self, label, user, **options):
        job = self.site.submit(user, **options)
        self.ids[label] = job if isinstance(job, str) else job[0]

    def until(self, label, *states):
        maui = self.site.maui
        maui.wait(lambda: maui.state(self.ids[label]) in states, f"{states} of {label}", SECONDS)

    # ---- the same words ----

    def plain(self, text):
        """Names of the site's own by what they are; times and figures by their kind."""
        text = re.sub(r"\d\d:\d\d:\d\d on \w\w\w \w\w\w +\d+( \d{4})?|\w{3} \w{3} +\d+ \d\d:\d\d:\d\d( \d{4})?"
                      r"|\d\d \w{3} \d\d:\d\d", "INSTANT", text)
        text = re.sub(r"-?\b\d+:\d\d(:\d\d)?(:\d\d)?\b", "TIME", text)
        for label, job in self.ids.items():  # a number is a job's where one has its place
            text = re.sub(rf"(^ *|\b[Jj]obs? '?|Reservation '|checkjob ){re.escape(job)}(?![\w\[]|\.\d| +(Active |Idle |Blocked )?Jobs?\b)",
                          rf"\1{label}", text, flags=re.M)
        for n, node in enumerate(self.site.nodes, 1):
            text = re.sub(rf"\b{node}\b", f"NODE{n}", text)
        for n, user in enumerate(self.site.users, 1):
            text = re.sub(rf"\b{user}\b", f"USER{n}", text)
        return re.sub(r"[ \t]+", " ", text)

    def text(self, *words):
        done = self.site.maui.run(*words)
        return f"{self.plain(done.stdout)}{self.plain(done.stderr)}exit {done.returncode}\n"

    def told(self):
        """What each command says: {title: text}."""
        found = {}
        for words in (["showq"], ["showq", "-r"], ["showq", "-i"], ["showq", "-b"], ["diagnose", "-j"],
                      ["diagnose", "-n"], ["diagnose", "-R"], ["diagnose", "-q"], ["checkjob", "4711"]):
            found[" ".join(words)] = self.text(*words)
        for label, job in self.ids.items():
            found[f"checkjob {label}"] = self.text("checkjob", job)
        for n, node in enumerate(self.site.nodes[:2], 1):
            found[f"checknode NODE{n}"] = self.text("checknode", node)
        return found


def common(title, text):
    """What of it has to be the same on all: states, users, order, reasons, holds, ends."""
    lines = []
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith(OWN):
            continue
        if line.startswith("one node is Down"):                 # LOCAL has none; others say
            continue                                            # why in their own words
        line = re.sub(r"\(x\d+\)", "", line)                   # tasks, of which a job has
        line = re.sub(r"\[(NODE\d):\d\]", r"[\1]", line)        # one or several
        line = re.sub(r"TaskCount: \d+", "TaskCount", line)
        line = re.sub(r"JobList:.*", "JobList", line)
        line = re.sub(r" group:\S+", "", line)                 # whoever has users has groups
        line = re.sub(r"of \d+ Nodes Active.*|Total Nodes.*", "nodes", line)
        words = line.split()
        if title == "showq -r" and words[0] in ("one", "two", "three"):
            words[3:4], words[6:7] = [], []                     # efficiency as measured, group
        if title == "showq -i" and words[0] == "four*":
            words[5:6] = []
        if title == "diagnose -j" and words[0] in ("one", "two", "three", "four", "held", "kept"):
            words = words[:4] + words[8:9]
        if title == "diagnose -n" and words[0].startswith("NODE"):
            if words[0] == "NODE3":
                continue
            words = words[:3]
        lines.append(" ".join(words))
    return "\n".join(lines)
