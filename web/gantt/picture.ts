// The picture: tiles that the worker has painted, moved by the view, and over them what is
// sharp at every scale: ruler, names, frames, now. It draws when something is different.
import { drawOver, drawUnder, type Marks } from "./over";
import { NO_GHOSTS } from "./ghosts";
import { TILE, type Scale } from "./paint";
import type { RowList } from "./rows";
import type { Heading, Seen } from "./data";
import { Tiles, stateOf } from "./tiles";
import { GUTTER, HEAD, clampRows, firstView, rowAt, timeAt, xAt, yAt, zoomRows, zoomTime, type View } from "./view";
import type { Ask, Told } from "./worker";

const AT_ONCE = 3; // tiles that the worker has been asked for
const ZOOMING_MS = 80; // after a step of the scale there may be another
const EPOCH = 1600000000; // where tiles are counted from

export interface Listener {
  window: (heading: Heading, pieces: number) => void;
  view: (view: View) => void;
  frame: (view: View) => void;
  need: (from: number, to: number, first: number, last: number, width: number, height: number) => void;
}

/** Where the worker's program is, which the page itself says. */
function startWorker(): Worker {
  const path = document.getElementById("page")?.dataset.worker ?? "";
  const types = (window as unknown as { trustedTypes?: { createPolicy(n: string, r: object): { createScriptURL(u: string): string } } }).trustedTypes;
  if (!/^\/ui\/assets\/worker-[0-9a-f]+\.js$/.test(path)) throw new Error("no worker");
  policy ??= types?.createPolicy("maui", { createScriptURL: (url: string) => url }) ?? null;
  return new Worker(policy ? policy.createScriptURL(path) : path);
}
let policy: { createScriptURL(u: string): string } | null | undefined;

export class Picture {
  view: View | null = null;
  rows: RowList | null = null;
  heading: Heading | null = null;
  color = "user";
  marks: Marks = { now: 0, zone: "UTC", reserved: [], painted: false, named: [], chosen: [], awaited: [], under: null, cursor: null, ghosts: NO_GHOSTS };
  private readonly worker = startWorker();
  private readonly tiles = new Tiles();
  private readonly asked = new Set<string>();
  private readonly answers = new Map<number, (told: Told) => void>();
  private generation = 0; // of the last window that the worker was given
  private words: string[] = []; // of the question that each was the answer to
  private waiting: { answer: ArrayBuffer; words: string } | null = null; // until what is newer is shown
  private news: (Told & { type: "window" }) | null = null; // told when it is
  private number = 0;
  private frame = 0;
  private zooming = 0; // a timer, until then
  private width = 0;
  private height = 0;
  private back: { canvas: HTMLCanvasElement; view: View } | null = null; // of another scale
  private last: { view: View; color: string } | null = null; // that was whole

  constructor(private readonly canvas: HTMLCanvasElement, private readonly span: number, private readonly tell: Listener) {
    this.worker.onmessage = (e: MessageEvent<Told>) => this.hear(e.data);
  }

  end(): void {
    this.worker.terminate();
    cancelAnimationFrame(this.frame);
    window.clearTimeout(this.zooming);
    this.tiles.end();
  }

  // ---- what is shown ----

  setRows(rows: RowList): void {
    this.rows = rows;
    this.post({ type: "rows", procs: rows.procs, folded: rows.folded });
    if (this.view) this.view = clampRows(this.view, rows.n, this.height);
    this.changed();
  }

  /** Of the words of that question. A picture that is being made is finished first: where
      changes come fast there would never be one. */
  setWindow(answer: ArrayBuffer, words: string): void {
    this.waiting = { answer, words };
    if (!this.news) this.giveWindow();
  }

  private giveWindow(): void {
    if (!this.waiting) return;
    const { answer, words } = this.waiting;
    this.waiting = null;
    this.generation += 1;
    this.words[this.generation] = words;
    delete this.words[this.generation - 8];
    this.worker.postMessage({ type: "window", generation: this.generation, answer } as Ask, [answer]);
  }

  /** What the worker has read is what is seen. */
  private publish(): void {
    const told = this.news;
    if (!told) return;
    this.news = null;
    this.heading = told.heading;
    this.marks.reserved = told.reserved;
    this.marks.named = told.named;
    this.tell.window(told.heading, told.pieces);
    this.giveWindow();
  }

  setView(view: View): void {
    if (this.view && (this.view.second !== view.second || this.view.row !== view.row)) this.rest();
    this.view = clampRows(view, this.rows?.n ?? 0, this.height);
    this.changed();
    this.tell.view(this.view);
  }

