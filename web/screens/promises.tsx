// What jobs were promised and what came of it: kept or not, by how much, and what broke it.
import { useMemo } from "react";
import { readLines } from "../api/client";
import { count, duration, instant, plain } from "../model/format";
import { useAnswer, useLive } from "../model/live";
import { usePrefs } from "../model/prefs";
import { go, jobAddress, useSearch, withQuery } from "../model/route";
import type { PromiseRecord } from "../model/types";
import { Link, useNow } from "../parts/frame";

const SHOWN = 300;
const DAY_S = 86400;
const RANGES: [string, string, number][] = [["week", "the last week", 7 * DAY_S], ["day", "the last day", DAY_S], ["hour", "the last hour", 3600], ["all", "all that is kept", 0]];
const OUTCOMES: [string, string, string][] = [
  ["earlier", "earlier than promised", "running"], ["kept", "just then", "promised"], ["later", "later than promised", "blocked"],
  ["waiting", "waits for it", "waiting"], ["gone", "left before", "idle"],
];
const WORD = Object.fromEntries(OUTCOMES.map(([k, word]) => [k, word]));
const SIZES: [string, number][] = [["1", 1], ["2 to 16", 16], ["17 to 128", 128], ["129 to 1,024", 1024], ["more", Infinity]];

const began = (p: PromiseRecord) => p.outcome === "earlier" || p.outcome === "kept" || p.outcome === "later";
const shift = (s: number | undefined) => (s === undefined ? "" : s === 0 ? "0" : `${s > 0 ? "+" : ""}${duration(s)}`);

function TotalsOf({ all }: { all: PromiseRecord[] }) {
  const parts = OUTCOMES.map(([k, word, fill]) => ({ k, word, fill, n: all.filter((p) => p.outcome === k).length })).filter((p) => p.n);
  const begun = all.filter(began);
  const good = begun.filter((p) => p.outcome !== "later").length;
  return (
    <>
      <div className="figure">
        <span className="big">{begun.length ? `${Math.floor((100 * good) / begun.length)} %` : "–"}</span>
        <span className="quiet">{begun.length ? `of ${count(begun.length)} ${begun.length === 1 ? "job that" : "jobs that"} started did so by then` : "none has started yet"}</span>
      </div>
      <div className="shares-bar" role="img" aria-label={parts.map((p) => `${count(p.n)} ${p.word}`).join(", ")}>
        {parts.map((p) => <span key={p.k} className={`fill-${p.fill}`} style={{ flex: p.n }} />)}
      </div>
      <ul className="legend">
        {parts.map((p) => <li key={p.k}><span className={`dot fill-${p.fill}`} aria-hidden="true" /><strong>{count(p.n)}</strong> {p.word}</li>)}
      </ul>
    </>
  );
}

const fromOf = (now: number, seconds: number) => (seconds ? `?from=${Math.floor(now / 3600) * 3600 - seconds}` : "");

function usePromises(seconds: number) {
  const answer = useAnswer(`/v1/promises${fromOf(useNow(), seconds)}`, true);
  return { all: useMemo(() => (answer.text !== undefined ? readLines<PromiseRecord>(answer.text) : null), [answer.text]), error: answer.error };
}

/** What came of them, for the first screen. */
export function WeekOfPromises() {
  const { all, error } = usePromises(RANGES[0][2]);
  if (!all) return <p className="quiet empty">{error ? plain(error.message) : "Loading …"}</p>;
  if (!all.length) return <p className="quiet empty">No job was promised a start.</p>;
  return <TotalsOf all={all} />;
}

