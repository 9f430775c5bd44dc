// What was done: over time, by whom, and by size and length of jobs.
import { useMemo } from "react";
import { readLines } from "../api/client";
import { count, duration, hours, instant, plain } from "../model/format";
import { KINDS, pluralOf } from "../model/limits";
import { useAnswer, useLive } from "../model/live";
import { usePrefs } from "../model/prefs";
import { go, useSearch, withQuery } from "../model/route";
import type { Grid, Statistics as Sums, SystemStatistics } from "../model/types";
import { Link, useNow } from "../parts/frame";
import { Curves, RANGES, useSeries } from "./series";
import { Distribution, UseOfCredential } from "./usetime";

const SHOWN = 100;
const GRIDS: [string, string][] = [
  ["JOBCOUNT", "jobs"], ["AVGQTIME", "average wait, hours"], ["AVGXFACTOR", "average expansion factor"], ["MAXXFACTOR", "largest expansion factor"],
  ["PHRUN", "processor hours run, percent of all"], ["PHREQUEST", "processor hours asked for, percent of all"], ["WCACCURACY", "accuracy of limits, percent"],
  ["JOBEFFICIENCY", "efficiency, percent"], ["BFCOUNT", "backfilled jobs, percent"], ["BFPHRUN", "backfilled processor hours, percent"],
  ["AVGBYPASS", "average bypass"], ["MAXBYPASS", "largest bypass"], ["QOSDELIVERED", "QOS delivered, percent"],
];

type Cell = Partial<Sums>;
const percent = (part: number, whole: number) => (whole > 0 ? (100 * part) / whole : null);
/** As showgrid works them out; null: nothing ended there. */
const VALUE: Record<string, (c: Cell, all: Cell) => number | null> = {
  JOBCOUNT: (c) => c.jobs ?? null, AVGQTIME: (c) => (c.jobs ? (c.queue_s ?? 0) / c.jobs / 3600 : null), AVGXFACTOR: (c) => c.xfactor ?? null,
  MAXXFACTOR: (c) => c.max_xfactor ?? null, PHRUN: (c, all) => percent(c.ps_run ?? 0, all.ps_run ?? 0), PHREQUEST: (c, all) => percent(c.ps_requested ?? 0, all.ps_requested ?? 0),
  WCACCURACY: (c) => percent(c.ps_run ?? 0, c.ps_requested ?? 0), JOBEFFICIENCY: (c) => percent(c.ps_utilized ?? 0, c.ps_measured ?? 0), BFCOUNT: (c) => percent(c.backfilled ?? 0, c.jobs ?? 0),
  BFPHRUN: (c) => percent(c.backfilled_ps ?? 0, c.ps_run ?? 0), AVGBYPASS: (c) => (c.jobs ? (c.bypass ?? 0) / c.jobs : null),
  MAXBYPASS: (c) => c.max_bypass ?? null, QOSDELIVERED: (c) => percent(c.qos_met ?? 0, c.jobs ?? 0),
};

function Machine() {
  const answer = useAnswer("/v1/statistics");
  const now = useNow();
  const { zone } = usePrefs();
  const s = useMemo(() => (answer.text ? (JSON.parse(answer.text) as SystemStatistics) : null), [answer.text]);
  if (!s) return <p className="quiet">{answer.error ? plain(answer.error.message) : "Loading …"}</p>;
  const t = (s.total ?? {}) as Sums;
  const facts: [string, string][] = [
    ["Counted since", instant(s.since, now, zone)], ["Jobs that ended", count(s.completed_jobs ?? 0)], ["of those well", count(s.successful_jobs ?? 0)],
    ["Use", s.ps_available ? `${((100 * (t.ps_dedicated ?? 0)) / s.ps_available).toFixed(1)} %` : "–"],
    ["Least use after a cycle", s.least_use !== undefined ? `${s.least_use.toFixed(1)} %` : "–"],
    ["Average expansion factor", t.xfactor !== undefined ? t.xfactor.toFixed(2) : "–"], ["Average wait", t.jobs ? duration((t.queue_s ?? 0) / t.jobs) : "–"],
    ["Longest wait", t.max_queue_s !== undefined ? duration(t.max_queue_s) : "–"], ["Accuracy of limits", t.accuracy !== undefined ? `${t.accuracy.toFixed(1)} %` : "–"],
    ["Efficiency", t.efficiency !== undefined ? `${t.efficiency.toFixed(1)} %` : "–"], ["Backfilled", t.jobs ? `${((100 * (t.backfilled ?? 0)) / t.jobs).toFixed(1)} % of jobs` : "–"],
    ["Preempted", count(s.preempted_jobs ?? 0)],
  ];
  return <dl className="facts s-facts">{facts.map(([k, v]) => <div key={k} className="keys-row"><dt>{k}</dt><dd>{v}</dd></div>)}</dl>;
}

