// Below the rows: how much of all nodes is in use, promised, foreseen, reserved and down, over
// the same time. One line of cells, as the scheduler tells it.
import { ApiError, askBytes } from "../api/client";
import { LAYERS, Window } from "./data";
import { GUTTER, askable, coversTime, roundedTime, timeAt, xAt, type View } from "./view";

export interface Shares {
  at: number; // begin of the part of time
  share: Record<(typeof LAYERS)[number], number>; // 0 to 1
}

const TOP = 4; // px above the bars
const REST_MS = 90;
const AGAIN_MS = 3000; // after a refusal
const STACK = [["ended", "running", 0.5], ["use", "running", 1], ["promised", "promised", 0.85], ["forecast", "promised", 0.35]] as const;

export class Strip {
  layers = "";
  private told: Window | null = null;
  private have: { from: number; to: number; second: number; layers: string } | null = null;
  private timer: number | undefined;
  private asking = false;
  private refusedAt = 0; // ms
  private denied = false; // it will be refused whatever is asked
  private over = false;
  private view: View | null = null;
  private now = 0;
  private inUse: number | null = null; // percent: a column is of many minutes, and cannot tell
  private drawnWidth = 0;
  private bars: HTMLCanvasElement | null = null; // of all that was told, a pixel a column

  constructor(private readonly canvas: HTMLCanvasElement, private readonly tell: () => void, private readonly deny?: (why: string) => void) {}

  end(): void {
    this.over = true;
    window.clearTimeout(this.timer);
  }

  /** The view that the rows have; called with each of their frames. */
  show(view: View, now: number): void {
    const still = this.view?.t0 === view.t0 && this.view.second === view.second && this.drawnWidth === this.canvas.clientWidth;
    const same = still && this.now === now;
    this.view = view;
    this.now = now;
    if (!this.suffices()) this.later(REST_MS);
    if (!same) this.paint(); // where rows move it stays as it is
  }

  tellUse(percent: number | null): void {
    this.inUse = percent;
    this.paint();
  }

  private later(ms: number): void {
    window.clearTimeout(this.timer);
    const held = this.refusedAt ? this.refusedAt + AGAIN_MS - Date.now() : 0; // whatever the view does
    if (!this.over && !this.denied) this.timer = window.setTimeout(() => void this.ask(), Math.max(ms, held));
  }

  private suffices(): boolean {
    const { have, view } = this;
    return have !== null && view !== null && have.layers === this.layers && have.second === view.second
      && coversTime(have, view, this.canvas.clientWidth);
  }

  /** Something may have changed. */
  refresh(): void {
    if (this.have) void this.ask();
  }

  private async ask(): Promise<void> {
    const { view, layers } = this;
    if (this.asking || this.over || this.denied || !view) return;
    this.asking = true;
    const wide = (this.canvas.clientWidth - GUTTER) * view.second;
    const again = this.suffices() && this.have;
    const [begin, end] = askable(...roundedTime(view.t0 - wide / 2, view.t0 + 1.5 * wide));
    const [from, to] = again ? [again.from, again.to] : [Math.floor(begin), Math.ceil(end)];
    this.refusedAt = 0;
    try {
      const path = `/v1/timeline?from=${from}&to=${to}&as=cells&height=1&width=2048&packed=1&layers=${layers}`;
      const answer = await askBytes(path, again ? this.told?.heading.state : undefined);
      if (this.over) return;
      if (answer) this.told = await Window.read(answer, new Uint32Array(0));
      this.have = { from, to, second: view.second, layers };
      this.draw();
      this.tell();
    } catch (e) {
      this.refusedAt = Date.now(); // the rows tell what is refused, the frame that there is no answer
      this.denied = e instanceof ApiError && e.status === 403;
      if (this.denied) this.deny?.((e as ApiError).message);
    } finally {
      this.asking = false;
      if (!this.suffices()) this.later(REST_MS);
    }
  }

  /** At an instant; null where it is not known. */
  private at(instant: number): Shares["share"] | null {
    const h = this.told?.heading;
    const column = h ? Math.floor((instant - h.from) / (h.seconds_a_column ?? 1)) : -1;
    if (!h || column < 0 || column >= (h.columns ?? 0)) return null;
    const of = (layer: string) => (this.told?.column[`cell.${layer}`]?.[column] ?? 0) / 255;
    return Object.fromEntries(LAYERS.map((l) => [l, of(l)])) as Shares["share"];
  }

