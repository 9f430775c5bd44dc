#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Carries out a chapter of the guide and writes what commands printed below them where that is
no more what the page says: guide_record.py docs/guide/PAGE.md. Whoever does so reads the
difference, and puts `...` for what varies."""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from guide_page import LOOKS, as_expected, blocks_of  # noqa: E402
from guide_site import ROOT, SITES, Local  # noqa: E402

PATIENCE = 8


def printed_anew(chapter, block, line, command, expected):
    """What it prints, or None where that is as expected."""
    end, words = time.monotonic() + PATIENCE, command.split()
    looks = words[words[0] == "maui" and len(words) > 1] in LOOKS
    while True:
        done = chapter.run(chapter.ours(command))
        if as_expected([chapter.ours(e) for e in expected], done.stdout, "roughly" in block.words):
            return None
        if not looks or time.monotonic() > end:
            print(f"{chapter.page.name}:{line}: {command} [{done.returncode}]")
            return done.stdout
        time.sleep(0.2)


def main(page):
    build = ROOT / "build" / "release"
    site = SITES.get(page.stem, Local)(build)
    lines, changed = page.read_text().splitlines(), {}
    try:
        chapter = site.chapter(page)
        back = {mine: word for word, mine in chapter.known.items()}
        back |= {f"{site.daemon.home}/maui.cfg": "/etc/maui/maui.cfg", str(site.daemon.home): "/var/lib/maui"}
        for block in blocks_of(page):
            if block.kind != "console":
                if block.words:
                    chapter.write(block.words[0], block.text)
            elif not any(w.startswith("by=") for w in block.words):
                for n, command, expected in block.commands():
                    text = printed_anew(chapter, block, n, command, expected)
                    if text is not None:
                        for mine in sorted(back, key=len, reverse=True):
                            text = text.replace(mine, back[mine])
                        first = n + command.count("\n")
                        changed[first] = (len(expected), text)
    finally:
        site.end()
    for n in sorted(changed, reverse=True):  # line n has the command; its output follows
        count, text = changed[n]
        while lines[n - 1].endswith("\\"):
            n += 1
        lines[n:n + count] = [line.rstrip() for line in text.splitlines() if line.strip()]
    page.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