const COLUMNS: [string, (s: Sums) => string][] = [
  ["Running", (s) => count(s.active_jobs ?? 0)], ["Procs", (s) => count(s.active_procs ?? 0)], ["Ended", (s) => count(s.jobs ?? 0)],
  ["PH used", (s) => hours(s.ps_dedicated ?? 0)], ["Target", (s) => (s.fs_target !== undefined ? `${s.fs_target.toFixed(1)} %` : "")],
  ["XFactor", (s) => (s.xfactor !== undefined ? s.xfactor.toFixed(2) : "")], ["Wait", (s) => (s.jobs ? duration((s.queue_s ?? 0) / s.jobs) : "")],
  ["Longest", (s) => (s.max_queue_s ? duration(s.max_queue_s) : "")], ["Accuracy", (s) => (s.accuracy !== undefined ? `${s.accuracy.toFixed(0)} %` : "")],
  ["Efficiency", (s) => (s.efficiency !== undefined ? `${s.efficiency.toFixed(0)} %` : "")],
];

/** The rows as a spreadsheet reads them. */
function csvOf(rows: Sums[]): string {
  const cell = (text: string) => (/[",\n]/.test(text) || /^[=+@-]/.test(text) ? `"${/^[=+@-]/.test(text) ? "'" : ""}${text.replace(/"/g, '""')}"` : text);
  return [["name", ...COLUMNS.map(([n]) => n)], ...rows.map((r) => [r.name ?? "", ...COLUMNS.map(([, f]) => f(r).replace(/ %$/, ""))])]
    .map((line) => line.map(cell).join(",")).join("\r\n");
}

function ByCredential({ kind }: { kind: string }) {
  const answer = useAnswer(`/v1/statistics/${kind}`);
  const rows = useMemo(() => (answer.text ? readLines<Sums>(answer.text) : null), [answer.text]);
  if (!rows) return <p className="quiet">{answer.error ? plain(answer.error.message) : "Loading …"}</p>;
  const sorted = [...rows].sort((a, b) => (b.ps_dedicated ?? 0) - (a.ps_dedicated ?? 0) || ((a.name ?? "") < (b.name ?? "") ? -1 : 1));
  if (!sorted.length) return <p className="quiet empty">None has had a job yet.</p>;
  return (
    <>
      <table className="list">
        <thead><tr><th>Name</th>{COLUMNS.map(([n]) => <th key={n} className="number">{n}</th>)}</tr></thead>
        <tbody>
          {sorted.slice(0, SHOWN).map((s) => (
            <tr key={s.name}>
              <td><Link to={`/ui/credentials/${kind}/${encodeURIComponent(s.name ?? "")}`}>{plain(s.name ?? "")}</Link></td>
              {COLUMNS.map(([n, f]) => <td key={n} className="number">{f(s)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet">
        {sorted.length > SHOWN ? `and ${count(sorted.length - SHOWN)} more. ` : ""}
        <a download={`${kind}.csv`} href={`data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(sorted))}`}>All as CSV</a>
      </p>
    </>
  );
}

const sizeWord = (n: number | undefined) => (n === undefined || n > 1e9 ? "more" : count(n));
const timeWord = (n: number | undefined) => (n === undefined || n > 1e9 ? "longer" : duration(n));
const cellText = (v: number) => (Number.isInteger(v) || v >= 100 ? count(Math.round(v)) : v.toFixed(v >= 10 ? 1 : 2));

function Heat({ type }: { type: string }) {
  const answer = useAnswer(`/v1/statistics/grid/${type}`);
  const grid = useMemo(() => (answer.text ? (JSON.parse(answer.text) as Grid) : null), [answer.text]);
  if (!grid) return <p className="quiet">{answer.error ? plain(answer.error.message) : "Loading …"}</p>;
  const cells = (grid.cells ?? []) as Cell[][];
  const values = cells.map((row) => row.map((c) => (c.jobs ? VALUE[type](c, (grid.total ?? {}) as Cell) : null)));
  const most = Math.max(0, ...values.flat().map((v) => v ?? 0));
  if (!values.flat().some((v) => v !== null)) return <p className="quiet empty">No job has ended yet.</p>;
  return (
    <table className="list heat">
      <thead><tr><th>Procs up to</th>{(grid.times_s ?? []).map((t, i) => <th key={i} className="number">{timeWord(t)}</th>)}</tr></thead>
      <tbody>
        {values.map((row, i) => (
          <tr key={i}>
            <th scope="row" className="number">{sizeWord(grid.procs?.[i])}</th>
            {row.map((v, k) => (
              <td key={k} className="number heat-cell" style={{ "--heat": v === null || !most ? "0%" : `${Math.round(8 + (52 * v) / most)}%` }}>{v === null ? "" : cellText(v)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Choice(props: { label: string; name: string; value: string; first: string; of: [string, string][] }) {
  return (
    <label className="g-tool"><span className="sr">{props.label}</span>
      <select value={props.value} onChange={(e) => go(withQuery({ [props.name]: e.target.value === props.first ? null : e.target.value }), true)}>
        {props.of.map(([k, word]) => <option key={k} value={k}>{word}</option>)}
      </select>
    </label>
  );
}

export function Statistics() {
  const query = new URLSearchParams(useSearch());
  const range = RANGES.find(([k]) => k === query.get("over")) ?? RANGES[0];
  const kind = KINDS.includes(query.get("kind") ?? "") ? (query.get("kind") as string) : "user";
  const type = GRIDS.some(([k]) => k === query.get("grid")) ? (query.get("grid") as string) : "JOBCOUNT";
  const series = useSeries(range[2]);
  const who = useLive((s) => s.who);
  const own = !who?.level; // users are told of the machine over time, and of themselves
  return (
    <>
      <div className="q-bar"><h1>Statistics</h1></div>
      <div className="stack-cards">
        <section className="card" aria-label="Over time">
          <h2>Over time <Choice label="Over" name="over" value={range[0]} first="day" of={RANGES.map(([k, word]) => [k, word])} /></h2>
          {series ? <Curves s={series} /> : <p className="quiet">Loading …</p>}
        </section>
        <section className="card" aria-label="Waits and expansion factors">
          <h2>Waits and expansion factors <span className="quiet">of {own ? "your jobs" : "jobs"} that ended within {range[1]}</span></h2>
          {who && <Distribution seconds={range[2]} kind={own ? "user" : undefined} name={own ? who.user : undefined} />}
        </section>
        {own && who && <section className="card" aria-label="Your use"><h2>Your use</h2><UseOfCredential kind="user" name={who.user} /></section>}
        {own && <p className="quiet line">What the machine did in all, by credential and by size, is shown to administrators, operators and the help desk.</p>}
        {!own && <OfAll kind={kind} type={type} />}
      </div>
    </>
  );
}

function OfAll({ kind, type }: { kind: string; type: string }) {
  return (
    <>
      <section className="card" aria-label="The machine"><h2>The machine</h2><Machine /></section>
      <section className="card" aria-label="By credential">
        <h2>By credential <Choice label="By" name="kind" value={kind} first="user" of={KINDS.map((k) => [k, pluralOf(k)])} /></h2>
        <ByCredential kind={kind} />
      </section>
      <section className="card" aria-label="By size and length">
        <h2>By size and length <Choice label="What" name="grid" value={type} first="JOBCOUNT" of={GRIDS} /></h2>
        <Heat type={type} />
      </section>
    </>
  );
}
