// Above the rows, over the same time: by when jobs have to be complete, and what became of
// nodes. Told by shape as well as by colour.
import { GUTTER, xAt, type View } from "./view";

export interface Mark {
  at: number;
  lane: "deadlines" | "nodes";
  kind: "met" | "missed" | "open" | "down" | "drained" | "back";
  words: string; // all of it, for the table and the pointer
  name: string; // in the lane, where there is room
}

export const LANES = ["deadlines", "nodes"] as const;
const TALL = 18;
const NEAR_PX = 8;

export class Lanes {
  marks: Mark[] = [];
  private view: View | null = null;
  private now = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {}

  show(view: View, now: number): void {
    if (this.view?.t0 === view.t0 && this.view.second === view.second && this.now === now) return;
    this.view = view;
    this.now = now;
    this.draw();
  }

  /** Those that there are, the first lane at the top. */
  private lanes(): Mark["lane"][] {
    return LANES.filter((lane) => this.marks.some((m) => m.lane === lane));
  }

  /** What the pointer is at. */
  at(x: number, y: number): Mark | null {
    const { view } = this;
    const lane = this.lanes()[Math.floor(y / TALL)];
    if (!view || !lane) return null;
    const near = this.marks.filter((m) => m.lane === lane && Math.abs(xAt(view, m.at) - x) < NEAR_PX);
    return near.reduce<Mark | null>((best, m) => (!best || Math.abs(xAt(view, m.at) - x) < Math.abs(xAt(view, best.at) - x) ? m : best), null);
  }

  get height(): number {
    return this.lanes().length * TALL;
  }

  draw(): void {
    const g = this.canvas.getContext("2d", { alpha: false });
    const v = this.view;
    if (!g || !v || !this.height) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.height];
    if (this.canvas.width !== Math.round(width * ratio)) this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio)) this.canvas.height = Math.round(height * ratio);
    const style = getComputedStyle(this.canvas);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = colour("paper");
    g.fillRect(0, 0, width, height);
    g.font = '12px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
    g.textBaseline = "middle";
    this.lanes().forEach((lane, i) => {
      const y = i * TALL;
      if (i) {
        g.fillStyle = colour("line-soft");
        g.fillRect(0, y, width, 1);
      }
      this.drawLane(g, v, lane, y, width, colour);
      g.fillStyle = colour("paper");
      g.fillRect(0, y + 1, GUTTER - 1, TALL - 1);
      g.fillStyle = colour("ink-2");
      g.fillText(lane === "deadlines" ? "Deadlines" : "Node events", 8, y + TALL / 2 + 1);
    });
    g.fillStyle = colour("line");
    g.fillRect(GUTTER - 1, 0, 1, height);
    const x = Math.round(xAt(v, this.now));
    if (x > GUTTER && x < width) {
      g.fillStyle = colour("now");
      g.fillRect(x - 1, 0, 2, height);
    }
  }

  private drawLane(g: CanvasRenderingContext2D, v: View, lane: Mark["lane"], y: number, width: number, colour: (name: string) => string): void {
    const seen = this.marks.filter((m) => m.lane === lane && xAt(v, m.at) > GUTTER - 8 && xAt(v, m.at) < width + 8).sort((a, b) => a.at - b.at);
    seen.forEach((m, i) => {
      const x = xAt(v, m.at);
      const room = (i + 1 < seen.length ? xAt(v, seen[i + 1].at) : width) - x - 18;
      g.fillStyle = colour({ met: "running", missed: "now", open: "waiting", down: "now", drained: "waiting", back: "running" }[m.kind]);
      drawShape(g, m.kind, x, y + TALL / 2);
      if (room < 24) return;
      g.save();
      g.beginPath();
      g.rect(x + 8, y, room, TALL);
      g.clip();
      g.fillStyle = colour("ink-2");
      g.fillText(m.name, x + 9, y + TALL / 2 + 1);
      g.restore();
    });
  }
}

/** A deadline is a diamond, missed it has a bar; a node goes down, is drained, comes up. */
function drawShape(g: CanvasRenderingContext2D, kind: Mark["kind"], x: number, y: number): void {
  const path = (points: [number, number][]) => {
    g.beginPath();
    points.forEach(([dx, dy], i) => (i ? g.lineTo(x + dx, y + dy) : g.moveTo(x + dx, y + dy)));
    g.fill();
  };
  if (kind === "down") path([[-5, -4], [5, -4], [0, 5]]);
  else if (kind === "back") path([[-5, 4], [5, 4], [0, -5]]);
  else if (kind === "drained") path([[-4, -4], [4, -4], [4, 4], [-4, 4]]);
  else {
    path([[0, -6], [6, 0], [0, 6], [-6, 0]]);
    if (kind === "missed") path([[-1, -8], [1, -8], [1, 8], [-1, 8]]);
  }
}
