// What happens: the events, the newest first, with filters and a pause; and the health of
// what the scheduler hangs on.
import { useEffect, useRef, useState } from "react";
import { ApiError, ask } from "../api/client";
import { clock, count, duration, instant, plain } from "../model/format";
import { onRound, useAnswer } from "../model/live";
import { usePrefs } from "../model/prefs";
import { go, jobAddress, useSearch, withQuery } from "../model/route";
import type { EventRecord, Manager, SchedulerState } from "../model/types";
import { Link, useNow } from "../parts/frame";

const FIRST = 500;
const KEPT = 5000;
const SHOWN = 300;
const GROUPS: [string, string, (name: string) => boolean][] = [
  ["", "all", () => true],
  ["job", "jobs", (n) => n.startsWith("JOB")],
  ["reservation", "reservations", (n) => n.startsWith("RESERVATION") || n.startsWith("TRIGGER")],
  ["node", "nodes and managers", (n) => /^(NODE|RM|AM|STATE)/.test(n)],
  ["trouble", "trouble", (n) => /(FAILURE|VIOLATION|CORRUPTION|NODEDOWN|REFUSED|DEFER)/.test(n)],
  ["people", "sessions and changes", (n) => /^(WEB|CONFIGURATION|SCHEDULER)/.test(n)],
];

/** New ones are asked for by number: what is known is never sent again. */
function useEvents(paused: boolean): { all: EventRecord[]; error: string; loaded: boolean } {
  const [all, setAll] = useState<EventRecord[]>([]);
  const [error, setError] = useState("");
  const [loaded, setLoaded] = useState(false);
  const next = useRef<number | null>(null);
  const anew = useRef(false); // their numbers begin anew
  useEffect(() => {
    let over = false;
    let busy = false;
    async function look() {
      if (busy || paused) return;
      busy = true;
      try {
        const from = next.current === null ? `last=${FIRST}` : `from=${next.current}`;
        const text = await ask("GET", `/v1/events?follow=0&${from}`);
        const lines = text.split("\n").filter(Boolean).map((l) => JSON.parse(l) as EventRecord);
        const fresh = lines.filter((e) => e.number !== undefined);
        if (over) return;
        if (fresh.length) next.current = (fresh[fresh.length - 1].number as number) + 1;
        if (anew.current) setAll(fresh);
        else if (fresh.length) setAll((old) => [...old, ...fresh.filter((e) => !old.length || (e.number as number) > (old[old.length - 1].number as number))].slice(-KEPT));
        anew.current = false;
        setLoaded(true);
        setError("");
      } catch (e) {
        if (e instanceof ApiError && e.status === 400 && next.current !== null) {
          next.current = null; // there are not so many: the scheduler is another
          anew.current = true;
        }
        if (!over) setError((e as Error).message);
      } finally {
        busy = false;
      }
    }
    void look();
    const leave = onRound(() => void look());
    return () => {
      over = true;
      leave();
    };
  }, [paused]);
  return { all, error, loaded };
}

function About({ e }: { e: EventRecord }) {
  const name = e.object ?? "";
  if (e.type === "job") return <Link to={jobAddress(name)}>{plain(name)}</Link>;
  if (e.type === "reservation") return <Link to={`/ui/timeline?sel=${encodeURIComponent(name)}&kind=reservation`}>{plain(name)}</Link>;
  return <>{plain(name)}</>;
}