  /** The scale is being changed: tiles of this one are painted when it is left alone. */
  private rest(): void {
    window.clearTimeout(this.zooming);
    this.zooming = window.setTimeout(() => {
      this.zooming = 0;
      this.draw();
    }, ZOOMING_MS);
  }

  resize(width: number, height: number, now: number): void {
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (!this.view && this.rows) this.view = firstView(now, this.span, this.rows.n, width, height);
    if (this.view) this.setView(this.view);
  }

  get size(): { width: number; height: number } {
    return { width: this.width, height: this.height };
  }

  setColor(color: string): void {
    this.color = color;
    this.changed();
  }

  mark(change: Partial<Marks>): void {
    this.marks = { ...this.marks, ...change };
    this.draw();
  }

  // ---- moved ----

  pan(dx: number, dy: number): void {
    const v = this.view;
    if (v) this.setView({ ...v, t0: v.t0 + dx * v.second, y0: v.y0 + dy });
  }

  zoomTime(factor: number, x = GUTTER + (this.width - GUTTER) / 2): void {
    if (this.view) this.setView(zoomTime(this.view, factor, x));
  }

  zoomRows(factor: number, y = HEAD + (this.height - HEAD) / 2): void {
    if (this.view) this.setView(zoomRows(this.view, factor, y, this.rows?.n ?? 0, this.height));
  }

  // ---- asked of the worker ----

  private post(ask: Ask): void {
    this.worker.postMessage(ask);
  }

  private askWorker<T extends Told>(ask: Record<string, unknown>): Promise<T> {
    const number = ++this.number;
    return new Promise((answer) => {
      this.answers.set(number, answer as (told: Told) => void);
      this.post({ ...ask, number } as unknown as Ask);
    });
  }

  async at(x: number, y: number): Promise<Seen | null> {
    const v = this.view;
    if (!v || x < GUTTER || y < HEAD) return null;
    const row = rowAt(v, y);
    const told = await this.askWorker<Told & { type: "at" }>({ type: "at", instant: timeAt(v, x), row: Math.floor(row), share: row - Math.floor(row) });
    return told.seen;
  }

  async list(most: number): Promise<{ all: Seen[]; more: number }> {
    const v = this.view;
    if (!v) return { all: [], more: 0 };
    return this.askWorker<Told & { type: "list" }>({
      type: "list", from: timeAt(v, GUTTER), to: timeAt(v, this.width), first: Math.floor(rowAt(v, HEAD)), last: Math.floor(rowAt(v, this.height)), most,
    });
  }

  /** What of the loaded pieces is in a window. */
  async within(from: number, to: number, first: number, last: number, most: number): Promise<Seen[]> {
    return (await this.askWorker<Told & { type: "list" }>({ type: "list", from, to, first, last, most })).all;
  }

  async of(id: string): Promise<Seen[]> {
    return (await this.askWorker<Told & { type: "of" }>({ type: "of", id })).all;
  }

  private hear(told: Told): void {
    if (told.type === "tile") {
      this.asked.delete(told.key);
      if (told.generation) this.tiles.put(told.key, told.generation, told.bitmap, told.covered);
      this.draw();
    } else if (told.type === "window") {
      this.tiles.begin(stateOf(told.heading, this.words[told.generation] ?? "", told.generation), told.generation);
      this.news = told;
      if (!this.tiles.changing) this.publish();
      this.draw();
    } else if (told.type !== "wrong") {
      this.answers.get(told.number)?.(told);
      this.answers.delete(told.number);
    }
  }

  // ---- drawn ----

  private changed(): void {
    const v = this.view;
    if (v && this.rows && this.width) {
      const wide = (this.width - GUTTER) * v.second;
      const high = (this.height - HEAD) / v.row;
      const first = Math.max(0, Math.floor(rowAt(v, HEAD) - high));
      const last = Math.min(this.rows.n - 1, Math.ceil(rowAt(v, this.height) + high));
      this.tell.need(v.t0 - wide * 0.75, v.t0 + wide * 1.75, first, Math.max(first, last), Math.round((this.width - GUTTER) * 2.5), Math.max(1, Math.round((last - first + 1) * v.row)));
    }
    this.draw();
  }

  draw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  private key(tx: number, ty: number, v: View, color = this.color): string {
    return `${color} ${v.second} ${v.row} ${tx} ${ty}`;
  }