/** Of those that started: how many by then, and how late the others. */
function Groups({ title, all, of }: { title: string; all: PromiseRecord[]; of: (p: PromiseRecord) => string }) {
  const groups = new Map<string, PromiseRecord[]>();
  for (const p of all.filter(began)) groups.set(of(p), [...(groups.get(of(p)) ?? []), p]);
  const rows = [...groups].map(([name, list]) => {
    const late = list.filter((p) => p.outcome === "later").map((p) => p.late_s ?? 0).sort((a, b) => a - b);
    return { name, n: list.length, late: late.length, middle: late[Math.floor(late.length / 2)], most: late[late.length - 1] };
  }).sort((a, b) => SIZES.findIndex(([s]) => s === a.name) - SIZES.findIndex(([s]) => s === b.name) || a.name.localeCompare(b.name));
  const late = rows.some((r) => r.late);
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {!rows.length ? <p className="quiet empty">None has started yet.</p> : (
        <table className="list">
          <thead><tr><th>{title === "By class" ? "Class" : "Processors"}</th><th className="number">Jobs</th><th className="number">By then</th><th className="number">Later</th>{late && <><th className="number">Half by</th><th className="number">Most by</th></>}</tr></thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.name}>
                <td>{plain(r.name)}</td><td className="number">{count(r.n)}</td><td className="number">{Math.floor((100 * (r.n - r.late)) / r.n)} %</td>
                <td className="number">{count(r.late)}</td>{late && <><td className="number">{r.late ? duration(r.middle) : ""}</td><td className="number">{r.late ? duration(r.most) : ""}</td></>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Cause({ p }: { p: PromiseRecord }) {
  if (p.late_s !== undefined && p.late_s <= 0) return null;
  if (!p.cause) return <span className="quiet">{p.outcome === "later" ? "not known" : ""}</span>;
  return <>{plain((p.cause !== "start" && p.broken_what) || p.cause_text || p.cause)}{p.broken_by ? <> by <Link to={`/ui/credentials/user/${encodeURIComponent(p.broken_by)}`}>{plain(p.broken_by)}</Link></> : null}</>;
}

function Row({ p, now }: { p: PromiseRecord; now: number }) {
  const { zone } = usePrefs();
  const waits = p.outcome === "waiting";
  return (
    <tr className={p.outcome === "later" || (waits && (p.late_s ?? 0) > 0) ? "e-trouble" : undefined}>
      <td><Link to={waits ? jobAddress(p.id) : `/ui/jobs/${encodeURIComponent(p.id)}`}>{plain(p.id)}</Link></td>
      <td>{plain(p.user ?? "")}</td>
      <td>{WORD[p.outcome]}</td>
      <td className="number">{count(p.procs ?? 0)}</td>
      <td className="number">{instant(p.made_at, now, zone)}</td>
      <td className="number">{instant(p.first_at, now, zone)}</td>
      <td className="number">{p.moves ? <span title={`put off ${count(p.moves)} ${p.moves === 1 ? "time" : "times"}`}>{instant(p.last_at, now, zone)}</span> : <span className="quiet">{instant(p.last_at, now, zone)}</span>}</td>
      <td className="number">{instant(p.start_at, now, zone)}</td>
      <td className="number">{shift(p.late_s)}</td>
      <td><Cause p={p} /></td>
    </tr>
  );
}

export function Promises() {
  const query = new URLSearchParams(useSearch());
  const range = RANGES.find(([k]) => k === query.get("range")) ?? RANGES[0];
  const only = query.get("of") ?? "";
  const now = useNow();
  const admin = useLive((s) => (s.who?.level ?? 0) > 0);
  const { all, error } = usePromises(range[2]);
  const shown = (all ?? []).filter((p) => !only || (only === "broken" ? p.outcome === "later" || (p.outcome === "waiting" && (p.late_s ?? 0) > 0) : p.outcome === only));
  return (
    <>
      <div className="q-bar">
        <h1>Promises</h1>
        <label className="g-tool">Of
          <select value={range[0]} onChange={(e) => go(withQuery({ range: e.target.value === "week" ? null : e.target.value }), true)}>
            {RANGES.map(([k, name]) => <option key={k} value={k}>{name}</option>)}
          </select>
        </label>
        <label className="g-tool">Show
          <select value={only} onChange={(e) => go(withQuery({ of: e.target.value || null }), true)}>
            <option value="">all</option>
            <option value="broken">broken ones</option>
            {OUTCOMES.map(([k, word]) => <option key={k} value={k}>{word}</option>)}
          </select>
        </label>
        <span className="quiet q-count" role="status">{all ? `${count(shown.length)} of ${count(all.length)}` : error ? "" : "Loading …"}</span>
      </div>
      {error && <p role="alert">{plain(error.message)}</p>}
      {all && !all.length && <p className="quiet">{admin ? "No job was promised a start: that comes with a reservation for jobs that wait (RESERVATIONPOLICY, RESERVATIONDEPTH) or with BACKFILLPOLICY PLAN." : "None of your jobs was promised a start."}</p>}
      {all && all.length > 0 && (
        <div className="cards cards-3">
          <section className="card" aria-label="In all"><h2>In all</h2><TotalsOf all={all} /></section>
          <Groups title="By class" all={all} of={(p) => p.class ?? "none"} />
          <Groups title="By size" all={all} of={(p) => (SIZES.find(([, most]) => (p.procs ?? 0) <= most) ?? SIZES[4])[0]} />
          <section className="card card-wide" aria-label="Each of them">
            <h2>Each of them</h2>
            {!shown.length ? <p className="quiet empty">There is none.</p> : (
              <table className="list pr-list">
                <thead><tr><th>Job</th><th>User</th><th>What came of it</th><th className="number">Processors</th><th className="number">Promised at</th><th className="number">First promise</th><th className="number">Last promise</th><th className="number">Started</th><th className="number">Later by</th><th>What put it off</th></tr></thead>
                <tbody>{shown.slice(0, SHOWN).map((p, i) => <Row key={`${p.id} ${p.made_at} ${i}`} p={p} now={now} />)}</tbody>
              </table>
            )}
            {shown.length > SHOWN && <p className="quiet">and {count(shown.length - SHOWN)} older ones</p>}
          </section>
        </div>
      )}
    </>
  );
}
