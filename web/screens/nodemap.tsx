// Nodes as cells of a canvas: ten thousand in one picture, by frame where frames are known,
// else by partition, in their order.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { count, plain } from "../model/format";
import { usePrefs } from "../model/prefs";
import { shadeOf, type NodeRow } from "../model/nodes";

const HEAD = 22; // of a group: its name
const GAP = 10;
const CELL_MOST = 96;
const NAMED = 56; // px of a cell that has room for a name

interface Group {
  name: string;
  rows: NodeRow[];
}
interface Laid {
  cell: number; // px, with the gap
  columns: number;
  height: number;
  groups: { name: string; y: number; first: number; rows: NodeRow[] }[];
}

function groupsOf(rows: NodeRow[]): Group[] {
  const framed = rows.length > 0 && rows.every((n) => n.frame > 0);
  const by = new Map<string, NodeRow[]>();
  for (const n of rows) {
    const name = framed ? `frame ${n.frame}` : n.partition;
    const list = by.get(name);
    if (list) list.push(n);
    else by.set(name, [n]);
  }
  if (framed) for (const list of by.values()) list.sort((a, b) => a.slot - b.slot);
  return [...by].map(([name, list]) => ({ name, rows: list }));
}

/** As large as all of them fit, between 5 and 96 px: large ones have their names. */
function layOut(groups: Group[], width: number, height: number): Laid {
  for (let cell = CELL_MOST; ; cell -= cell > 12 ? 2 : 1) {
    const columns = Math.max(1, Math.floor(width / cell));
    let y = 0;
    let first = 0;
    const laid = groups.map((g) => {
      const at = { ...g, y, first };
      y += HEAD + Math.ceil(g.rows.length / columns) * cell + GAP;
      first += g.rows.length;
      return at;
    });
    if (y <= height || cell <= 5) return { cell, columns, height: y, groups: laid };
  }
}

function placeOf(l: Laid, i: number): { x: number; y: number } {
  const g = l.groups.find((o) => i < o.first + o.rows.length) ?? l.groups[0];
  const k = i - g.first;
  return { x: (k % l.columns) * l.cell, y: g.y + HEAD + Math.floor(k / l.columns) * l.cell };
}

function indexAt(l: Laid, x: number, y: number): number {
  for (const g of l.groups) {
    const row = Math.floor((y - g.y - HEAD) / l.cell);
    const k = row * l.columns + Math.floor(x / l.cell);
    if (row >= 0 && x >= 0 && x < l.columns * l.cell && k < g.rows.length && y < g.y + HEAD + Math.ceil(g.rows.length / l.columns) * l.cell) return g.first + k;
  }
  return -1;
}

function draw(canvas: HTMLCanvasElement, l: Laid, color: string, width: number): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = l.height * scale;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const style = getComputedStyle(canvas);
  const ink = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const fills = { running: ink("running"), waiting: ink("waiting"), blocked: ink("blocked"), promised: ink("promised"), idle: ink("idle"), down: ink("down") };
  const text = ink("ink-2");
  const [name, paper] = [ink("ink"), ink("paper")];
  const size = l.cell - (l.cell > 8 ? 2 : 1);
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  for (const g of l.groups) {
    pen.fillStyle = text;
    pen.fillText(`${plain(g.name)}: ${count(g.rows.length)} ${g.rows.length === 1 ? "node" : "nodes"}`, 0, g.y + 14);
    g.rows.forEach((n, k) => {
      const x = (k % l.columns) * l.cell;
      const y = g.y + HEAD + Math.floor(k / l.columns) * l.cell;
      const s = shadeOf(n, color);
      pen.fillStyle = fills.idle;
      pen.fillRect(x, y, size, size);
      if (s.part > 0) {
        pen.fillStyle = fills[s.fill];
        const h = Math.max(1, Math.round(size * s.part));
        pen.fillRect(x, y + size - h, size, h);
      }
      if (s.fill === "down" && size >= 6) {
        pen.strokeStyle = text;
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x + size, y + size);
        pen.moveTo(x + size, y);
        pen.lineTo(x, y + size);
        pen.stroke();
      }
      if (l.cell < NAMED) return;
      // On paper of its own: the fill behind it may be any.
      const wide = Math.min(size - 4, pen.measureText(plain(n.name)).width + 8);
      pen.fillStyle = paper;
      pen.fillRect(x + 2, y + 2, wide, 17);
      pen.fillStyle = name;
      pen.fillText(plain(n.name), x + 6, y + 15, wide - 8);
    });
  }
}