function Managers() {
  const answer = useAnswer("/v1/managers");
  const scheduler = useAnswer("/v1/scheduler");
  const now = useNow();
  const { zone } = usePrefs();
  const all = answer.text ? (JSON.parse(answer.text) as Manager[]) : [];
  const s = scheduler.text ? (JSON.parse(scheduler.text) as SchedulerState) : null;
  return (
    <section className="card" aria-label="Health">
      <h2>Health</h2>
      {s && <p className="line">Scheduler: <strong>{s.state}</strong>{s.version ? `, ${plain(s.version)}` : ""}{s.started_at ? `, since ${instant(s.started_at, now, zone)} (${duration(now - s.started_at)})` : ""}{s.last_cycle_s !== undefined ? `; ${count(s.iteration ?? 0)} cycles, the last in ${(1000 * s.last_cycle_s).toFixed(1)} ms` : ""}</p>}
      <table className="list">
        <thead><tr><th>Resource manager</th><th>Type</th><th>State</th><th className="number">Calls</th><th className="number">on average</th><th className="number">longest</th><th>What is odd</th></tr></thead>
        <tbody>
          {all.map((m) => (
            <tr key={m.name}>
              <td>{plain(m.name ?? "")}</td><td>{plain(m.type ?? "")}</td><td>{plain(m.state ?? "")}</td>
              <td className="number">{m.calls !== undefined ? count(m.calls) : ""}</td>
              <td className="number">{m.average_s !== undefined ? `${(1000 * m.average_s).toFixed(1)} ms` : ""}</td>
              <td className="number">{m.max_s !== undefined ? `${(1000 * m.max_s).toFixed(1)} ms` : ""}</td>
              <td>{plain([...(m.warnings ?? []), ...(m.failures ?? []).slice(-1)].map(String).join("; "))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Events() {
  const query = new URLSearchParams(useSearch());
  const group = GROUPS.find(([k]) => k === (query.get("of") ?? "")) ?? GROUPS[0];
  const [words, setWords] = useState(query.get("q") ?? "");
  const [paused, setPaused] = useState(false);
  const { all, error, loaded } = useEvents(paused);
  const now = useNow();
  const { zone } = usePrefs();
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter((e) => group[2](e.event ?? "") && wanted.every((w) => `${e.number} ${e.event} ${e.object} ${e.text}`.toLowerCase().includes(w))).reverse();
  return (
    <>
      <div className="q-bar">
        <h1>Events</h1>
        <div className="filter">
          <input type="search" aria-label="Filter by words" placeholder="words of event, object, text or number" value={words} onChange={(e) => {
            setWords(e.target.value);
            go(withQuery({ q: e.target.value || null }), true);
          }} />
        </div>
        <label className="g-tool">Of
          <select value={group[0]} onChange={(e) => go(withQuery({ of: e.target.value || null }), true)}>
            {GROUPS.map(([k, name]) => <option key={k} value={k}>{name}</option>)}
          </select>
        </label>
        <button aria-pressed={paused} onClick={() => setPaused(!paused)}>{paused ? "Go on" : "Pause"}</button>
        <span className="quiet q-count" role="status">{loaded ? `${count(shown.length)} of ${count(all.length)}` : "Loading …"}</span>
      </div>
      {error && <p role="alert">{plain(error)}</p>}
      <div className="stack-cards">
        <section className="card" aria-label="What happened">
          {loaded && !shown.length ? <p className="quiet empty">{all.length ? "No event matches." : "Nothing has happened yet."}</p> : (
            <table className="list e-list">
              <thead><tr><th className="number">Number</th><th className="number">When</th><th>Event</th><th>Object</th><th>What</th></tr></thead>
              <tbody>
                {shown.slice(0, SHOWN).map((e) => (
                  <tr key={e.number} className={GROUPS[4][2](e.event ?? "") ? "e-trouble" : undefined}>
                    <td className="number quiet">{e.number}</td>
                    <td className="number" title={clock(e.at ?? 0, zone)}>{instant(e.at, now, zone)}</td>
                    <td>{plain(e.event ?? "")}</td>
                    <td><About e={e} /></td>
                    <td>{plain(e.text ?? "")}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {shown.length > SHOWN && <p className="quiet">and {count(shown.length - SHOWN)} older ones: words narrow it down. All: <code>maui events</code></p>}
        </section>
        <Managers />
      </div>
    </>
  );
}
