// A reservation drawn on the picture: a box of rows and time that is made, moved and resized
// by the pointer, and by keys.
import type { Box } from "../model/draft";
import type { Zone } from "../model/prefs";
import { stepAt } from "../model/times";
import type { Picture } from "./picture";
import { GUTTER, HEAD, rowAt, timeAt, xAt, yAt } from "./view";

const EDGE_PX = 7;
const STEP_PX = 6;
const STEPS = [60, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 604800];

export interface Drawing {
  box: () => Box | null;
  armed: () => boolean; // a drag on empty ground makes a box
  can: () => boolean; // it may be moved
  put: (box: Box, resting: boolean) => void;
  now: () => number;
  rows: () => number;
  zone: () => Zone; // that is shown
}

/** Times are whole steps of the ruler, at least so many pixels. */
export function stepOf(second: number): number {
  return STEPS.find((s) => s / second >= STEP_PX) ?? STEPS[STEPS.length - 1];
}

/** The instant, at a step of the ruler, or where something begins or ends near by. */
export function snapTo(at: number, second: number, zone: Zone, edges: number[]): number {
  const near = edges.find((e) => Math.abs(e - at) / second < STEP_PX);
  if (near !== undefined) return near;
  return stepAt(at, stepOf(second), zone);
}

type Part = "inside" | "from" | "to" | "first" | "last" | null;

function partAt(picture: Picture, b: Box | null, x: number, y: number): Part {
  const v = picture.view;
  if (!v || !b || x < GUTTER || y < HEAD) return null;
  const [x0, x1, y0, y1] = [xAt(v, b.from), xAt(v, b.to), yAt(v, b.first), yAt(v, b.last + 1)];
  if (x < x0 - EDGE_PX || x > x1 + EDGE_PX || y < y0 - EDGE_PX || y > y1 + EDGE_PX) return null;
  // a small box has an inside all the same
  const [ex, ey] = [Math.min(EDGE_PX, (x1 - x0) / 4), Math.min(EDGE_PX, (y1 - y0) / 4)];
  if (Math.abs(x - x1) <= EDGE_PX && x > x1 - ex - 1) return "to";
  if (Math.abs(x - x0) <= EDGE_PX && x < x0 + ex + 1) return "from";
  if (y < y0 + ey) return "first";
  return y > y1 - ey ? "last" : "inside";
}

const CURSORS: Record<string, string> = { inside: "move", from: "ew-resize", to: "ew-resize", first: "ns-resize", last: "ns-resize" };

/** Within what there is: not before now, and of rows that there are. */
function keepWithin(b: Box, d: Drawing, least: number): Box {
  const most = Math.max(0, d.rows() - 1);
  const [first, last] = [Math.max(0, Math.min(most, b.first)), Math.max(0, Math.min(most, b.last))];
  // what has begun keeps its start while its end is moved
  const from = b.from === d.box()?.from ? b.from : Math.max(b.from, d.now());
  return { first: Math.min(first, last), last: Math.max(first, last), from, to: Math.max(b.to, from + least) };
}

export function drawOn(canvas: HTMLCanvasElement, picture: Picture, d: Drawing): () => void {
  const stop = new AbortController();
  let held: { part: Part | "new"; x: number; y: number; box: Box } | null = null;
  let edges: number[] = [];
  const on = (name: string, run: (e: PointerEvent) => void) =>
    canvas.addEventListener(name, run as EventListener, { capture: true, signal: stop.signal });
  const where = (e: MouseEvent): [number, number] => {
    const r = canvas.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const take = (e: PointerEvent) => {
    e.stopImmediatePropagation();
    e.preventDefault();
  };

  function dragged(x: number, y: number): Box | null {
    const v = picture.view;
    if (!v || !held) return null;
    const snap = (at: number) => snapTo(at, v.second, d.zone(), edges);
    const step = stepOf(v.second);
    const b = held.box;
    const row = Math.floor(rowAt(v, y));
    const by = timeAt(v, x) - timeAt(v, held.x);
    if (held.part === "new") {
      const [a, z] = [snap(timeAt(v, held.x)), snap(timeAt(v, x))];
      const from = Math.floor(rowAt(v, held.y));
      return keepWithin({ from: Math.min(a, z), to: Math.max(a, z), first: Math.min(from, row), last: Math.max(from, row) }, d, step);
    }
    if (held.part === "from") return keepWithin({ ...b, from: Math.min(snap(b.from + by), b.to - step) }, d, step);
    if (held.part === "to") return keepWithin({ ...b, to: Math.max(snap(b.to + by), b.from + step) }, d, step);
    if (held.part === "first") return keepWithin({ ...b, first: Math.min(row, b.last) }, d, step);
    if (held.part === "last") return keepWithin({ ...b, last: Math.max(row, b.first) }, d, step);
    const rows = row - Math.floor(rowAt(v, held.y));
    const from = Math.max(d.now(), snap(b.from + by));
    const first = Math.max(0, Math.min(d.rows() - 1 - (b.last - b.first), b.first + rows));
    return { from, to: from + b.to - b.from, first, last: first + b.last - b.first };
  }

  on("pointerdown", (e) => {
    const [x, y] = where(e);
    if (e.button || e.altKey || !picture.view) return;
    const box = d.box();
    const part = d.can() ? partAt(picture, box, x, y) : null;
    if (!part && !(d.armed() && x > GUTTER && y > HEAD)) return;
    take(e);
    canvas.focus();
    canvas.setPointerCapture(e.pointerId);
    held = { part: part ?? "new", x, y, box: box ?? { from: 0, to: 0, first: 0, last: 0 } };
    void picture.list(2000).then(({ all }) => {
      edges = all.flatMap((s) => (s.end === null ? [s.start] : [s.start, s.end])).filter((t) => t > d.now());
    });
  });
  on("pointermove", (e) => {
    const [x, y] = where(e);
    if (!held) {
      const part = d.can() ? partAt(picture, d.box(), x, y) : null;
      canvas.style.cursor = part ? CURSORS[part] : d.armed() ? "crosshair" : "";
      return;
    }
    take(e);
    const box = dragged(x, y);
    if (box) d.put(box, false);
  });
  on("pointerup", (e) => {
    if (!held) return;
    take(e);
    const box = dragged(...where(e));
    held = null;
    if (box) d.put(box, true);
  });
  on("pointercancel", () => {
    held = null;
  });
  return () => {
    canvas.style.cursor = "";
    stop.abort();
  };
}

/** By keys: arrows move it, with Shift they move its end, or its last row. null: not a key
    of it. */
export function boxByKey(b: Box | null, key: string, shift: boolean, picture: Picture, d: Drawing, row: number): Box | null {
  const v = picture.view;
  if (!v || !key.startsWith("Arrow")) return null;
  const step = stepOf(v.second);
  if (!b) {
    const from = snapTo(d.now() + step, v.second, d.zone(), []);
    return keepWithin({ from, to: from + Math.max(step, 3600), first: row, last: row }, d, step);
  }
  const dt = key === "ArrowRight" ? step : key === "ArrowLeft" ? -step : 0;
  const dr = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  if (shift) return keepWithin({ ...b, to: Math.max(b.from + step, b.to + dt), last: Math.max(b.first, b.last + dr) }, d, step);
  const from = Math.max(d.now(), b.from + dt);
  const first = Math.max(0, Math.min(d.rows() - 1 - (b.last - b.first), b.first + dr));
  return { from, to: from + b.to - b.from, first, last: first + b.last - b.first };
}