const STEPS: Record<string, (columns: number) => number> = { ArrowLeft: () => -1, ArrowRight: () => 1, ArrowUp: (c) => -c, ArrowDown: (c) => c };

export function NodeMap({ rows, color, sel, onOpen }: { rows: NodeRow[]; color: string; sel: string; onOpen: (name: string) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ w: 0, h: 0 });
  const [over, setOver] = useState(-1);
  const [cursor, setCursor] = useState(-1);
  const [dark, setDark] = useState(0); // how often the theme of the system has changed
  const { theme } = usePrefs();
  const groups = useMemo(() => groupsOf(rows), [rows]);
  const order = useMemo(() => groups.flatMap((g) => g.rows), [groups]);
  const laid = useMemo(() => layOut(groups, size.w, size.h), [groups, size]);
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(([e]) => setSize({ w: Math.floor(e.contentRect.width), h: Math.floor(e.contentRect.height) }));
    watch.observe(box.current);
    const media = window.matchMedia("(prefers-color-scheme: dark)");
    const turn = () => setDark((n) => n + 1);
    media.addEventListener("change", turn);
    return () => {
      watch.disconnect();
      media.removeEventListener("change", turn);
    };
  }, []);
  useEffect(() => {
    if (canvas.current && size.w) draw(canvas.current, laid, color, size.w);
  }, [laid, color, theme, dark, size]);
  const at = over >= 0 ? over : cursor;
  const told = order[at];
  const where = told ? placeOf(laid, at) : null;
  const chosen = sel ? order.findIndex((n) => n.name === sel) : -1;
  const mark = (i: number) => { const p = placeOf(laid, i); return { left: `${p.x - 2}px`, top: `${p.y - 2}px`, width: `${laid.cell + 2}px`, height: `${laid.cell + 2}px` }; };
  const find = (e: { clientX: number; clientY: number }) => {
    const b = canvas.current?.getBoundingClientRect();
    return b ? indexAt(laid, e.clientX - b.left, e.clientY - b.top) : -1;
  };
  const press = (e: KeyboardEvent) => {
    const step = STEPS[e.key]?.(laid.columns);
    if (step !== undefined) {
      e.preventDefault();
      setOver(-1);
      setCursor((i) => Math.max(0, Math.min(order.length - 1, i < 0 ? 0 : i + step)));
    } else if (e.key === "Enter" && order[cursor]) onOpen(order[cursor].name);
  };
  const parts = new Map<string, number>();
  for (const n of order) parts.set(n.state, (parts.get(n.state) ?? 0) + 1);
  const summary = [...parts].map(([s, n]) => `${count(n)} ${s}`).join(", ");
  return (
    <>
      <p className="quiet line" id="map-sum">{summary || "No node is like that."}</p>
      <div className="nm-box" ref={box} id="map" tabIndex={0} role="application" aria-label="Map of the nodes" aria-describedby="map-sum" onKeyDown={press}>
        <canvas ref={canvas} aria-hidden="true" style={{ width: `${size.w}px`, height: `${laid.height}px` }}
          onPointerMove={(e) => setOver(find(e))} onPointerLeave={() => setOver(-1)} onClick={(e) => { const i = find(e); if (order[i]) onOpen(order[i].name); }} />
        {chosen >= 0 && <span className="nm-mark nm-chosen" style={mark(chosen)} />}
        {told && where && (
          <>
            <span className="nm-mark" style={mark(at)} />
            <div className="g-card" style={{ left: `${Math.max(0, Math.min(where.x + laid.cell + 6, size.w - 240))}px`, top: `${where.y + laid.cell + 6}px` }}>
              <strong>{plain(told.name)}</strong> {told.state}<br />{shadeOf(told, color).told}<br />{count(told.used)} of {count(told.procs)} processors, {count(told.jobs)} {told.jobs === 1 ? "job" : "jobs"}
            </div>
          </>
        )}
      </div>
      <p className="sr" role="status">{cursor >= 0 && order[cursor] ? `${order[cursor].name}, ${order[cursor].state}, ${shadeOf(order[cursor], color).told}` : ""}</p>
      <ul className="legend">
        <li><span className="dot fill-running" aria-hidden="true" />as high as it is full</li>
        <li><span className="dot fill-idle" aria-hidden="true" />free</li>
        <li><span className="dot fill-down" aria-hidden="true" />down or drained: crossed</li>
        {(color === "load" || color === "differs") && <li><span className="dot fill-blocked" aria-hidden="true" />{color === "load" ? "more load than processors" : "not as expected"}</li>}
        {color === "reserved" && <li><span className="dot fill-promised" aria-hidden="true" />held by reservations</li>}
      </ul>
    </>
  );
}
