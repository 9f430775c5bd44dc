// Nodes: all of them as a map, or as a table, and one beside it.
import { useEffect, useMemo, useRef, useState } from "react";
import { count, duration, instant, plain } from "../model/format";
import { useAnswer } from "../model/live";
import { KEYS, isDown, useNodes, type NodeRow } from "../model/nodes";
import { quote } from "../model/orders";
import { usePrefs } from "../model/prefs";
import { go, jobAddress, useSearch, withQuery } from "../model/route";
import type { NodeRecord } from "../model/types";
import { Command } from "../parts/copy";
import { Link, useNow } from "../parts/frame";
import { LongTable } from "../parts/insight";
import { NodeMap } from "./nodemap";

const SORTS: Record<string, (a: NodeRow, b: NodeRow) => number> = {
  name: () => 0, state: (a, b) => (a.state < b.state ? -1 : a.state > b.state ? 1 : 0), used: (a, b) => b.used - a.used, free: (a, b) => b.procs - b.used - (a.procs - a.used),
  load: (a, b) => b.load - a.load, jobs: (a, b) => b.jobs - a.jobs, reservations: (a, b) => b.reservations - a.reservations,
};

/** Words are parts of name, state or partition; "differs": its state is not what is expected. */
function matches(n: NodeRow, words: string[]): boolean {
  const text = `${n.name} ${n.state} ${n.partition}`.toLowerCase();
  return words.every((w) => (w === "differs" ? n.state !== n.expected : text.includes(w)));
}

function NodePanel({ name }: { name: string }) {
  const answer = useAnswer(`/v1/nodes/${encodeURIComponent(name)}`);
  const n = useMemo(() => (answer.text ? (JSON.parse(answer.text) as NodeRecord) : undefined), [answer.text]);
  const now = useNow();
  const { zone } = usePrefs();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [name]);
  const close = () => go(withQuery({ sel: null }), true);
  const share = (a: number | undefined, b: number | undefined) => (b ? `${duration(a ?? 0)} (${((100 * (a ?? 0)) / b).toFixed(1)} %)` : "–");
  const keys = [...new Set([...Object.keys(n?.configured ?? {}), ...Object.keys(n?.dedicated ?? {})])].filter((k) => typeof (n?.configured as Record<string, unknown>)?.[k] === "number");
  const amount = (o: unknown, k: string) => { const v = (o as Record<string, number> | undefined)?.[k]; return v === undefined ? "" : v < 0 ? "any" : count(v); };
  return (
    <aside className="panel" aria-label={`Node ${name}`} onKeyDown={(e) => { if (e.key === "Escape") close(); }}>
      <button className="panel-close" onClick={close} aria-label="Close the panel">✕</button>
      <h2 ref={title} tabIndex={-1}>Node {plain(name)} {n && <span className="tag">{n.state}{n.expected_state && n.expected_state !== n.state ? `, expected ${n.expected_state}` : ""}</span>}</h2>
      <p className="sr" role="status">{n && `Node ${plain(name)}, ${n.state ?? ""}`}</p>
      {answer.error && <p>{answer.error.status === 404 ? "There is no such node any more." : plain(answer.error.message)}</p>}
      {!answer.error && !n && <p className="quiet">Loading …</p>}
      {n && (
        <>
          {(n.warnings ?? []).map((w) => <p key={w} className="banner banner-warn banner-in">{plain(w)}</p>)}
          {(n.messages ?? []).map((w) => <p key={w} className="banner banner-info banner-in">{plain(w)}</p>)}
          <table className="list">
            <thead><tr><th>What</th><th className="number">Configured</th><th className="number">Given to jobs</th><th className="number">Really used</th></tr></thead>
            <tbody>{keys.map((k) => <tr key={k}><td>{k.replace("_mb", ", MB")}</td><td className="number">{amount(n.configured, k)}</td><td className="number">{amount(n.dedicated, k)}</td><td className="number">{amount(n.utilized, k)}</td></tr>)}</tbody>
          </table>
          <h3>Facts</h3>
          <dl className="facts">
            <dt>In this state</dt><dd>{n.state_at ? `since ${instant(n.state_at, now, zone)} (${duration(now - n.state_at)})` : "–"}</dd>
            <dt>Partition</dt><dd>{plain(n.partition ?? "")}</dd>
            <dt>Load</dt><dd>{(n.load ?? 0).toFixed(2)}{n.speed && n.speed !== 1 ? `; speed ${n.speed}` : ""}</dd>
            <dt>System</dt><dd>{[n.os, n.arch].filter(Boolean).map((w) => plain(w as string)).join(", ") || "–"}</dd>
            {n.frame !== undefined && n.frame > 0 && <><dt>Place</dt><dd>frame {n.frame}, slot {n.slot}</dd></>}
            <dt>Up</dt><dd>{share(n.up_s, n.total_s)}</dd>
            <dt>With jobs</dt><dd>{share(n.active_s, n.total_s)}</dd>
            <dt>Who could use it</dt><dd>{n.classes?.length ? n.classes.map((c) => plain(c.name)).join(", ") : "every class"}{n.features?.length ? `; features ${n.features.map(plain).join(", ")}` : ""}{n.access ? `; ${n.access}` : ""}</dd>
          </dl>
          <h3>Jobs</h3>
          {n.jobs?.length ? <ul className="places">{n.jobs.slice(0, 64).map((j) => <li key={j.id}><Link to={jobAddress(j.id)}>{plain(j.id)}</Link>{j.tasks > 1 ? ` × ${count(j.tasks)}` : ""}</li>)}</ul> : <p className="quiet empty">No job is on it.</p>}
          <h3>Reservations</h3>
          {n.reservations?.some((r) => r.type !== "Job") ? (
            <table className="list">
              <thead><tr><th>Name</th><th className="number">Begins</th><th className="number">Ends</th><th className="number">Tasks</th></tr></thead>
              <tbody>{n.reservations.filter((r) => r.type !== "Job").map((r) => <tr key={r.name}><td><Link to={`/ui/reservations?sel=${encodeURIComponent(r.name)}`}>{plain(r.name)}</Link></td><td className="number">{instant(r.start_at, now, zone)}</td><td className="number">{r.end_at ? instant(r.end_at, now, zone) : "never"}</td><td className="number">{count(r.tasks ?? 0)}</td></tr>)}</tbody>
            </table>
          ) : <p className="quiet empty">None holds it.</p>}
          <Command line={`maui checknode ${quote(name)}`} />
        </>
      )}
    </aside>
  );
}

