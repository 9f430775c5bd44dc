// Which rows and which time are in sight, and how large.
import type { Zone } from "../model/prefs";
import { atWall, offsetAt, stepAt } from "../model/times";

export const GUTTER = 128; // names of rows
export const HEAD = 40; // ruler

export interface View {
  t0: number; // the instant at the left edge
  second: number; // seconds a pixel
  y0: number; // pixels above the first one in sight
  row: number; // pixels a row
}

const step = (base: number, n: number, per: number) => base * 2 ** (Math.round(n * per) / per);
/** Scales come in steps, so that tiles serve again. */
export const niceSecond = (s: number) => step(1, Math.log2(Math.min(20000, Math.max(0.25, s))), 4);
export const niceRow = (r: number) => step(1, Math.log2(Math.min(40, Math.max(1 / 64, r))), 2);

export const timeAt = (v: View, x: number) => v.t0 + (x - GUTTER) * v.second;
export const xAt = (v: View, t: number) => GUTTER + (t - v.t0) / v.second;
export const rowAt = (v: View, y: number) => (y - HEAD + v.y0) / v.row;
export const yAt = (v: View, row: number) => HEAD + row * v.row - v.y0;

const SPAN_MAX = 366 * 86400 - 2; // seconds that may be asked for, once they are rounded

/** Of that time as much around its middle as the scheduler tells at once. */
export function askable(from: number, to: number): [number, number] {
  const middle = (from + to) / 2;
  return to - from <= SPAN_MAX ? [from, to] : [middle - SPAN_MAX / 2, middle + SPAN_MAX / 2];
}

/** As it is asked for: parts of time with round ends, so that all pages that show about the
 * same ask for the same, and go on doing so for a while. */
export function roundedTime(from: number, to: number): [number, number] {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, (to - from) / 16)));
  return [Math.floor(from / step) * step, Math.ceil(to / step) * step];
}

/** Is what can be told of the time in sight in these instants? */
export function coversTime(have: { from: number; to: number }, v: View, width: number): boolean {
  const [from, to] = askable(timeAt(v, GUTTER), timeAt(v, width));
  return have.from <= from + 0.001 && have.to >= to - 0.001;
}

export function zoomTime(v: View, factor: number, x: number): View {
  const t = timeAt(v, x);
  const second = niceSecond(v.second * factor);
  return { ...v, second, t0: t - (x - GUTTER) * second };
}

export function zoomRows(v: View, factor: number, y: number, rows: number, height: number): View {
  const at = rowAt(v, y);
  const row = niceRow(v.row * factor);
  return clampRows({ ...v, row, y0: at * row - (y - HEAD) }, rows, height);
}

export function clampRows(v: View, rows: number, height: number): View {
  const most = Math.max(0, rows * v.row - (height - HEAD));
  return { ...v, y0: Math.min(most, Math.max(0, v.y0)) };
}

/** So much time around now, a fifth of it past; all rows if they can be told apart, else as
    many as there is room for. */
export function firstView(now: number, span: number, rows: number, width: number, height: number): View {
  const fit = (height - HEAD) / Math.max(1, rows);
  let row = niceRow(Math.min(32, fit));
  if (row * rows > height - HEAD + 1 && row > 1 / 64) row = niceRow(row / 1.3);
  const second = niceSecond(span / Math.max(100, width - GUTTER));
  return { t0: now - 0.2 * (width - GUTTER) * second, second, y0: 0, row };
}

const STEPS = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000];

/** Instants for the ruler, at least so many pixels apart, at whole hours and days of the zone. */
export function ticks(v: View, width: number, apart: number, zone: Zone): { at: number; day: boolean }[] {
  const size = STEPS.find((s) => s / v.second >= apart) ?? 2592000 * Math.ceil((apart * v.second) / 2592000);
  const from = timeAt(v, GUTTER);
  const to = timeAt(v, width);
  const all: { at: number; day: boolean }[] = [];
  let wall = Math.ceil((from + offsetAt(from, zone)) / size) * size;
  for (let at = stepAt(from, size, zone, Math.ceil); at < to; at = size <= 3600 ? at + size : atWall(wall, zone)) {
    all.push({ at, day: (at + offsetAt(at, zone)) % 86400 === 0 });
    wall += size;
  }
  return all;
}
