// Small drawings: shares of a whole, and rows of bars.
import type { ReactNode } from "react";
import { Link } from "./frame";
import { plain } from "../model/format";

export interface Part {
  name: string;
  value: number;
  kind: "running" | "idle" | "down" | "waiting" | "blocked" | "promised";
}

/** A bar of parts, and its legend, which says the same in words. */
export function Shares(props: { parts: Part[]; unit: string }) {
  const parts = props.parts.filter((p) => p.value > 0);
  const whole = parts.reduce((sum, p) => sum + p.value, 0);
  return (
    <div className="shares">
      <div className="shares-bar" aria-hidden="true">
        {parts.map((p) => (
          <span key={p.name} className={`fill-${p.kind}`} style={{ flexGrow: p.value }} />
        ))}
        {!whole && <span className="fill-idle" style={{ flexGrow: 1 }} />}
      </div>
      <ul className="legend">
        {props.parts.map((p) => (
          <li key={p.name}>
            <span className={`dot fill-${p.kind}`} aria-hidden="true" />
            <strong>{p.value.toLocaleString("en-GB")}</strong> {p.name}
          </li>
        ))}
      </ul>
      <span className="sr">of {whole} {props.unit}</span>
    </div>
  );
}

export interface Row {
  key: string;
  name: string;
  to?: string;
  value: number;
  shown: ReactNode;
  note?: string;
  kind: Part["kind"];
}

/** Rows of bars of one scale, each with its number. */
export function Bars(props: { rows: Row[]; empty: ReactNode; label: string }) {
  const most = Math.max(1, ...props.rows.map((r) => r.value));
  if (!props.rows.length) return <p className="quiet empty">{props.empty}</p>;
  return (
    <table className="bars">
      <caption className="sr">{props.label}</caption>
      <tbody>
        {props.rows.map((r) => (
          <tr key={r.key}>
            <th scope="row">{r.to ? <Link to={r.to}>{plain(r.name)}</Link> : plain(r.name)}</th>
            <td className="bars-track">
              <span className={`bars-bar fill-${r.kind}`} style={{ width: `${(100 * r.value) / most}%` }} />
            </td>
            <td className="number">{r.shown}</td>
            <td className="quiet number">{r.note}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
