// A tile: 256 by 256 pixels of the picture, filled as numbers. Rectangles of a canvas would
// take six times as long.
import { IS, KINDS, LAYERS, NONE, WITHOUT_END, type Kind, type Window } from "./data";
import { hueNumber } from "../model/hue";

export const TILE = 256;

export interface Scale {
  epoch: number; // the instant at x = 0
  second: number; // seconds a pixel
  row: number; // pixels a row
}

type Rgb = [number, number, number];
const HUES: Rgb[] = [
  [47, 111, 196], [194, 87, 26], [43, 138, 87], [178, 58, 107], [122, 86, 184], [154, 123, 18],
  [31, 140, 152], [208, 106, 140], [107, 142, 35], [168, 73, 60], [91, 127, 176], [141, 110, 90],
];
const PALE: Rgb = [128, 138, 152]; // of nobody, or of several
const DOWN: Rgb = [130, 140, 153];
const ENDED: Rgb = [84, 140, 110];
const FAILED: Rgb = [190, 50, 60];
const RESERVED: Rgb = [14, 138, 128];
const STANDING: Rgb = [120, 110, 30];

const pack = ([r, g, b]: Rgb, alpha: number) => ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** Of what is not a name. */
export const OF_STATE: Partial<Record<Kind, Rgb>> = {
  running: [47, 125, 209], suspended: [154, 123, 18], overrun: [196, 72, 52], promised: [138, 92, 194], forecast: [112, 126, 148],
  ended: [84, 140, 110], failed: [190, 50, 60],
};
export const WAITS: { up_to: number; words: string; colour: Rgb }[] = [
  { up_to: 3600, words: "under 1 h", colour: [64, 150, 110] },
  { up_to: 6 * 3600, words: "1 to 6 h", colour: [80, 130, 190] },
  { up_to: 86400, words: "6 to 24 h", colour: [170, 140, 30] },
  { up_to: 3 * 86400, words: "1 to 3 days", colour: [205, 100, 40] },
  { up_to: Infinity, words: "longer", colour: [170, 40, 70] },
];

/** Efficiency and priority, low to high: of one hue each, that grows darker. */
export const EFFICIENCIES: { up_to: number; words: string; colour: Rgb }[] = [
  { up_to: 25, words: "under 25 %", colour: [190, 50, 60] },
  { up_to: 50, words: "25 to 50 %", colour: [205, 120, 40] },
  { up_to: 75, words: "50 to 75 %", colour: [170, 140, 30] },
  { up_to: 95, words: "75 to 95 %", colour: [64, 150, 110] },
  { up_to: Infinity, words: "95 % and more", colour: [28, 100, 140] },
];
export const RANKS: { words: string; colour: Rgb }[] = [
  { words: "the lowest fifth", colour: [150, 176, 210] },
  { words: "the second", colour: [104, 144, 196] },
  { words: "the middle", colour: [64, 112, 180] },
  { words: "the fourth", colour: [92, 70, 170] },
  { words: "the highest fifth", colour: [130, 30, 110] },
];

export interface Hues {
  of: Uint8Array; // place in the palette, by object; 255: none
  palette: Rgb[];
  names: Rgb[]; // of cells
  kinds?: Partial<Record<Kind, Rgb>>; // these instead
  use?: Rgb; // of cells, instead of the name's
}

/** Names have the hues that they have everywhere; found once for a window. */
export function huesOf(w: Window, color: string): Hues {
  if (color === "state") return { of: new Uint8Array(0), palette: [], names: [], kinds: OF_STATE, use: OF_STATE.running };
  if (color === "efficiency")
    return { of: efficienciesOf(w), palette: EFFICIENCIES.map((x) => x.colour), names: [], use: PALE };
  if (color === "priority") return { of: ranksOf(w), palette: RANKS.map((x) => x.colour), names: [], use: PALE };
  if (color === "wait") return { of: waitsOf(w), palette: WAITS.map((x) => x.colour), names: [], use: PALE };
  const names = (w.heading.names[color] ?? []).map((n) => HUES[hueNumber(n)]);
  const who = w.column[`object.${color}`];
  const of = new Uint8Array(who?.length ?? 0);
  for (let o = 0; o < of.length; o++) {
    const name = w.heading.names[color]?.[who[o]];
    of[o] = name === undefined ? 255 : hueNumber(name);
  }
  return { of, palette: HUES, names };
}

