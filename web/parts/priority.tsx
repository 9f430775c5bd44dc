// Priorities as stacked bars: part by part, what counts against a job to the left of zero.
import { count, plain } from "../model/format";
import { hueOf } from "../model/hue";
import { jobAddress } from "../model/route";
import type { PriorityRecord } from "../model/types";
import { Link } from "./frame";

export interface Piece {
  name: string;
  value: number;
}

/** Small ones have a tenth: they are to add up. */
export function points(value: number): string {
  return Math.abs(value) < 10 && !Number.isInteger(value) ? value.toFixed(1) : count(Math.round(value));
}

export function piecesOf(record: PriorityRecord): Piece[] {
  return (record.components ?? []).flatMap((c) => {
    const parts = (c.parts ?? []).map((p) => ({ name: `${c.name}: ${p.name}`, value: p.value * (c.weight ?? 1) }));
    const sum = parts.reduce((n, p) => n + p.value, 0);
    const capped = Math.abs(sum - c.value) > 0.5; // its parts come to more than it may
    return !parts.length || capped ? [{ name: capped ? `${c.name} (at its cap)` : c.name, value: c.value }] : parts;
  });
}

/** One job: what counts against it left of the line, what counts for it right of it. */
function PriorityBar({ record, pieces, low, high, mine }: { record: PriorityRecord; pieces: Piece[]; low: number; high: number; mine: boolean }) {
  const share = (n: number) => `${(100 * Math.abs(n)) / (high - low || 1)}%`;
  const side = (sign: number) => pieces.filter((p) => Math.sign(p.value) === sign);
  return (
    <tr className={mine ? "mine" : ""}>
      <th scope="row">{mine ? plain(record.id) : <Link to={jobAddress(record.id)}>{plain(record.id)}</Link>}</th>
      <td className="bars-track">
        <div className="stack" aria-hidden="true">
          <div className="stack-below" style={{ width: share(low) }}>
            {side(-1).map((p) => <span key={p.name} className={hueOf(p.name)} style={{ width: `${(100 * p.value) / (low || -1)}%` }} title={`${p.name} ${points(p.value)}`} />)}
          </div>
          <div className="stack-above" style={{ width: share(high) }}>
            {side(1).map((p) => <span key={p.name} className={hueOf(p.name)} style={{ width: `${(100 * p.value) / (high || 1)}%` }} title={`${p.name} ${points(p.value)}`} />)}
          </div>
        </div>
      </td>
      <td className="number">{count(record.priority)}</td>
    </tr>
  );
}

/** Rows of one scale. `muted`: names of parts that are left out of the bars. */
export function PriorityBars(props: { records: PriorityRecord[]; mine?: string; muted?: ReadonlySet<string> }) {
  const { records, mine } = props;
  const shown = records.map((r) => ({ r, pieces: piecesOf(r).filter((p) => !props.muted?.has(p.name)) }));
  const sums = shown.map((s) => s.pieces.reduce((n, p) => ({ low: n.low + Math.min(0, p.value), high: n.high + Math.max(0, p.value) }), { low: 0, high: 0 }));
  const low = Math.min(0, ...sums.map((s) => s.low));
  const high = Math.max(1, ...sums.map((s) => s.high));
  return <tbody>{shown.map((s) => <PriorityBar key={s.r.id} record={s.r} pieces={s.pieces} low={low} high={high} mine={s.r.id === mine} />)}</tbody>;
}
