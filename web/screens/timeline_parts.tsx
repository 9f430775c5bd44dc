// Around the picture: what is shown, what colours mean, and the same as a table.
import { useMemo, type ReactNode } from "react";
import type { Heading, Kind, Seen } from "../gantt/data";
import { whenOf } from "../gantt/over";
import { EFFICIENCIES, OF_STATE, RANKS, WAITS } from "../gantt/paint";
import type { Picture } from "../gantt/picture";
import type { RowList } from "../gantt/rows";
import type { Shares } from "../gantt/strip";
import { count, instant, plain } from "../model/format";
import { hueOf } from "../model/hue";
import { usePrefs } from "../model/prefs";
import { go, withQuery } from "../model/route";

export const WORDS: Record<Kind, string> = {
  running: "running", suspended: "suspended", overrun: "beyond its limit", promised: "promised", forecast: "forecast",
  reserved: "reserved", standing: "standing reservation", down: "down", drained: "drained", unknown: "in an unknown state",
  ended: "ended", failed: "failed or removed",
};
const LAYERS: [string, string][] = [["use", "running"], ["promised", "promised"], ["forecast", "forecast"], ["reserved", "reserved"], ["down", "down"], ["ended", "ended"]];
const COLOURS = ["user", "group", "account", "class", "qos", "state", "wait", "priority", "efficiency"];
const SAID: Record<string, string> = {
  wait: "waits from submission to start:", priority: "priority among the jobs in sight; over ones have none:",
  efficiency: "processor time used of what running jobs have:",
};
const NAMES_MAX = 14;

/** What colours mean that are of no name: words, and the colour. */
function meanings(color: string): [string, string][] {
  const css = (c: readonly number[]) => `rgb(${c.join(" ")})`;
  if (color === "efficiency") return EFFICIENCIES.map((e) => [e.words, css(e.colour)]);
  if (color === "priority") return RANKS.map((r) => [r.words, css(r.colour)]);
  if (color === "wait") return WAITS.map((w) => [w.words, css(w.colour)]);
  if (color === "state") return Object.entries(OF_STATE).map(([kind, c]) => [WORDS[kind as Kind], css(c)]);
  return [];
}

interface ToolsProps {
  color: string;
  by: string;
  show: string;
  level: number;
  table: boolean;
  picture: { current: Picture | null | undefined };
  onNow: () => void;
  onFuture: () => void;
  groups: ReactNode;
}

export function Tools({ color, by, show, level, table, picture, onNow, onFuture, groups }: ToolsProps) {
  const shown = show.split(",");
  const bys = level > 0 ? ["partition", "state", "class", "feature", "frame"] : ["partition", "state"];
  return (
    <>
      <label className="g-tool">Colour by
        <select value={color} onChange={(e) => go(withQuery({ color: e.target.value === "user" ? null : e.target.value }), true)}>
          {COLOURS.map((c) => <option key={c} value={c}>{c === "qos" ? "QOS" : c}</option>)}
        </select>
      </label>
      <label className="g-tool">Rows by
        <select value={by} onChange={(e) => go(withQuery({ by: e.target.value === "partition" ? null : e.target.value, rows: null, fold: null }), true)}>
          {bys.map((b) => <option key={b} value={b}>{b}</option>)}
        </select>
      </label>
      {groups}
      <details className="menu">
        <summary>Layers</summary>
        <div className="menu-body">
          {LAYERS.map(([key, name]) => (
            <label key={key} className="menu-check">
              <input
                type="checkbox"
                checked={shown.includes(key)}
                onChange={(e) => {
                  const keys = LAYERS.map(([k]) => k).filter((k) => (k === key ? e.target.checked : shown.includes(k)));
                  go(withQuery({ show: keys.length === LAYERS.length || !keys.length ? null : keys.join() }), true);
                }}
              />
              {name}
            </label>
          ))}
        </div>
      </details>
      <span className="g-buttons" role="group" aria-label="View">
        <button onClick={onNow} title="0">Now</button>
        <button onClick={onFuture} title="f">Future</button>
        <button onClick={() => picture.current?.zoomTime(1 / 1.41)} aria-label="Less time">+</button>
        <button onClick={() => picture.current?.zoomTime(1.41)} aria-label="More time">−</button>
        <button onClick={() => picture.current?.zoomRows(1.41)} aria-label="Higher rows">↕+</button>
        <button onClick={() => picture.current?.zoomRows(1 / 1.41)} aria-label="Lower rows">↕−</button>
        <button aria-pressed={table} onClick={() => go(withQuery({ table: table ? null : "1" }), true)} title="t">Table</button>
      </span>
    </>
  );
}

