// What happens: the events, the newest first, with filters and a pause; and the health of
// what the scheduler hangs on.
import { useEffect, useRef, useState } from "react";
import { ApiError, ask } from "../api/client";
import { clock, count, duration, instant, plain } from "../model/format";
import { LEVELS, askNow, onRound, useAnswer, useLive } from "../model/live";
import { notice } from "../model/notices";
import { usePrefs, type Zone } from "../model/prefs";
import { go, jobAddress, useSearch, withQuery } from "../model/route";
import type { EventRecord, Manager, SchedulerState, Session } from "../model/types";
import { Link, useNow } from "../parts/frame";

const FIRST = 500;
const KEPT = 5000;
const SHOWN = 300;
const GROUPS: [string, string, (name: string, e?: EventRecord) => boolean][] = [
  ["", "all", () => true],
  ["job", "jobs", (n) => n.startsWith("JOB")],
  ["reservation", "reservations", (n) => n.startsWith("RESERVATION") || n.startsWith("TRIGGER")],
  ["node", "nodes and managers", (n) => /^(NODE|RM|AM|STATE)/.test(n)],
  ["trouble", "trouble", (n) => /(FAILURE|VIOLATION|CORRUPTION|NODEDOWN|REFUSED|DEFER)/.test(n)],
  ["people", "what people did", (n, e) => Boolean(e?.by) || /^(WEB|CONFIGURATION|SCHEDULER)/.test(n)],
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

/** What happened; instants that the log has as numbers are in the zone that is shown. */
export function saidOf(e: Partial<EventRecord>, now: number, zone: Zone): string {
  const at = (t: number | null | undefined) => instant(t, now, zone);
  if (e.event === "RESERVATIONCREATED" || e.event === "RESERVATIONDESTROYED")
    return `${e.event === "RESERVATIONCREATED" ? "reserved" : "no longer reserved"}: ${count(e.nodes ?? 0)} ${e.nodes === 1 ? "node" : "nodes"}, from ${at(e.start_at)}${e.end_at ? ` until ${at(e.end_at)}` : ", without end"}`;
  if (e.was_promised_by) return `${e.text}; promised by ${at(e.was_promised_by)}${e.promised_by ? `, now by ${at(e.promised_by)}` : ""}`;
  return e.text ?? "";
}

function About({ e }: { e: EventRecord }) {
  const name = e.object ?? "";
  if (e.type === "job") return <><Link to={jobAddress(name)}>{plain(name)}</Link>{e.user && <span className="tag">{plain(e.user)}</span>}</>;
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

/** Who has the page open; administrators of level 1 may end any of them, others their own. */
function Sessions() {
  const answer = useAnswer("/v1/sessions", true);
  const now = useNow();
  const own = useLive((s) => s.who?.session);
  const may = useLive((s) => !s.who?.read_only && !s.lookOnly);
  const { zone } = usePrefs();
  const all = answer.text ? ((JSON.parse(answer.text) as { sessions?: Session[] }).sessions ?? []) : [];
  const end = async (id: string) => {
    try {
      await ask("DELETE", `/v1/sessions/${encodeURIComponent(id)}`);
      notice({ kind: "done", text: `Session ${id} is ended.` });
    } catch (e) {
      notice({ kind: "wrong", text: `Session ${id}: ${(e as Error).message}` });
    }
    askNow();
  };
  return (
    <section className="card" aria-label="Sessions">
      <h2>Sessions of the page</h2>
      <table className="list">
        <thead><tr><th>Session</th><th>User</th><th>Level</th><th>From</th><th className="number">Opened</th><th className="number">Last request</th><th className="number">Ends</th><th><span className="sr">End it</span></th></tr></thead>
        <tbody>
          {all.map((s) => (
            <tr key={s.id}>
              <td>{s.id}{s.id === own && <span className="tag">this one</span>}</td>
              <td>{plain(s.user)}</td>
              <td>{LEVELS[s.level] ?? s.level}{s.read_only ? ", looks only" : ""}</td>
              <td>{plain(s.peer ?? "")}</td>
              <td className="number">{instant(s.made_at, now, zone)}</td><td className="number">{instant(s.used_at, now, zone)}</td><td className="number">{instant(s.expires_at, now, zone)}</td>
              <td>{may && s.id !== own && <button aria-label={`End session ${s.id}`} onClick={() => void end(s.id)}>End</button>}</td>
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
  const shown = all.filter((e) => group[2](e.event ?? "", e) && wanted.every((w) => `${e.number} ${e.event} ${e.object} ${e.user ?? ""} ${saidOf(e, now, zone)} ${e.by ?? ""}`.toLowerCase().includes(w))).reverse();
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
              <thead><tr><th className="number">Number</th><th className="number">When</th><th>Event</th><th>Object</th><th>What</th><th>By</th></tr></thead>
              <tbody>
                {shown.slice(0, SHOWN).map((e) => (
                  <tr key={e.number} className={GROUPS[4][2](e.event ?? "") ? "e-trouble" : undefined}>
                    <td className="number quiet">{e.number}</td>
                    <td className="number" title={clock(e.at ?? 0, zone)}>{instant(e.at, now, zone)}</td>
                    <td>{plain(e.event ?? "")}</td>
                    <td><About e={e} /></td>
                    <td>{plain(saidOf(e, now, zone))}</td>
                    <td>{e.by && <span title={e.session ? `on the page, session ${e.session}` : "by a command"}>{plain(e.by)}{e.via === "page" && <span className="tag">page</span>}</span>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {shown.length > SHOWN && <p className="quiet">and {count(shown.length - SHOWN)} older ones: words narrow it down. All: <code>LOGDIR/events.log</code></p>}
        </section>
        <Sessions />
        <Managers />
      </div>
    </>
  );
}