/** From submission to the start that it had, was promised or is foreseen. */
function waitsOf(w: Window): Uint8Array {
  const [submit, start] = [w.column["object.submit"], w.column["object.start"]];
  const of = new Uint8Array(submit?.length ?? 0);
  for (let o = 0; o < of.length; o++)
    of[o] = submit[o] >= WITHOUT_END ? 255 : WAITS.findIndex((x) => start[o] - submit[o] < x.up_to);
  return of;
}

/** 255: unknown, or not for this user. */
function efficienciesOf(w: Window): Uint8Array {
  const told = w.column["object.efficiency"];
  const of = new Uint8Array(told?.length ?? 0);
  for (let o = 0; o < of.length; o++) of[o] = told[o] === 255 ? 255 : EFFICIENCIES.findIndex((x) => told[o] < x.up_to);
  return of;
}

const PRIORITY_UNKNOWN = -2147483648;

/** In fifths of the jobs that are in the window. */
function ranksOf(w: Window): Uint8Array {
  const told = w.column["object.priority"];
  const all = Array.from(told ?? []).filter((p) => p !== PRIORITY_UNKNOWN).sort((a, b) => a - b);
  const bounds = [0.2, 0.4, 0.6, 0.8].map((part) => all[Math.min(all.length - 1, Math.floor(part * all.length))]);
  const of = new Uint8Array(told?.length ?? 0);
  for (let o = 0; o < of.length; o++) of[o] = told[o] === PRIORITY_UNKNOWN ? 255 : bounds.filter((b) => told[o] >= b).length;
  return of;
}

/** Half transparent, over what is there. */
function blend(px: Uint32Array, at: number, [r, g, b]: Rgb, alpha: number): void {
  const old = px[at];
  const a = old >>> 24;
  if (!a) {
    px[at] = pack([r, g, b], alpha);
    return;
  }
  const k = alpha / 255;
  const mix = (x: number, y: number) => Math.round(x * (1 - k) + y * k);
  px[at] = pack([mix(old & 255, r), mix((old >>> 8) & 255, g), mix((old >>> 16) & 255, b)], Math.max(a, alpha));
}

interface Box {
  x0: number; x1: number; y0: number; y1: number; // pixels of the tile
  left: boolean; right: boolean; // its own edges are in the tile
  top: boolean; bottom: boolean;
}

function fill(px: Uint32Array, b: Box, colour: number): void {
  for (let y = b.y0; y < b.y1; y++) px.fill(colour, y * TILE + b.x0, y * TILE + b.x1);
}

function overlay(px: Uint32Array, b: Box, colour: Rgb, alpha: number, where?: (x: number, y: number) => boolean): void {
  for (let y = b.y0; y < b.y1; y++)
    for (let x = b.x0; x < b.x1; x++) if (!where || where(x, y)) blend(px, y * TILE + x, colour, alpha);
}

function frame(px: Uint32Array, b: Box, colour: number, dash: number): void {
  const on = (n: number) => !dash || n % (2 * dash) < dash;
  if (b.y1 - b.y0 > 2)
    for (let x = b.x0; x < b.x1; x++) {
      if (b.top && on(x)) px[b.y0 * TILE + x] = colour;
      if (b.bottom && on(x)) px[(b.y1 - 1) * TILE + x] = colour;
    }
  if (b.x1 - b.x0 > 2)
    for (let y = b.y0; y < b.y1; y++) {
      if (b.left && on(y)) px[y * TILE + b.x0] = colour;
      if (b.right && on(y)) px[y * TILE + b.x1 - 1] = colour;
    }
}

