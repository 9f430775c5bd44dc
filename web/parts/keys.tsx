// Keys that work everywhere, and their list.
import { useEffect, useRef, useState } from "react";
import { go } from "../model/route";
import { nextAbout, stepCycles, usePast } from "../model/past";
import { SCREENS } from "../screens/list";

const G_MS = 1500;

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
}

const sel = () => new URLSearchParams(location.search).get("sel") ?? "";

export function Keys() {
  const [help, setHelp] = useState(false);
  const { at } = usePast();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let goAt = 0;
    const other = (e: KeyboardEvent) => e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target);
    /** What follows "g" is of no view, though it may have that key: they do not see it. */
    function follow(e: KeyboardEvent) {
      const screen = SCREENS.find((s) => s.key === e.key);
      const to = screen ? screen.path : e.key === "w" ? "/ui/timeline?fit=1" : null;
      if (other(e) || Date.now() - goAt >= G_MS || !to) return;
      goAt = 0;
      const here = location.pathname === to.split("?")[0] ? document.getElementById("gantt") : null; // it stays
      go(to);
      (here ?? document.getElementById("main"))?.focus();
      e.preventDefault();
      e.stopPropagation();
    }
    function read(e: KeyboardEvent) {
      if (other(e)) return;
      if (e.key === "g") goAt = Date.now();
      else if (e.key === "?") setHelp(true);
      else if (e.key === ".") document.querySelector<HTMLElement>(".actions button, .actions a")?.focus();
      else if (e.key === "w") document.querySelector<HTMLElement>(".j-why")?.focus();
      else if (e.key === "b") document.getElementById("travel")?.click();
      else if (e.key === "c" && at !== null) void stepCycles(1);
      else if (e.key === "d" && at !== null && sel()) void nextAbout(sel());
      else if (e.key === "u") [...document.querySelectorAll<HTMLElement>(".notice-undo")].pop()?.click();
      else if (e.key === "/") document.getElementById("search")?.focus();
      else return;
      e.preventDefault();
    }
    window.addEventListener("keydown", follow, true);
    window.addEventListener("keydown", read);
    return () => {
      window.removeEventListener("keydown", follow, true);
      window.removeEventListener("keydown", read);
    };
  }, [at]);
  useEffect(() => {
    if (help) dialog.current?.showModal();
  }, [help]);
  if (!help) return null;
  return (
    <dialog ref={dialog} className="keys" onClose={() => setHelp(false)} aria-labelledby="keys-name">
      <h2 id="keys-name">Keys</h2>
      <dl>
        <dt><kbd>?</kbd></dt><dd>this list</dd>
        <dt><kbd>/</kbd></dt><dd>search</dd>
        {SCREENS.map((s) => (
          <div key={s.key} className="keys-row"><dt><kbd>g</kbd> <kbd>{s.key}</kbd></dt><dd>{s.name}</dd></div>
        ))}
        <div className="keys-row"><dt><kbd>g</kbd> <kbd>w</kbd></dt><dd>Where would it fit?</dd></div>
        <dt><kbd>↑</kbd> <kbd>↓</kbd></dt><dd>from row to row of a table</dd>
        <dt><kbd>Enter</kbd></dt><dd>open what the row is about</dd>
        <dt><kbd>x</kbd></dt><dd>of the queue: choose the row, for several at once</dd>
        <dt><kbd>.</kbd></dt><dd>what can be done with what is open or chosen</dd>
        <dt><kbd>w</kbd></dt><dd>why the job that is open waits</dd>
        <dt><kbd>u</kbd></dt><dd>undo what was done last</dd>
        <dt><kbd>← ↑ ↓ →</kbd></dt><dd>on the timeline: from one thing to the next</dd>
        <dt><kbd>+</kbd> <kbd>-</kbd> <kbd>[</kbd> <kbd>]</kbd></dt><dd>less and more time, earlier, later</dd>
        <dt><kbd>{"{"}</kbd> <kbd>{"}"}</kbd></dt><dd>lower and higher rows</dd>
        <dt><kbd>0</kbd> <kbd>f</kbd> <kbd>F</kbd> <kbd>t</kbd></dt><dd>now, the future only, all of the one in focus, as a table</dd>
        <dt><kbd>z</kbd> <kbd>Z</kbd></dt><dd>fold a group of rows, all of them</dd>
        <dt><kbd>n</kbd> <kbd>m</kbd></dt><dd>on the timeline: a new reservation, move the one that is open (arrows, Shift resizes)</dd>
        <dt><kbd>e</kbd></dt><dd>on the timeline: the form of the reservation that is open</dd>
        <dt><kbd>b</kbd></dt><dd>the past, and back to the present</dd>
        <dt><kbd>c</kbd> <kbd>d</kbd></dt><dd>in the past: the next cycle, the next decision about the job that is open</dd>
        <dt><kbd>Esc</kbd></dt><dd>close, go back</dd>
      </dl>
      <form method="dialog"><button autoFocus>Close</button></form>
    </dialog>
  );
}