  /** What is in sight, in so many parts. */
  parts(n: number): Shares[] {
    const v = this.view;
    if (!v) return [];
    const [from, to] = [timeAt(v, GUTTER), timeAt(v, this.canvas.clientWidth)];
    const all = Array.from({ length: n }, (_, i) => from + ((i + 0.5) * (to - from)) / n);
    return all.flatMap((at) => {
      const share = this.at(at);
      return share ? [{ at, share }] : [];
    });
  }

  /** Anew: it was told something else, or the theme is another. */
  draw(): void {
    this.bars = null;
    this.paint();
  }

  private paint(): void {
    const g = this.canvas.getContext("2d", { alpha: false });
    const v = this.view;
    if (!g || !v) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.drawnWidth = width;
    if (this.canvas.width !== Math.round(width * ratio)) this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio)) this.canvas.height = Math.round(height * ratio);
    const style = getComputedStyle(this.canvas);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = colour("paper");
    g.fillRect(0, 0, width, height);
    this.drawShares(g, v, width, height, colour);
    const x = Math.round(xAt(v, this.now));
    if (x > GUTTER && x < width) {
      g.fillStyle = colour("now");
      g.fillRect(x - 1, 0, 2, height);
    }
    g.fillStyle = colour("paper");
    g.fillRect(0, 0, GUTTER - 1, height);
    g.fillStyle = colour("line");
    g.fillRect(GUTTER - 1, 0, 1, height);
    g.font = '12px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
    g.textBaseline = "middle";
    g.fillStyle = colour("ink");
    g.fillText("All nodes", 8, 14);
    g.fillStyle = colour("ink-2");
    if (this.inUse !== null) g.fillText(`${this.inUse} % in use now`, 8, 31);
  }

  /** Moved and stretched by the view: in a frame nothing is drawn but that. */
  private drawShares(g: CanvasRenderingContext2D, v: View, width: number, height: number, colour: (name: string) => string): void {
    const h = this.told?.heading;
    if (!h?.columns || !height) return; // it is not in sight any more
    const tall = Math.round(height * (window.devicePixelRatio || 1));
    if (this.bars?.height !== tall) this.bars = this.drawBars(h.columns, tall, tall / height, colour);
    const x0 = Math.round(xAt(v, h.from));
    const x1 = Math.round(xAt(v, h.from + h.columns * (h.seconds_a_column ?? 1)));
    g.imageSmoothingEnabled = false;
    g.drawImage(this.bars, x0, 0, Math.max(1, x1 - x0), height);
    g.fillStyle = colour("line");
    g.fillRect(GUTTER, TOP, width - GUTTER, 1);
  }

  private drawBars(columns: number, tall: number, ratio: number, colour: (name: string) => string): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = tall;
    const g = canvas.getContext("2d", { alpha: false });
    if (!g) return canvas;
    const top = TOP * ratio;
    const room = tall - top;
    const base = new Float32Array(columns);
    g.fillStyle = colour("paper");
    g.fillRect(0, 0, columns, tall);
    const bars = (layer: string, fill: string, alpha: number, fromTop = false) => {
      const share = this.told?.column[`cell.${layer}`];
      if (!share) return;
      g.fillStyle = fill;
      g.globalAlpha = alpha;
      for (let c = 0; c < columns; c++) {
        const part = Math.min(share[c] / 255, 1 - base[c]);
        if (part <= 0) continue;
        g.fillRect(c, fromTop ? top : tall - room * (base[c] + part), 1, room * part);
        if (!fromTop) base[c] += part;
      }
      g.globalAlpha = 1;
    };
    for (const [layer, name, alpha] of STACK) bars(layer, colour(name), alpha);
    bars("down", colour("down"), 0.8, true);
    const reserved = this.told?.column["cell.reserved"];
    g.fillStyle = colour("reserved");
    for (let c = 0; reserved && c < columns; c++)
      if (reserved[c]) g.fillRect(c, tall - (room * reserved[c]) / 255 - ratio, 1, 2 * ratio);
    return canvas;
  }
}