function paintPiece(px: Uint32Array, kind: number, b: Box, hue: Rgb): void {
  const dark: Rgb = [hue[0] * 0.62, hue[1] * 0.62, hue[2] * 0.62];
  switch (kind) {
    case IS.running:
      fill(px, b, pack(hue, 255));
      if (b.y1 - b.y0 > 4) frame(px, b, pack(dark, 255), 0);
      else if (b.right && b.x1 - b.x0 > 3) frame(px, { ...b, left: false, top: false, bottom: false }, pack(dark, 255), 0);
      break;
    case IS.suspended: {
      const y = (b.y0 + b.y1) >> 1;
      if (y < TILE) fill(px, { ...b, y0: y, y1: y + 1 }, pack(hue, 255));
      break;
    }
    case IS.overrun:
      overlay(px, b, hue, 120, (x, y) => (x + y) % 4 === 0);
      frame(px, b, pack(dark, 255), 1);
      break;
    case IS.promised:
      overlay(px, b, hue, 70);
      overlay(px, b, hue, 255, (x, y) => (x + y) % 8 < 2);
      frame(px, b, pack(hue, 255), 0);
      break;
    case IS.forecast:
      overlay(px, b, hue, 70);
      frame(px, b, pack(hue, 220), 4);
      break;
    case IS.ended:
    case IS.failed:
      fill(px, b, pack(hue, 150));
      if (b.y1 - b.y0 > 4) frame(px, b, pack(hue, 220), 0);
      // A red foot, and a red end: not told by colour alone.
      if (kind === IS.failed && b.bottom && b.y1 - b.y0 > 3) fill(px, { ...b, y0: b.y1 - 2 }, pack(FAILED, 255));
      if (kind === IS.failed && b.right && b.x1 - b.x0 > 6) fill(px, { ...b, x0: b.x1 - 3 }, pack(FAILED, 255));
      break;
    case IS.reserved:
    case IS.standing:
      overlay(px, b, kind === IS.reserved ? RESERVED : STANDING, 46);
      break;
    default:
      overlay(px, b, DOWN, 40);
      overlay(px, b, DOWN, 190, (x, y) => (x + y) % 8 === 0 || (kind === IS.down && (x - y + 512) % 8 === 0));
  }
}

/** What lies under others comes first. */
const ORDER = [IS.down, IS.drained, IS.unknown, IS.ended, IS.failed, IS.reserved, IS.standing, IS.forecast, IS.promised, IS.suspended, IS.running, IS.overrun];

const RANK = KINDS.map((_, kind) => ORDER.indexOf(kind));

function paintPieces(px: Uint32Array, w: Window, hues: Hues, s: Scale, tx: number, ty: number): void {
  const c = w.column;
  const firstRow = Math.max(w.heading.first, Math.floor((ty * TILE) / s.row));
  const lastRow = Math.min(w.heading.first + w.heading.rows - 1, Math.ceil(((ty + 1) * TILE) / s.row));
  const begin = tx * TILE * s.second + s.epoch - w.heading.from; // seconds of the window
  const end = begin + TILE * s.second;
  // Each piece is looked at once; those of a kind are painted together.
  const lists: number[][] = ORDER.map(() => []);
  for (let row = firstRow; row <= lastRow; row++)
    w.each(row, (p, from, to) => {
      if (c["piece.start"][p] > end || c["piece.end"][p] < begin - s.second) return;
      lists[RANK[c["piece.kind"][p]]]?.push(p, row, from, to);
    });
  const paint = (kind: number, p: number, row: number, from: number, to: number) => {
    const endless = c["piece.end"][p] >= WITHOUT_END;
    const x0 = Math.round((c["piece.start"][p] - begin) / s.second);
    const x1 = endless ? TILE + 9 : Math.max(x0 + 1, Math.round((c["piece.end"][p] - begin) / s.second));
    const whole = from <= 0 && to >= 1; // rows of one thing hang together
    const opens = !whole || row === c["piece.row"][p];
    const closes = !whole || row === c["piece.row"][p] + c["piece.rows"][p] - 1;
    const gap = s.row >= 12 && opens ? 1 : 0;
    const y0 = Math.round((row + from) * s.row) - ty * TILE + gap;
    const y1 = Math.max(y0 + 1, Math.round((row + to) * s.row) - ty * TILE);
    if (x1 <= 0 || x0 >= TILE || y1 <= 0 || y0 >= TILE) return;
    const o = c["piece.object"][p];
    const hue = hues.kinds ? hues.kinds[KINDS[kind]] ?? PALE : (o === NONE ? undefined : hues.palette[hues.of[o]]) ?? PALE;
    paintPiece(px, kind, {
      x0: Math.max(0, x0), x1: Math.min(TILE, x1), y0: Math.max(0, y0), y1: Math.min(TILE, y1),
      left: x0 >= 0, right: x1 <= TILE, top: y0 >= 0 && opens, bottom: y1 <= TILE && closes,
    }, hue);
  };
  lists.forEach((list, rank) => {
    for (let i = 0; i < list.length; i += 4) paint(ORDER[rank], list[i], list[i + 1], list[i + 2], list[i + 3]);
  });
}

