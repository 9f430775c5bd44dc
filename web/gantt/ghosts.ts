// What would be, over the picture: the box of a reservation that is being made, where it
// would come to lie, and of jobs that would move their place of before in grey and dotted, that
// of after in a full frame, with an arrow from the one to the other. What is drawn stands out
// of all of them: it has the colour of the focus, and a light rim.
import type { Box } from "../model/draft";
import type { WhatIf, WhatIfJob } from "../model/types";
import type { Seen } from "./data";
import { GUTTER, HEAD, xAt, yAt, type View } from "./view";

export interface Moved {
  was: Seen; // a piece of it
  start: number | null; // of that piece then; null: it would not be there
  broken: boolean;
}

/** Free for so many processors, on nodes that nobody knows yet; null: without end. */
export interface Slot {
  procs: number;
  from: number;
  to: number | null;
}

export interface Ghosts {
  box: Box | null;
  moved: Moved[];
  places: { first: number; last: number; from: number; to: number }[];
  slots: Slot[];
}

export const NO_GHOSTS: Ghosts = { box: null, moved: [], places: [], slots: [] };
const SLOTS_MAX = 8; // under each other
const FOOT = 22; // where now has its name

const JOBS_MAX = 80; // moved ones of which pieces are drawn
const PIECES_MAX = 400;

type Ink = { ink2: string; focus: string; now: string; paper: string };

/** Pieces of the jobs that the answer tells of, as far as the picture has them. */
export async function ghostsOf(answer: WhatIf, find: (id: string) => Promise<Seen[]>): Promise<Moved[]> {
  const broken = new Set((answer.broken ?? []).map((j) => j.id));
  const all = new Map<string, WhatIfJob>();
  for (const list of [answer.broken, answer.later, answer.cut, answer.earlier, answer.held, answer.never, answer.gone])
    for (const j of list ?? []) all.set(j.id, j);
  const moved: Moved[] = [];
  for (const j of [...all.values()].slice(0, JOBS_MAX)) {
    const pieces = (await find(j.id)).filter((p) => p.job && p.kind !== "ended" && p.kind !== "failed");
    for (const was of pieces) moved.push({ was, start: j.after_at ?? null, broken: broken.has(j.id) });
    if (moved.length >= PIECES_MAX) break;
  }
  return moved.slice(0, PIECES_MAX);
}

/** Numbers of rows as runs. */
export function runsOf(rows: number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const r of [...rows].sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last && r <= last[1] + 1) last[1] = r;
    else runs.push([r, r]);
  }
  return runs;
}

function drawArrow(g: CanvasRenderingContext2D, x0: number, x1: number, y: number): void {
  const head = Math.sign(x1 - x0) * Math.min(6, Math.abs(x1 - x0));
  if (Math.abs(x1 - x0) < 3) return;
  g.beginPath();
  g.moveTo(x0, y);
  g.lineTo(x1, y);
  g.moveTo(x1 - head, y - 4);
  g.lineTo(x1, y);
  g.lineTo(x1 - head, y + 4);
  g.stroke();
}

function drawMoved(g: CanvasRenderingContext2D, v: View, width: number, m: Moved, c: Ink): void {
  const [y, h] = [yAt(v, m.was.row), Math.max(2, m.was.rows * v.row)];
  const box = (start: number): [number, number] => {
    const long = m.was.end === null ? 10 * width * v.second : m.was.end - m.was.start;
    return [xAt(v, start), Math.max(2, long / v.second)];
  };
  const [x0, w] = box(m.was.start);
  g.setLineDash([2, 2]);
  g.lineWidth = 1.5;
  g.strokeStyle = c.ink2;
  g.strokeRect(x0 + 0.5, y + 0.5, w - 1, h - 1);
  g.setLineDash([]);
  g.strokeStyle = m.broken || m.start === null ? c.now : c.ink2;
  if (m.start === null) {
    g.beginPath();
    g.moveTo(Math.max(GUTTER, x0), y);
    g.lineTo(Math.min(width, x0 + w), y + h);
    g.stroke();
    return;
  }
  const [x1] = box(m.start);
  g.strokeRect(x1 + 1, y + 1, w - 2, h - 2);
  g.globalAlpha = 0.15;
  g.fillStyle = g.strokeStyle;
  g.fillRect(x1, y, w, h);
  g.globalAlpha = 1;
  drawArrow(g, x0, x1, y + h / 2);
}

function drawBox(g: CanvasRenderingContext2D, v: View, b: Box, c: Ink): void {
  const [x, y] = [xAt(v, b.from), yAt(v, b.first)];
  const [w, h] = [Math.max(2, xAt(v, b.to) - x), Math.max(3, yAt(v, b.last + 1) - y)];
  g.fillStyle = c.focus;
  g.globalAlpha = 0.22;
  g.fillRect(x, y, w, h);
  g.globalAlpha = 1;
  g.strokeStyle = c.paper;
  g.lineWidth = 6;
  g.strokeRect(x, y, w, h);
  g.strokeStyle = c.focus;
  g.lineWidth = 3;
  g.strokeRect(x, y, w, h);
  if (w > 24 && h > 10)
    for (const end of [x, x + w]) g.fillRect(end - 2, y + h / 2 - Math.min(9, h / 4), 4, Math.min(18, h / 2)); // to be gripped
}

/** Windows as bars at the foot, each with its processors. */
function drawSlots(g: CanvasRenderingContext2D, v: View, width: number, height: number, slots: Slot[], c: Ink): void {
  slots.slice(0, SLOTS_MAX).forEach((s, i) => {
    const x = Math.max(GUTTER, xAt(v, s.from));
    const end = s.to === null ? width : Math.min(width, xAt(v, s.to));
    const y = height - FOOT - (Math.min(SLOTS_MAX, slots.length) - i) * 14;
    if (end - x < 2) return;
    g.globalAlpha = 0.85;
    g.fillStyle = c.paper;
    g.fillRect(x, y, end - x, 12);
    g.globalAlpha = 1;
    g.strokeStyle = c.focus;
    g.lineWidth = 1;
    g.strokeRect(x + 0.5, y + 0.5, end - x - 1, 11);
    g.fillStyle = c.ink2;
    if (end - x > 60) g.fillText(`free: ${s.procs}`, x + 4, y + 6);
  });
}

export function drawGhosts(g: CanvasRenderingContext2D, v: View, width: number, height: number, ghosts: Ghosts, c: Ink): void {
  for (const m of ghosts.moved) if (yAt(v, m.was.row + m.was.rows) > HEAD) drawMoved(g, v, width, m, c);
  g.setLineDash([4, 3]);
  g.lineWidth = 2;
  g.strokeStyle = c.focus;
  for (const p of ghosts.places) g.strokeRect(xAt(v, p.from), yAt(v, p.first), (p.to - p.from) / v.second, (p.last - p.first + 1) * v.row);
  g.setLineDash([]);
  drawSlots(g, v, width, height, ghosts.slots, c);
  if (ghosts.box) drawBox(g, v, ghosts.box, c);
}