function Table({ rows, by, sel }: { rows: NodeRow[]; by: string; sel: string }) {
  const now = useNow();
  const head = (key: string, word: string, number = true) => (
    <th className={number ? "number" : undefined} aria-sort={by === key ? (number ? "descending" : "ascending") : undefined}>
      <button className="q-sort" onClick={() => go(withQuery({ sort: key === "name" ? null : key }), true)}>{word}{by === key && key !== "name" ? (number ? " ↓" : " ↑") : ""}</button>
    </th>
  );
  const sorted = useMemo(() => (by === "name" ? rows : [...rows].sort(SORTS[by] ?? SORTS.name)), [rows, by]);
  return (
    <LongTable
      all={sorted}
      head={<tr>{head("name", "Node", false)}{head("state", "State", false)}<th>Partition</th>{head("used", "Processors used")}{head("free", "free")}{head("load", "Load")}<th className="number">Memory given, MB</th>{head("jobs", "Jobs")}{head("reservations", "Reservations")}<th className="number">In this state</th></tr>}
      row={(n, i) => (
        <tr key={n.name} aria-rowindex={i + 2} className={n.name === sel ? "q-chosen" : undefined}>
          <td><Link to={withQuery({ sel: n.name })}>{plain(n.name)}</Link></td>
          <td className={isDown(n) ? "bad" : undefined}>{n.state}{n.state !== n.expected && <span className="tag">expected {n.expected}</span>}</td><td>{plain(n.partition)}</td>
          <td className="number">{count(n.used)} of {count(n.procs)}</td><td className="number">{count(n.procs - n.used)}</td><td className="number">{n.load.toFixed(2)}</td>
          <td className="number">{count(Math.max(0, n.memUsed))} of {count(Math.max(0, n.mem))}</td><td className="number">{count(n.jobs)}</td><td className="number">{count(n.reservations)}</td>
          <td className="number">{n.since ? duration(Math.max(0, now - n.since)) : "–"}</td>
        </tr>
      )}
    >
      {!rows.length && <p className="quiet q-none">No node is like that.</p>}
    </LongTable>
  );
}

export function Nodes() {
  const query = new URLSearchParams(useSearch());
  const table = query.get("view") === "table";
  const key = KEYS.some(([k]) => k === query.get("color")) ? (query.get("color") as string) : "use";
  const sel = query.get("sel") ?? "";
  const [words, setWords] = useState(query.get("q") ?? "");
  const { rows, error } = useNodes();
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const shown = useMemo(() => (rows ?? []).filter((n) => matches(n, wanted)), [rows, wanted.join(" ")]);
  return (
    <div className={sel ? "split split-open" : "split"}>
      <div className="split-main">
        <div className="q-bar">
          <h1>Nodes</h1>
          <div className="tabs" role="group" aria-label="Views">
            <Link to={withQuery({ view: null })} current={!table} className="tab">Map</Link>
            <Link to={withQuery({ view: "table" })} current={table} className="tab">Table</Link>
          </div>
          <div className="filter">
            <input type="search" aria-label="Filter by words" placeholder="parts of name, state or partition; differs" value={words} onChange={(e) => {
              setWords(e.target.value);
              go(withQuery({ q: e.target.value || null }), true);
            }} />
          </div>
          {!table && (
            <label className="g-tool">Colour by
              <select value={key} onChange={(e) => go(withQuery({ color: e.target.value === "use" ? null : e.target.value }), true)}>
                {KEYS.map(([k, name]) => <option key={k} value={k}>{name}</option>)}
              </select>
            </label>
          )}
          <span className="quiet q-count" role="status">{rows ? `${count(shown.length)} of ${count(rows.length)}` : error ? "" : "Loading …"}</span>
        </div>
        {error && <p role="alert">{plain(error)}</p>}
        {rows && !rows.length && <p className="quiet">No resource manager has told of a node yet.</p>}
        {rows && rows.length > 0 && (table ? <Table rows={shown} by={query.get("sort") ?? "name"} sel={sel} /> : <NodeMap rows={shown} color={key} sel={sel} onOpen={(name) => go(withQuery({ sel: name }))} />)}
      </div>
      {sel && <NodePanel key={sel} name={sel} />}
    </div>
  );
}