  /** Tiles in sight, the middle ones first. */
  private inSight(v: View): { tx: number; ty: number; x: number; y: number }[] {
    const left = (v.t0 - EPOCH) / v.second;
    const all: { tx: number; ty: number; x: number; y: number }[] = [];
    for (let tx = Math.floor(left / TILE); tx * TILE < left + this.width - GUTTER; tx++)
      for (let ty = Math.floor(v.y0 / TILE); ty * TILE < Math.min(v.y0 + this.height - HEAD, (this.rows?.n ?? 0) * v.row); ty++)
        all.push({ tx, ty, x: GUTTER + tx * TILE - left, y: HEAD + ty * TILE - v.y0 });
    return all;
  }

  private paint(): void {
    this.frame = 0;
    const v = this.view;
    const g = this.canvas.getContext("2d", { alpha: false });
    if (!v || !g || !this.rows) return;
    const ratio = window.devicePixelRatio || 1;
    this.tiles.beginFrame();
    this.keepBack(v);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawUnder(g, this.canvas, v, this.width, this.height, this.rows, this.marks);
    g.save();
    g.beginPath();
    g.rect(GUTTER, HEAD, this.width - GUTTER, this.height - HEAD);
    g.clip();
    this.paintTiles(g, v);
    g.restore();
    this.marks.painted = Boolean(this.last || this.back);
    drawOver(g, this.canvas, v, this.width, this.height, this.rows, this.marks, this.heading);
    this.tell.frame(v);
  }

  private paintTiles(g: CanvasRenderingContext2D, v: View): void {
    const wanted = this.inSight(v).map((w) => ({ ...w, key: this.key(w.tx, w.ty, v) }));
    if (this.tiles.turn(wanted.map((w) => w.key))) this.publish();
    const found = wanted.map((w) => this.tiles.get(w.key));
    const whole = found.every((t) => t !== undefined);
    g.imageSmoothingEnabled = false;
    // Of another scale, until there are tiles of this one; while the scale is changed alone.
    if (!whole && this.back) this.paintBack(g, v, this.back, this.zooming ? [] : wanted.filter((_, i) => found[i] === undefined));
    if (!whole && this.back && this.zooming) return;
    wanted.forEach((w, i) => {
      const tile = found[i];
      if (tile) g.drawImage(tile, Math.round(w.x), Math.round(w.y));
      if (this.tiles.lacks(w.key)) this.askTile(w.key, w.tx, w.ty, v);
    });
    if (!whole) return;
    this.last = { view: v, color: this.color };
    this.back = null;
  }

  private askTile(key: string, tx: number, ty: number, v: View): void {
    if (this.asked.size >= AT_ONCE || this.asked.has(key)) return;
    this.asked.add(key);
    const scale: Scale = { epoch: EPOCH, second: v.second, row: v.row };
    this.post({ type: "tile", key, color: this.color, scale, tx, ty });
  }

  /** At another scale there are no tiles yet: the last whole picture is kept, once for each
      scale rather than in each frame, to be seen stretched meanwhile. */
  private keepBack(v: View): void {
    const { last } = this;
    if (!last || (last.view.second === v.second && last.view.row === v.row && last.color === this.color)) return;
    const copy = document.createElement("canvas");
    copy.width = this.width - GUTTER;
    copy.height = this.height - HEAD;
    const g = copy.getContext("2d");
    for (const w of this.inSight(last.view)) {
      const tile = this.tiles.get(this.key(w.tx, w.ty, last.view, last.color));
      if (tile) g?.drawImage(tile, Math.round(w.x) - GUTTER, Math.round(w.y) - HEAD);
    }
    this.back = { canvas: copy, view: last.view };
    this.last = null;
  }

  /** Where tiles are missing; with none named, all of it. */
  private paintBack(g: CanvasRenderingContext2D, v: View, back: { canvas: HTMLCanvasElement; view: View }, missing: { x: number; y: number }[]): void {
    const x0 = xAt(v, back.view.t0);
    const x1 = xAt(v, back.view.t0 + back.canvas.width * back.view.second);
    const y0 = yAt(v, back.view.y0 / back.view.row);
    const y1 = yAt(v, (back.view.y0 + back.canvas.height) / back.view.row);
    g.save();
    g.beginPath();
    for (const m of missing) g.rect(Math.round(m.x), Math.round(m.y), TILE, TILE);
    if (missing.length) g.clip();
    g.drawImage(back.canvas, x0, y0, x1 - x0, y1 - y0);
    g.restore();
  }
}
