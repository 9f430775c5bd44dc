// What is drawn under and over the tiles.
import { clock, instant, plain, weekday } from "../model/format";
import type { Zone } from "../model/prefs";
import type { Heading, Named, Seen } from "./data";
import { drawGhosts, type Ghosts } from "./ghosts";
import type { RowList } from "./rows";
import { GUTTER, HEAD, rowAt, ticks, xAt, yAt, type View } from "./view";

export interface Marks {
  now: number;
  zone: Zone;
  reserved: Seen[];
  painted: boolean; // bars are there
  named: Named[]; // jobs that may have room for a name, the largest first
  chosen: Seen[]; // pieces of what is selected
  awaited: Seen[]; // and of what has to end for it
  under: Seen | null; // the pointer
  cursor: Seen | null; // of the keyboard
  ghosts: Ghosts; // what would be
}

type G = CanvasRenderingContext2D;
const SMALL = '11px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
const FONT = '12px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
let colours: { ink: string; ink2: string; line: string; soft: string; paper: string; ground: string; focus: string; now: string; rsv: string } | null = null;

/** Of the theme: looked up when that is another. */
export function forgetColours(): void {
  colours = null;
}

function coloursOf(canvas: HTMLCanvasElement) {
  if (colours) return colours;
  const style = getComputedStyle(canvas);
  const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
  colours = {
    ink: get("ink"), ink2: get("ink-2"), line: get("line"), soft: get("line-soft"), paper: get("paper"), ground: get("ground"),
    focus: get("focus"), now: get("now"), rsv: get("reserved"),
  };
  return colours;
}

/** The grounds of past and future, and lines between groups. */
export function drawUnder(g: G, canvas: HTMLCanvasElement, v: View, width: number, height: number, rows: RowList, m: Marks): void {
  const c = coloursOf(canvas);
  const now = Math.min(width, Math.max(GUTTER, xAt(v, m.now)));
  const end = Math.min(height, yAt(v, rows.n));
  g.fillStyle = c.paper;
  g.fillRect(0, 0, width, height);
  g.fillStyle = c.ground;
  g.fillRect(GUTTER, HEAD, now - GUTTER, end - HEAD);
  if (end < height) g.fillRect(GUTTER, end, width - GUTTER, height - end);
  if (v.row >= 6) {
    g.fillStyle = c.soft;
    for (let r = Math.floor(rowAt(v, HEAD)); r <= rows.n && yAt(v, r) < height; r++) g.fillRect(GUTTER, Math.round(yAt(v, r)), width - GUTTER, 1);
  }
}

function drawRuler(g: G, v: View, width: number, height: number, m: Marks, c: NonNullable<typeof colours>): void {
  g.fillStyle = c.paper;
  g.fillRect(GUTTER, 0, width - GUTTER, HEAD);
  g.fillStyle = c.line;
  g.fillRect(0, HEAD - 1, width, 1);
  g.textBaseline = "middle";
  g.textAlign = "left";
  let last = -1e9;
  for (const t of ticks(v, width, 84, m.zone)) {
    const x = Math.round(xAt(v, t.at));
    g.fillStyle = t.day ? c.ink2 : c.line;
    g.globalAlpha = t.day ? 0.5 : 0.55;
    g.fillRect(x, HEAD - 8, 1, height - HEAD + 8);
    g.globalAlpha = 1;
    const time = clock(t.at, m.zone);
    const has = (text: string) => x + 4 + g.measureText(text).width <= width; // else it would be cut off
    const text = v.second * 84 < 60 ? time : time.slice(0, 5);
    g.fillStyle = c.ink2;
    if (has(text)) g.fillText(text, x + 4, HEAD - 10);
    const day = weekday(t.at, m.zone);
    if (last < 0 || (t.day && has(day))) {
      g.fillStyle = c.ink; // the first is told in any case
      g.fillText(day, Math.min(x + 4, width - g.measureText(day).width - 4), 12);
      last = x;
    }
  }
}

let names: { canvas: HTMLCanvasElement; rows: RowList; key: string } | null = null; // as they were drawn last

