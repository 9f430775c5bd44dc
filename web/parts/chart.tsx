// A small chart of numbers over time: areas and lines of one scale. The pointer, or arrows,
// go from instant to instant, of which the words below tell the numbers.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { count, instant } from "../model/format";
import { usePrefs } from "../model/prefs";
import { useNow } from "./frame";

export interface Curve {
  name: string;
  kind: "running" | "waiting" | "blocked" | "idle" | "promised";
  area?: boolean;
  values: (number | null)[];
}

const NARROW = 560; // px: there is room for fewer instants
const FOOT = 18;
const LEFT = 56; // "00:08:20" and a gap

/** A round number at or above it. */
function roundUp(n: number): number {
  if (n <= 5) return Math.max(1, Math.ceil(n));
  const size = 10 ** Math.floor(Math.log10(n));
  return [1, 2, 2.5, 5, 10].map((f) => f * size).find((m) => m >= n) ?? n;
}

/** Where a time is missing the line is broken: nobody was there to count. */
function pathOf(at: number[], values: (number | null)[], x: (t: number) => number, y: (v: number) => number, gap: number, ground?: number): string {
  let path = "";
  let begun = -1;
  const end = (i: number) => (ground !== undefined && begun >= 0 ? `L${x(at[i]).toFixed(1)},${ground}L${x(at[begun]).toFixed(1)},${ground}Z` : "");
  values.forEach((v, i) => {
    const far = i > 0 && at[i] - at[i - 1] > gap;
    if (v === null || far) {
      if (begun >= 0) path += end(i - 1);
      begun = -1;
    }
    if (v === null) return;
    path += `${begun < 0 ? "M" : "L"}${x(at[i]).toFixed(1)},${y(v).toFixed(1)}`;
    if (begun < 0) begun = i;
  });
  return path + (begun >= 0 ? end(values.length - 1) : "");
}

export function Chart(props: { title: string; at: number[]; from: number; to: number; curves: Curve[]; height?: number; unit?: string; shown?: (n: number) => string }) {
  const { at, from, to, curves } = props;
  const height = props.height ?? 130;
  const shown = props.shown ?? count;
  const now = useNow();
  const { zone } = usePrefs();
  const [over, setOver] = useState<number | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(600); // as it is shown: words are as large as elsewhere
  useEffect(() => {
    if (!svg.current) return undefined;
    const watch = new ResizeObserver(([e]) => setWidth(Math.max(200, Math.round(e.contentRect.width))));
    watch.observe(svg.current as unknown as Element);
    return () => watch.disconnect();
  }, []);
  const most = useMemo(() => roundUp(Math.max(1, ...curves.flatMap((c) => c.values.map((v) => v ?? 0)))), [curves]);
  const x = (t: number) => LEFT + ((width - LEFT) * (t - from)) / Math.max(1, to - from);
  const y = (v: number) => 6 + (height - FOOT - 6) * (1 - v / most);
  const gap = Math.max(1800, (3 * (to - from)) / 200);
  const parts = width < NARROW ? 2 : 4;
  const ticks = Array.from({ length: parts + 1 }, (_, i) => from + (i * (to - from)) / parts);
  const look = (e: { clientX: number }) => {
    const box = svg.current?.getBoundingClientRect();
    if (!box || !at.length) return;
    const t = from + (((e.clientX - box.left) / box.width) * width - LEFT) * ((to - from) / (width - LEFT));
    setOver(at.reduce((best, a, i) => (Math.abs(a - t) < Math.abs(at[best] - t) ? i : best), 0));
  };
  const last = at.length - 1;
  const told = over !== null && over <= last ? over : last;
  const sayAt = (i: number) => `${instant(at[i], now, zone)}: ${curves.map((c) => `${c.name} ${c.values[i] === null || c.values[i] === undefined ? "unknown" : shown(c.values[i] as number)}`).join(", ")}`;
  const press = (e: KeyboardEvent) => {
    const to = { ArrowLeft: told - 1, ArrowRight: told + 1, PageUp: told - 10, PageDown: told + 10, Home: 0, End: last }[e.key];
    if (e.key === "Escape") setOver(null);
    if (to === undefined || last < 0) return;
    e.preventDefault();
    setOver(Math.max(0, Math.min(last, to)));
  };
  return (
    <figure className="chart" aria-label={props.title}>
      <svg ref={svg} viewBox={`0 0 ${width} ${height}`} height={height} role="slider" aria-label={`${props.title} over time`} aria-valuemin={0} aria-valuemax={Math.max(0, last)} aria-valuenow={Math.max(0, told)}
        aria-valuetext={told < 0 ? "nothing yet" : sayAt(told)} tabIndex={0} onKeyDown={press} onBlur={() => setOver(null)}
        onPointerMove={look} onPointerLeave={() => setOver(null)}>
        {[0, 0.5, 1].map((f) => (
          <g key={f}>
            <line x1={LEFT} x2={width} y1={y(most * f)} y2={y(most * f)} className="chart-line" />
            <text x={LEFT - 6} y={y(most * f) + 4} className="chart-text" textAnchor="end">{shown(most * f)}</text>
          </g>
        ))}
        {curves.map((c) => (
          <g key={c.name}>
            {c.area && <path d={pathOf(at, c.values, x, y, gap, y(0))} className={`chart-area chart-${c.kind}`} />}
            <path d={pathOf(at, c.values, x, y, gap)} className={`chart-curve chart-${c.kind}`} />
          </g>
        ))}
        {ticks.map((t, i) => (
          <text key={i} x={x(t)} y={height - 3} className="chart-text" textAnchor={i === 0 ? "start" : i === parts ? "end" : "middle"}>{instant(Math.round(t), now, zone).replace(/^(\d\d:\d\d):\d\d$/, to - from > 7200 ? "$1" : "$&")}</text>
        ))}
        {over !== null && over <= last && <line x1={x(at[over])} x2={x(at[over])} y1={6} y2={height - FOOT} className="chart-at" />}
      </svg>
      <figcaption className="legend">
        {told >= 0 && <span className="quiet">{instant(at[told], now, zone)}</span>}
        {curves.map((c) => (
          <span key={c.name}><span className={`dot fill-${c.kind}`} aria-hidden="true" /><strong>{told >= 0 && c.values[told] !== null && c.values[told] !== undefined ? shown(c.values[told] as number) : "–"}</strong> {c.name}</span>
        ))}
      </figcaption>
    </figure>
  );
}
