// A reservation, beside a view.
import { useEffect, useMemo, useRef } from "react";
import { count, duration, instant, plain } from "../model/format";
import { useAnswer } from "../model/live";
import { quote } from "../model/orders";
import { usePrefs } from "../model/prefs";
import { go, withQuery } from "../model/route";
import type { Reservation } from "../model/types";
import { Command } from "../parts/copy";
import { useNow } from "../parts/frame";
import { ReservationActions } from "./release";
import { Entries, JobsOfReservation, MayUse, Triggers } from "./who_may";

export function kindOf(r: Reservation): string {
  if (r.type === "Standing") return `standing${r.standing ? ` (${plain(r.standing)})` : ""}`;
  return r.type === "Job" ? "of a job" : "made by people";
}

export function ReservationPanel({ name, onChange }: { name: string; onChange?: (r: Reservation) => void }) {
  const answer = useAnswer(`/v1/reservations/${encodeURIComponent(name)}`);
  const r = useMemo(() => (answer.text ? (JSON.parse(answer.text) as Reservation) : undefined), [answer.text]);
  const now = useNow();
  const { zone } = usePrefs();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [name]);
  const close = () => {
    go(withQuery({ sel: null, kind: null }), true);
    document.getElementById("gantt")?.focus();
  };
  return (
    <aside className="panel" aria-label={`Reservation ${name}`} onKeyDown={(e) => { if (e.key === "Escape") close(); }}>
      <button className="panel-close" onClick={close} aria-label="Close the panel">✕</button>
      <h2 ref={title} tabIndex={-1}>Reservation {plain(name)} {r && <span className="tag">{kindOf(r)}</span>}</h2>
      <p className="sr" role="status">
        {r && `${plain(name)}, ${kindOf(r)}, from ${instant(r.start_at, now, zone)} ${r.end_at ? `to ${instant(r.end_at, now, zone)}` : "without end"}${r.places ? `, nodes: ${count(r.places.length)}` : ""}`}
      </p>
      {answer.error && <p>{answer.error.status === 404 ? "It is gone: it has ended, or was released." : answer.error.message}</p>}
      {!answer.error && !r && <p className="quiet">Loading …</p>}
      {r && (
        <>
          <ReservationActions key={name} r={r} onChange={onChange ? () => onChange(r) : undefined} />
          <dl className="facts">
            <dt>Begins</dt><dd>{instant(r.start_at, now, zone)}</dd>
            <dt>Ends</dt><dd>{r.end_at ? instant(r.end_at, now, zone) : "never"}</dd>
            <dt>Length</dt><dd>{r.end_at && r.start_at ? duration(r.end_at - r.start_at) : "without end"}</dd>
            <dt>Nodes</dt><dd>{r.places ? count(r.places.length) : "–"}</dd>
            <dt>Tasks</dt><dd>{r.tasks !== undefined ? count(r.tasks) : "–"}</dd>
            <dt>Who may use it</dt><dd><Entries r={r} /></dd>
            {r.owner && <><dt>Owner</dt><dd>{plain(r.owner)}</dd></>}
            {r.user && <><dt>Charged to</dt><dd>{[r.account, r.group, r.user].filter(Boolean).map((n) => plain(n as string)).join(", ")}</dd></>}
            {r.label && <><dt>Label</dt><dd>{plain(r.label)}</dd></>}
            {r.comment && <><dt>Comment</dt><dd>{plain(r.comment)}</dd></>}
          </dl>
          {r.type !== "Job" && <MayUse key={name} name={name} />}
          <JobsOfReservation r={r} />
          <Triggers r={r} />
          {r.places && r.places.length > 0 && (
            <>
              <h3>Where</h3>
              <ul className="places">
                {r.places.slice(0, 64).map((p, i) => <li key={i}>{plain(String(p.node ?? ""))}</li>)}
                {r.places.length > 64 && <li className="quiet">and {count(r.places.length - 64)} more</li>}
              </ul>
            </>
          )}
          <Command line={`maui diagnose -r ${quote(name)}`} />
        </>
      )}
    </aside>
  );
}
