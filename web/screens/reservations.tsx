// All reservations, as a list and as a week of the calendar.
import { useMemo, useState } from "react";
import { count, duration, instant, plain } from "../model/format";
import { useJobReservations, useMadeReservations } from "../model/lists";
import { usePrefs } from "../model/prefs";
import { go, useSearch, withQuery } from "../model/route";
import type { Reservation } from "../model/types";
import { Link, useNow } from "../parts/frame";
import { LongTable } from "../parts/insight";
import { ReservationPanel, kindOf } from "./reservation";
import { Week } from "./week";

const VIEWS = [["list", "List"], ["week", "Week"]] as const;

/** What was used of it so far. */
function Use({ r }: { r: Reservation }) {
  const used = r.active_ps ?? 0;
  const all = used + (r.idle_ps ?? 0);
  if (all <= 0) return null;
  const percent = Math.round((100 * used) / all);
  return (
    <span className="l-line" title={`${percent} % of what it has held was used`}>
      <span className="limit-bar l-bar" role="img" aria-label={`${percent} % used`}><span className="fill-running" style={{ width: `${percent}%` }} /></span>
      <span className="quiet">{percent} %</span>
    </span>
  );
}

function Row({ r, index, now, chosen }: { r: Reservation; index: number; now: number; chosen: boolean }) {
  const { zone } = usePrefs();
  const charged = [r.account, r.group, r.user].filter(Boolean) as string[];
  const short = (r.max_tasks ?? 0) > (r.tasks ?? 0);
  return (
    <tr aria-rowindex={index + 2} className={chosen ? "q-chosen" : undefined}>
      <td><Link to={withQuery({ sel: r.name ?? null })}>{plain(r.name ?? "")}</Link></td>
      <td>{kindOf(r)}</td>
      <td>{plain(r.state ?? r.job_state ?? "")}</td>
      <td className="number">{instant(r.start_at, now, zone)}</td>
      <td className="number">{r.end_at ? instant(r.end_at, now, zone) : "never"}</td>
      <td className="number">{r.end_at && r.start_at ? duration(r.end_at - r.start_at) : "–"}</td>
      <td className="number">{count(r.nodes ?? 0)}</td>
      <td className="number">{count(r.tasks ?? 0)}{short && <span className="tag" title="it has found fewer than are wanted">of {count(r.max_tasks ?? 0)}</span>}</td>
      <td title={(r.acl ?? []).map(plain).join(", ")}>{(r.acl ?? []).length ? (r.acl ?? []).map(plain).join(", ") : <span className="quiet">{r.type === "Job" ? "the job" : "nobody"}</span>}</td>
      <td>{plain(r.owner ?? "")}</td>
      <td>{plain(charged.join(", "))}</td>
      <td><Use r={r} /></td>
      <td className="number">{r.triggers?.length ? count(r.triggers.length) : ""}</td>
    </tr>
  );
}

function List({ all, sel }: { all: Reservation[]; sel: string }) {
  const now = useNow();
  return (
    <LongTable
      all={all}
      className="r-list"
      head={<tr><th>Name</th><th>Kind</th><th>State</th><th className="number">Begins</th><th className="number">Ends</th><th className="number">Length</th><th className="number">Nodes</th><th className="number">Tasks</th><th>Who may use it</th><th>Owner</th><th>Charged to</th><th>Used</th><th className="number">Triggers</th></tr>}
      row={(r, i) => <Row key={r.name} r={r} index={i} now={now} chosen={r.name === sel} />}
    >
      {!all.length && <p className="quiet q-none">There is none. <code>maui setres</code> makes one, as does <Link to="/ui/timeline">a box on the timeline</Link>; <code>SRCFG</code> lines make standing ones.</p>}
    </LongTable>
  );
}

export function Reservations() {
  const query = new URLSearchParams(useSearch());
  const view = query.get("view") === "week" ? "week" : "list";
  const jobs = query.get("jobs") === "1";
  const sel = query.get("sel") ?? "";
  const [words, setWords] = useState(query.get("q") ?? "");
  const made = useMadeReservations();
  const ofJobs = useJobReservations(jobs && view === "list");
  const loaded = made && ofJobs;
  const all = useMemo(() => [...(made ?? []), ...(ofJobs ?? [])].sort((a, b) => (a.start_at ?? 0) - (b.start_at ?? 0)), [made, ofJobs]);
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter((r) => wanted.every((w) => `${r.name} ${r.type} ${r.state} ${r.owner ?? ""} ${r.account ?? ""} ${r.user ?? ""} ${(r.acl ?? []).join(" ")} ${r.label ?? ""}`.toLowerCase().includes(w)));
  return (
    <div className={sel ? "split split-open" : "split"}>
      <div className="split-main">
        <div className="q-bar">
          <h1>Reservations</h1>
          <div className="tabs" role="group" aria-label="Views">
            {VIEWS.map(([k, name]) => <Link key={k} to={withQuery({ view: k === "list" ? null : k })} current={k === view} className="tab">{name}</Link>)}
          </div>
          <div className="filter">
            <input type="search" aria-label="Filter by words" placeholder="words of name, kind, state, owner, who may use it" value={words} onChange={(e) => {
              setWords(e.target.value);
              go(withQuery({ q: e.target.value || null }), true);
            }} />
          </div>
          {view === "list" && <label className="p-all"><input type="checkbox" checked={jobs} onChange={(e) => go(withQuery({ jobs: e.target.checked ? "1" : null }), true)} /> those of jobs</label>}
          <Link to="/ui/timeline">On the timeline</Link>
          <span className="quiet q-count" role="status">{loaded ? `${count(shown.length)} of ${count(all.length)}` : "Loading …"}</span>
        </div>
        {loaded && (view === "week" ? <Week all={shown} wanted={wanted} /> : <List all={shown} sel={sel} />)}
      </div>
      {sel && <ReservationPanel key={sel} name={sel} />}
    </div>
  );
}