const PHASES = 8; // pixels, after which the patterns come again

/** Of a cell the colours of its pixels, by (x + y) % PHASES. */
function mixCell(to: Uint32Array, w: Window, hues: Hues, cell: number): void {
  const share = (layer: (typeof LAYERS)[number]) => w.column[`cell.${layer}`]?.[cell] ?? 0;
  const [use, promised, forecast, reserved, down, ended] = LAYERS.map(share);
  for (let phase = 0; phase < PHASES; phase++) {
    if (phase && !down && !promised) {
      to[phase] = to[0];
      continue;
    }
    if (down) blend(to, phase, DOWN, phase % 4 ? 40 : Math.max(90, down));
    if (ended) blend(to, phase, ENDED, 30 + ended * 0.45);
    if (reserved) blend(to, phase, RESERVED, 20 + reserved / 6);
    if (forecast) blend(to, phase, [143, 111, 200], 20 + forecast / 4);
    if (promised) blend(to, phase, [138, 92, 194], phase < 2 ? 60 + promised * 0.75 : 30 + promised / 4);
    if (use) blend(to, phase, hues.use ?? hues.names[w.column["cell.colour"][cell]] ?? PALE, 50 + use * 0.8);
  }
}

/** For each pixel along a side its place among the cells there, -1: none. */
function placesOf(at: (pixel: number) => number, most: number): Int32Array {
  const all = new Int32Array(TILE);
  for (let n = 0; n < TILE; n++) {
    const place = Math.floor(at(n));
    all[n] = place < 0 || place >= most ? -1 : place;
  }
  return all;
}

/** Where single pieces cannot be seen: how much, and whose most of it is. A cell is mixed
    once, however many pixels it has. */
function paintCells(px: Uint32Array, w: Window, hues: Hues, s: Scale, tx: number, ty: number): void {
  const h = w.heading;
  const columns = h.columns ?? 0;
  const perRow = h.rows_a_line ?? 1;
  const row = (y: number) => Math.floor((ty * TILE + y) / s.row) - h.first;
  const lines = placesOf((y) => (row(y) < h.rows ? row(y) / perRow : -1), h.lines ?? 0);
  const places = placesOf((x) => (s.epoch + (tx * TILE + x) * s.second - h.from) / (h.seconds_a_column ?? 1), columns);
  let mixed = new Uint32Array(0);
  for (let y = 0; y < TILE; y++) {
    if (lines[y] < 0) continue;
    const again = y > 0 && lines[y] === lines[y - 1]; // the same cells as in the row above
    if (!again) mixed = new Uint32Array(TILE * PHASES);
    for (let x = 0; x < TILE; x++) {
      if (places[x] < 0) continue;
      const first = x > 0 && places[x] === places[x - 1];
      const at = x * PHASES;
      if (!again && first) mixed.copyWithin(at, at - PHASES, at);
      else if (!again) mixCell(mixed.subarray(at, at + PHASES), w, hues, lines[y] * columns + places[x]);
      px[y * TILE + x] = mixed[at + ((x + y) % PHASES)];
    }
  }
}

/** Is all that the tile shows in the window? Else it has to be painted of another one. */
export function covers(w: Window, s: Scale, tx: number, ty: number): boolean {
  const from = s.epoch + tx * TILE * s.second;
  return w.covers(from, from + TILE * s.second, Math.floor((ty * TILE) / s.row), Math.ceil(((ty + 1) * TILE) / s.row) - 1);
}

export function paintTile(w: Window, hues: Hues, s: Scale, tx: number, ty: number): Uint32Array {
  const px = new Uint32Array(TILE * TILE);
  if (w.heading.as === "pieces") paintPieces(px, w, hues, s, tx, ty);
  else paintCells(px, w, hues, s, tx, ty);
  return px;
}