export function Legend({ heading, color, show }: { heading: Heading | null; color: string; show: string }) {
  const names = heading?.names[color] ?? [];
  const shown = show.split(",");
  const left = heading?.forecast && heading.forecast.of > heading.forecast.jobs ? heading.forecast : null;
  return (
    <ul className="legend g-legend">
      {LAYERS.filter(([key]) => shown.includes(key)).map(([key, name]) => <li key={key}><span className={`g-key g-key-${key}`} aria-hidden="true" />{name}</li>)}
      <li className="g-gap" aria-hidden="true" />
      {SAID[color] && <li className="quiet">{SAID[color]}</li>}
      {meanings(color).map(([words, background]) => <li key={words}><span className="dot" style={{ background }} aria-hidden="true" />{words}</li>)}
      {names.slice(0, NAMES_MAX).map((n) => <li key={n}><span className={`dot ${hueOf(n)}`} aria-hidden="true" />{plain(n)}</li>)}
      {names.length > NAMES_MAX && <li className="quiet">and {count(names.length - NAMES_MAX)} more</li>}
      {left && <li className="quiet">forecast of the first {count(left.jobs)} of {count(left.of)} that wait</li>}
    </ul>
  );
}

/** The strip of all nodes as a table. */
export function Use({ parts, now }: { parts: Shares[]; now: number }) {
  const { zone } = usePrefs();
  const percent = (x: number) => `${Math.round(x * 100)} %`;
  if (!parts.length) return null;
  return (
    <table className="list g-use">
      <caption>All nodes, as shares of their processors</caption>
      <thead><tr><th>At</th>{LAYERS.map(([key, name]) => <th key={key} className="number">{name}</th>)}</tr></thead>
      <tbody>
        {parts.map((p) => (
          <tr key={p.at}>
            <td>{instant(Math.round(p.at), now, zone)}</td>
            {LAYERS.map(([key]) => <td key={key} className="number">{percent(p.share[key as keyof Shares["share"]])}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The table twin: what is in sight, in words. */
export function Lines(props: { lines: { all: Seen[]; more: number }; rows: RowList; now: number; cells: boolean; use: Shares[]; more: ReactNode; onSelect: (s: Seen) => void }) {
  const { zone } = usePrefs();
  const { rows, now } = props;
  const shown = useMemo(() => props.lines.all, [props.lines]);
  const where = (s: Seen) => (s.rows > 1 ? `${rows.name(s.row)} – ${rows.name(s.row + s.rows - 1)}` : rows.name(s.row));
  return (
    <div className="g-lines" role="region" aria-label="The same as a table" tabIndex={0}>
      {props.cells ? <p className="quiet q-none">There are more rows in sight than can be told one by one: make them higher.</p> : (
        <table className="list g-pieces">
          <thead><tr><th>Nodes</th><th>What</th><th>How</th><th>Whose</th><th className="number">Processors</th><th>When</th></tr></thead>
          <tbody>
            {shown.map((s, i) => (
              <tr key={i}>
                <td>{plain(where(s))}</td>
                <td>{s.id ? <button className="q-sort g-link" onClick={() => props.onSelect(s)}>{s.job ? "job " : ""}{plain(s.id)}</button> : "node"}</td>
                <td>{WORDS[s.kind]}</td>
                <td>{plain(s.user)}</td>
                <td className="number">{s.procs ? `${count(s.procs)}${s.rows > 1 ? " each" : ""}` : ""}</td>
                <td>{whenOf(s, now, zone)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {props.lines.more > 0 && !props.cells && <p className="quiet q-none">and {count(props.lines.more)} more in sight</p>}
      {!props.cells && !shown.length && <p className="quiet q-none">Nothing is in sight.</p>}
      {props.more}
      <Use parts={props.use} now={now} />
    </div>
  );
}