/** Names of rows as far as they have room, and of the groups: drawn when rows move, else
    what is there is put over the picture. */
function showNames(g: G, v: View, height: number, rows: RowList, c: NonNullable<typeof colours>): void {
  const ratio = window.devicePixelRatio || 1;
  const key = [v.row, v.y0, height, ratio, c.paper, c.ink].join(" ");
  if (names?.rows !== rows || names.key !== key) {
    const canvas = names?.canvas ?? document.createElement("canvas");
    const [wide, tall] = [Math.round(GUTTER * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== tall) canvas.height = tall;
    const on = canvas.getContext("2d", { alpha: false });
    if (!on) return;
    on.setTransform(ratio, 0, 0, ratio, 0, 0);
    on.font = FONT;
    on.textBaseline = "middle";
    drawNames(on, v, height, rows, c);
    names = { canvas, rows, key };
  }
  g.drawImage(names.canvas, 0, 0, GUTTER, height);
  g.fillStyle = c.ink2;
  for (const group of rows.groups) {
    const y = Math.round(yAt(v, group.first));
    if (y > HEAD && y <= height && rows.groups.length > 1 && !group.nodes) g.fillRect(0, y, GUTTER + 1e4, 1);
  }
}

function drawNames(g: G, v: View, height: number, rows: RowList, c: NonNullable<typeof colours>): void {
  g.fillStyle = c.paper;
  g.fillRect(0, 0, GUTTER, height);
  g.fillStyle = c.line;
  g.fillRect(GUTTER - 1, 0, 1, height);
  g.save();
  g.beginPath();
  g.rect(0, HEAD, GUTTER - 4, height - HEAD);
  g.clip();
  const every = Math.max(1, Math.ceil(15 / v.row));
  g.textAlign = "right";
  const first = Math.max(0, Math.ceil(rowAt(v, HEAD) / every) * every);
  for (let r = first; r < rows.n && yAt(v, r) < height; r += every) {
    const folded = rows.folded[r] ? rows.groups.find((group) => group.first === r) : undefined;
    g.fillStyle = folded ? c.ink : c.ink2;
    g.fillText(folded ? `▸ ${plain(folded.name).slice(0, 13)} (${folded.nodes})` : plain(rows.name(r)), GUTTER - 8, yAt(v, r) + (every > 1 ? 7 : v.row / 2));
  }
  g.restore();
  g.textAlign = "left";
  for (const group of rows.groups) {
    const y = yAt(v, group.first);
    const end = yAt(v, group.first + group.count);
    if (end < HEAD || y > height || rows.groups.length < 2 || group.nodes) continue;
    g.save();
    g.translate(11, Math.min(height, Math.max(HEAD, end)) - 4);
    g.rotate(-Math.PI / 2);
    if (Math.min(height, end) - Math.max(HEAD, y) > 40) {
      g.fillStyle = c.ink;
      g.fillText(`▾ ${plain(group.name)}`.slice(0, Math.floor((Math.min(height, end) - Math.max(HEAD, y)) / 7)), 0, 0);
    }
    g.restore();
  }
}

function boxOf(v: View, s: Seen, width: number): [number, number, number, number] {
  const x0 = Math.max(GUTTER - 4, xAt(v, s.start));
  const x1 = s.end === null ? width + 4 : Math.min(width + 4, xAt(v, s.end));
  return [x0, yAt(v, s.row), Math.max(2, x1 - x0), Math.max(2, s.rows * v.row)];
}

function drawReserved(g: G, v: View, width: number, height: number, m: Marks, c: NonNullable<typeof colours>): void {
  const named = new Set<string>();
  g.strokeStyle = c.rsv;
  for (const s of m.reserved) {
    const [x, y, w, h] = boxOf(v, s, width);
    if (x > width || x + w < GUTTER || y > height || y + h < HEAD) continue;
    g.lineWidth = 1.5;
    g.setLineDash(s.kind === "standing" ? [6, 3] : []);
    g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    if (w > 40 && h > 13 && !named.has(s.id + s.start)) {
      named.add(s.id + s.start);
      const text = plain(s.id);
      const wide = Math.min(w, g.measureText(text).width + 8);
      g.fillStyle = c.rsv;
      g.fillRect(x, Math.max(HEAD, y), wide, 15);
      g.fillStyle = c.paper;
      g.save();
      g.beginPath();
      g.rect(x, Math.max(HEAD, y), wide, 15);
      g.clip();
      g.fillText(text, x + 4, Math.max(HEAD, y) + 8);
      g.restore();
    }
  }
  g.setLineDash([]);
}

const NAMES_MOST = 120; // a frame
const NAME_TALL = 13;

/** On bars that have room: the job, and whose it is. */
function drawJobs(g: G, v: View, width: number, height: number, named: Named[]): void {
  let drawn = 0;
  for (const s of named) {
    const x = Math.max(GUTTER, xAt(v, s.start)) + 2;
    const y = Math.max(HEAD, yAt(v, s.row + s.from)) + 2;
    const end = s.end === null ? width : Math.min(width, xAt(v, s.end));
    const foot = yAt(v, s.row + (s.rows > 1 && s.from === 0 && s.to === 1 ? s.rows : s.to));
    if (end - x < 24 || foot - y < NAME_TALL || y > height || drawn >= NAMES_MOST) continue;
    const text = [plain(s.text), plain(s.id)].find((t) => g.measureText(t).width + 8 < end - x);
    if (!text) continue;
    g.fillStyle = "rgb(16 22 30 / 62%)";
    g.fillRect(x, y, g.measureText(text).width + 6, NAME_TALL);
    g.fillStyle = "#fff";
    g.fillText(text, x + 3, y + NAME_TALL / 2 + 0.5);
    drawn += 1;
  }
}

function drawFrames(g: G, v: View, width: number, all: Seen[], colour: string, line: number): void {
  g.strokeStyle = colour;
  g.lineWidth = line;
  for (const s of all) {
    const [x, y, w, h] = boxOf(v, s, width);
    g.strokeRect(x - 1, y - 1, w + 2, h + 2);
  }
}

export function drawOver(g: G, canvas: HTMLCanvasElement, v: View, width: number, height: number, rows: RowList, m: Marks, heading: Heading | null): void {
  const c = coloursOf(canvas);
  g.font = FONT;
  g.textBaseline = "middle";
  drawRuler(g, v, width, height, m, c); // its lines go under names and frames
  g.save();
  g.beginPath();
  g.rect(GUTTER, HEAD, width - GUTTER, height - HEAD);
  g.clip();
  g.font = SMALL;
  if (m.painted) drawJobs(g, v, width, height, m.named);
  g.font = FONT;
  drawReserved(g, v, width, height, m, c);
  g.setLineDash([3, 3]);
  if (!m.ghosts.moved.length && !m.ghosts.box) drawFrames(g, v, width, m.awaited, c.ink, 2);
  g.setLineDash([]);
  drawFrames(g, v, width, m.chosen, c.ink, 2);
  if (m.under && m.under.kind !== "down") drawFrames(g, v, width, [m.under], c.ink2, 1);
  if (m.cursor) drawFrames(g, v, width, [m.cursor], c.focus, 3);
  drawGhosts(g, v, width, height, m.ghosts, c);
  g.restore();
  const x = xAt(v, m.now);
  if (x > GUTTER && x < width) {
    g.fillStyle = c.now;
    g.fillRect(Math.round(x) - 1, HEAD - 14, 2, height);
    // At the foot: the head has the names of days.
    g.font = "600 11px system-ui, sans-serif";
    g.fillRect(x, height - 17, 32, 17);
    g.fillStyle = c.paper;
    g.fillText("now", x + 5, height - 8);
    g.font = FONT;
  }
  showNames(g, v, height, rows, c);
  g.fillStyle = c.ink2;
  g.textAlign = "left";
  if (heading) g.fillText(`${rows.nodes.toLocaleString("en-GB")} nodes`, 8, 12);
}

export const whenOf = (s: Seen, now: number, zone: Zone) =>
  `${instant(s.start, now, zone)} – ${s.end === null ? "no end" : instant(s.end, now, zone)}`;
