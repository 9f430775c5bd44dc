// The picture: tiles that the worker has painted, moved by the view, and over them what is
// sharp at every scale: ruler, names, frames, now. It draws when something is different.
import { drawOver, drawUnder, groundOf, type Marks } from "./over";
import { TILE, type Scale } from "./paint";
import type { RowList } from "./rows";
import type { Heading, Seen } from "./data";
import { GUTTER, HEAD, clampRows, firstView, rowAt, timeAt, xAt, yAt, zoomRows, zoomTime, type View } from "./view";
import type { Ask, Told } from "./worker";

const TILES_MAX = 260;
const AT_ONCE = 3; // tiles that the worker has been asked for
const EPOCH = 1600000000; // where tiles are counted from

interface Tile {
  bitmap: ImageBitmap;
  generation: number;
  used: number; // the frame that drew it last
}

export interface Listener {
  window: (heading: Heading, pieces: number) => void;
  view: (view: View) => void;
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
  marks: Marks = { now: 0, zone: "UTC", reserved: [], chosen: [], under: null, cursor: null };
  private readonly worker = startWorker();
  private readonly tiles = new Map<string, Tile>();
  private readonly asked = new Set<string>();
  private readonly answers = new Map<number, (told: Told) => void>();
  private generation = 0;
  private shownGeneration = 0;
  private number = 0;
  private frame = 0;
  private drawn = 0;
  private width = 0;
  private height = 0;
  private back: { canvas: HTMLCanvasElement; view: View } | null = null;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly tell: Listener) {
    this.worker.onmessage = (e: MessageEvent<Told>) => this.hear(e.data);
  }

  end(): void {
    this.worker.terminate();
    cancelAnimationFrame(this.frame);
    this.tiles.forEach((t) => t.bitmap.close());
    this.tiles.clear();
  }

  // ---- what is shown ----

  setRows(rows: RowList): void {
    this.rows = rows;
    this.post({ type: "rows", procs: rows.procs });
    if (this.view) this.view = clampRows(this.view, rows.n, this.height);
    this.changed();
  }

  setWindow(answer: ArrayBuffer): void {
    this.generation += 1;
    this.worker.postMessage({ type: "window", generation: this.generation, answer } as Ask, [answer]);
  }

  setView(view: View): void {
    this.view = clampRows(view, this.rows?.n ?? 0, this.height);
    this.changed();
    this.tell.view(this.view);
  }

  resize(width: number, height: number, now: number): void {
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (!this.view && this.rows) this.view = firstView(now, this.rows.n, width, height);
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

  async of(id: string): Promise<Seen[]> {
    return (await this.askWorker<Told & { type: "of" }>({ type: "of", id })).all;
  }

  private hear(told: Told): void {
    if (told.type === "tile") {
      this.asked.delete(told.key);
      this.tiles.get(told.key)?.bitmap.close();
      this.tiles.delete(told.key);
      if (told.bitmap) this.tiles.set(told.key, { bitmap: told.bitmap, generation: told.generation, used: this.drawn });
      this.draw();
    } else if (told.type === "window") {
      this.shownGeneration = told.generation;
      this.heading = told.heading;
      this.marks.reserved = told.reserved;
      this.tell.window(told.heading, told.pieces);
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

  private key(tx: number, ty: number, v: View): string {
    return `${this.color} ${v.second} ${v.row} ${tx} ${ty}`;
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
    this.drawn += 1;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawUnder(g, this.canvas, v, this.width, this.height, this.rows, this.marks);
    g.save();
    g.beginPath();
    g.rect(GUTTER, HEAD, this.width - GUTTER, this.height - HEAD);
    g.clip();
    const whole = this.paintTiles(g, v);
    g.restore();
    if (whole) this.keepBack(v, ratio);
    drawOver(g, this.canvas, v, this.width, this.height, this.rows, this.marks, this.heading);
  }

  private paintTiles(g: CanvasRenderingContext2D, v: View): boolean {
    const wanted = this.inSight(v);
    const found = wanted.map((w) => this.tiles.get(this.key(w.tx, w.ty, v)));
    const whole = found.every((t) => t);
    g.imageSmoothingEnabled = false;
    if (!whole && this.back) this.paintBack(g, v, this.back);
    wanted.forEach((w, i) => {
      const tile = found[i];
      if (tile) {
        if (!whole) this.clearTile(g, w.x, w.y);
        tile.used = this.drawn;
        g.drawImage(tile.bitmap, Math.round(w.x), Math.round(w.y));
      }
      if ((!tile || tile.generation !== this.shownGeneration) && this.shownGeneration) this.askTile(w.tx, w.ty, v);
    });
    if (this.tiles.size > TILES_MAX) this.forget();
    return whole;
  }

  /** What was scaled to stand in for it goes. */
  private clearTile(g: CanvasRenderingContext2D, x: number, y: number): void {
    const past = this.view ? xAt(this.view, this.marks.now) : 0;
    g.fillStyle = groundOf(this.canvas, x + TILE / 2 < past);
    g.fillRect(Math.round(x), Math.round(y), TILE, TILE);
  }

  private askTile(tx: number, ty: number, v: View): void {
    const key = this.key(tx, ty, v);
    if (this.asked.size >= AT_ONCE || this.asked.has(key)) return;
    this.asked.add(key);
    const scale: Scale = { epoch: EPOCH, second: v.second, row: v.row };
    this.post({ type: "tile", key, generation: this.shownGeneration, color: this.color, scale, tx, ty });
  }

  private forget(): void {
    const old = [...this.tiles.entries()].sort((a, b) => a[1].used - b[1].used).slice(0, this.tiles.size - TILES_MAX / 2);
    for (const [key, tile] of old) {
      if (tile.used === this.drawn) continue;
      tile.bitmap.close();
      this.tiles.delete(key);
    }
  }

  /** The last whole picture, to be seen scaled until the tiles of another scale are there. */
  private keepBack(v: View, ratio: number): void {
    if (this.back && this.back.view === v) return;
    const copy = this.back?.canvas ?? document.createElement("canvas");
    const [w, h] = [this.width - GUTTER, this.height - HEAD];
    if (copy.width !== w || copy.height !== h) {
      copy.width = w;
      copy.height = h;
    }
    copy.getContext("2d", { alpha: false })?.drawImage(this.canvas, GUTTER * ratio, HEAD * ratio, w * ratio, h * ratio, 0, 0, w, h);
    this.back = { canvas: copy, view: v };
  }

  private paintBack(g: CanvasRenderingContext2D, v: View, back: { canvas: HTMLCanvasElement; view: View }): void {
    const x0 = xAt(v, back.view.t0);
    const x1 = xAt(v, back.view.t0 + back.canvas.width * back.view.second);
    const y0 = yAt(v, back.view.y0 / back.view.row);
    const y1 = yAt(v, (back.view.y0 + back.canvas.height) / back.view.row);
    g.drawImage(back.canvas, x0, y0, x1 - x0, y1 - y0);
  }
}
