// What can be done with a reservation: changed, moved, copied, released, with what that comes to.
import { useRef, useState, type KeyboardEvent } from "react";
import { ask } from "../api/client";
import { isStale, tellFailure, withBasis } from "../model/act";
import { beginCopy } from "../model/draft";
import { plain } from "../model/format";
import { askNow, useLive } from "../model/live";
import { forgetUndo, notice } from "../model/notices";
import { mayChange, quote } from "../model/orders";
import { usePrefs } from "../model/prefs";
import { go, withQuery } from "../model/route";
import type { Reservation, WhatIfChange } from "../model/types";
import { usePreview } from "../model/whatif";
import { useMayChange } from "../parts/actions";
import { Command } from "../parts/copy";
import { Link } from "../parts/frame";
import { Moved, PreviewOf } from "../parts/preview";

function ReleaseForm({ name, onEnd }: { name: string; onEnd: () => void }) {
  const [busy, setBusy] = useState(false);
  const [gone, setGone] = useState(""); // the basis that was refused, until there is another answer
  const live = useLive((s) => s.phase === "live");
  const preview = usePreview([{ release_reservation: { name } } as WhatIfChange]);
  const refused = Boolean(gone) && (!preview.answer?.basis || preview.answer.basis === gone);
  const early = preview.state === "asking"; // nobody has seen what it comes to
  async function submit() {
    if (busy || !live || refused || early) return;
    setBusy(true);
    try {
      await ask("DELETE", withBasis(`/v1/reservations/${encodeURIComponent(name)}`, preview.answer?.basis));
      forgetUndo(name);
      notice({ kind: "done", text: `Reservation ${name} released.` });
      onEnd();
      go(withQuery({ sel: null, kind: null }), true);
      (document.getElementById("gantt") ?? document.getElementById("main"))?.focus(); // the panel is gone
    } catch (e) {
      setGone(isStale(e) ? preview.answer?.basis ?? "" : "");
      if (isStale(e)) preview.again();
      else tellFailure("Release", e);
      setBusy(false);
    }
    askNow();
  }
  return (
    <form
      className="order order-destroys"
      aria-label={`Release reservation ${name}`}
      onSubmit={(e) => { e.preventDefault(); void submit(); }}
      onKeyDown={(e: KeyboardEvent & { stopPropagation(): void }) => {
        if (e.key !== "Escape") return;
        e.stopPropagation();
        onEnd();
      }}
    >
      <h3>Release: {plain(name)}</h3>
      <p className="order-loss">Its nodes are for everybody then.</p>
      <div className="order-buttons">
        <button type="submit" className="main-bad" disabled={busy || !live || refused || early}>Release it</button>
        <button type="button" autoFocus onClick={onEnd}>Leave it</button>
      </div>
      {gone && <Moved />}
      <PreviewOf preview={preview} />
      <Command line={`maui releaseres ${quote(name)}`} />
    </form>
  );
}

export function ReservationActions({ r, onChange }: { r: Reservation; onChange?: () => void }) {
  const who = useLive((s) => s.who);
  const live = useLive((s) => s.phase === "live");
  const may = useMayChange();
  const [open, setOpen] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const { zone } = usePrefs();
  const changes = mayChange(r, who);
  const copies = Boolean(who?.reserves) && r.type !== "Job";
  if (!may || !(changes || copies)) return null;
  function copy() {
    go(location.pathname === "/ui/timeline" ? withQuery({ sel: null, kind: null, fit: null }) : "/ui/timeline");
    beginCopy(r, zone);
  }
  return (
    <>
      <div className="actions" role="group" aria-label="Actions" ref={bar}>
        {changes && (onChange ? <button data-do="change" disabled={!live} onClick={onChange}>Change or move</button>
          : <Link to={`/ui/timeline?sel=${encodeURIComponent(r.name ?? "")}&kind=reservation`} className="button">Change or move</Link>)}
        {copies && <button data-do="copy" disabled={!live} onClick={copy}>Copy</button>}
        {changes && <button className="bad" disabled={!live} aria-expanded={open} onClick={() => setOpen(!open)}>Release</button>}
      </div>
      {open && <ReleaseForm name={r.name} onEnd={() => { setOpen(false); bar.current?.querySelector("button")?.focus(); }} />}
    </>
  );
}
