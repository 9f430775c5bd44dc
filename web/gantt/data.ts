// A window of the timeline as the scheduler tells it (docs/timeline-format.md), and what is
// looked up in it. No page, no canvas: the worker uses it.

export const KINDS = [
  "running", "suspended", "overrun", "promised", "forecast", "reserved", "standing", "down", "drained", "unknown",
  "ended", "failed",
] as const;
export type Kind = (typeof KINDS)[number];
export const IS = Object.fromEntries(KINDS.map((k, i) => [k, i])) as Record<Kind, number>;
export const NONE = 0xffffffff;
export const WITHOUT_END = 2147483647;
export const LAYERS = ["use", "promised", "forecast", "reserved", "down", "ended"] as const;

/** Of a job: those that share a node lie side by side. */
const isOfJob = (kind: number) => kind <= IS.forecast || kind >= IS.ended;

export interface Heading {
  state: string;
  revision: number;
  plan: number;
  tag: string;
  at: number;
  from: number;
  to: number;
  first: number;
  rows: number;
  as: "pieces" | "cells";
  lines?: number;
  columns?: number;
  rows_a_line?: number;
  seconds_a_column?: number;
  color: string;
  forecast?: { jobs: number; of: number };
  names: Record<string, string[]>;
  sections: { name: string; type: string; at: number; bytes: number }[];
}

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/** Something to see: a job or a reservation, on rows, for a time. */
export interface Named {
  text: string;
  id: string;
  row: number;
  rows: number;
  start: number;
  end: number | null;
  from: number; // shares of the row, from above
  to: number;
}

export interface Seen {
  id: string;
  kind: Kind;
  row: number;
  rows: number;
  start: number; // instants
  end: number | null;
  procs: number; // of a row
  job: boolean;
  whole: number; // processors of the whole job
  user: string;
  group: string;
  account: string;
  class: string;
  qos: string;
}

async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

export class Window {
  readonly column: Record<string, Column> = {};
  ids: string[] = [];
  private firstOf: Uint32Array = new Uint32Array(0); // pieces of a row, as in `byRow`
  private byRow: Uint32Array = new Uint32Array(0);
  private lane: Uint32Array = new Uint32Array(0); // where in its row, in processors

  constructor(readonly heading: Heading, body: ArrayBuffer, base: number, readonly procs: Uint32Array, readonly folded = new Uint8Array(0)) {
    const of: Record<string, (at: number, n: number) => Column> = {
      u8: (at, n) => new Uint8Array(body, at, n),
      u16: (at, n) => new Uint16Array(body, at, n / 2),
      u32: (at, n) => new Uint32Array(body, at, n / 4),
      i32: (at, n) => new Int32Array(body, at, n / 4),
    };
    for (const s of heading.sections)
      if (s.type === "text") this.ids = new TextDecoder().decode(new Uint8Array(body, base + s.at, s.bytes)).split("\n");
      else if (of[s.type]) this.column[s.name] = of[s.type](base + s.at, s.bytes);
    if (heading.as === "pieces") this.index();
  }

  static async read(answer: ArrayBuffer, procs: Uint32Array, folded?: Uint8Array): Promise<Window> {
    const head = new Uint8Array(answer, 0, 8);
    if (String.fromCharCode(...head.slice(0, 6)) !== "MAUITL" || head[7] !== 1) throw new Error("no timeline");
    const body = head[6] ? await inflate(new Uint8Array(answer, 8)) : answer.slice(8);
    const size = new DataView(body).getUint32(0, true);
    const heading = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, size))) as Heading;
    return new Window(heading, body, 4 + size, procs, folded);
  }

  /** Is all that a tile shows in it? */
  covers(from: number, to: number, first: number, last: number): boolean {
    const h = this.heading;
    return h.from <= from && h.to >= to && h.first <= first && h.first + h.rows > Math.min(last, this.procs.length - 1);
  }

  get pieces(): number {
    return this.column["piece.row"]?.length ?? 0;
  }

  // ---- by row ----

  private index(): void {
    const { row, rows } = { row: this.column["piece.row"], rows: this.column["piece.rows"] };
    const n = this.heading.rows;
    const first = new Uint32Array(n + 1);
    for (let i = 0; i < row.length; i++)
      for (let r = 0; r < rows[i]; r++) first[row[i] - this.heading.first + r + 1]++;
    for (let r = 0; r < n; r++) first[r + 1] += first[r];
    const at = first.slice();
    const byRow = new Uint32Array(first[n]);
    for (let i = 0; i < row.length; i++)
      for (let r = 0; r < rows[i]; r++) byRow[at[row[i] - this.heading.first + r]++] = i;
    this.firstOf = first;
    this.byRow = byRow;
    this.lane = new Uint32Array(byRow.length);
    for (let r = 0; r < n; r++) this.layOut(r);
  }

  /** Jobs that are together on a node lie side by side; each keeps its place. */
  private layOut(r: number): void {
    const start = this.column["piece.start"];
    const end = this.column["piece.end"];
    const procs = this.column["piece.procs"];
    const kind = this.column["piece.kind"];
    const slots: number[] = [];
    for (let k = this.firstOf[r]; k < this.firstOf[r + 1]; k++) if (isOfJob(kind[this.byRow[k]])) slots.push(k);
    slots.sort((a, b) => start[this.byRow[a]] - start[this.byRow[b]] || this.byRow[a] - this.byRow[b]);
    let there: number[] = [];
    for (const k of slots) {
      const p = this.byRow[k];
      there = there.filter((o) => end[this.byRow[o]] > start[p]);
      there.sort((a, b) => this.lane[a] - this.lane[b]);
      let at = 0;
      for (const o of there) {
        if (this.lane[o] >= at + procs[p]) break;
        at = Math.max(at, this.lane[o] + procs[this.byRow[o]]);
      }
      const whole = this.procs[this.heading.first + r] || 1;
      this.lane[k] = at + procs[p] > whole ? Math.max(0, whole - procs[p]) : at;
      there.push(k);
    }
  }

  /** Each piece of a row, with its share of the height: from and to, 0 to 1. */
  each(row: number, see: (piece: number, from: number, to: number) => void): void {
    const r = row - this.heading.first;
    if (r < 0 || r >= this.heading.rows || !this.firstOf.length) return;
    const whole = this.procs[row] || 1;
    for (let k = this.firstOf[r]; k < this.firstOf[r + 1]; k++) {
      const p = this.byRow[k];
      const share = Math.min(1, this.column["piece.procs"][p] / whole);
      const laned = isOfJob(this.column["piece.kind"][p]) && share > 0;
      const from = laned ? this.lane[k] / whole : 0;
      // What is reserved or down of a group that is one row has its share, from below.
      if (!laned && this.folded[row]) see(p, 1 - share, 1);
      else see(p, from, laned ? Math.min(1, from + share) : 1);
    }
  }

  seen(p: number): Seen {
    const c = this.column;
    const o = c["piece.object"][p];
    const name = (kind: string) => this.heading.names[kind]?.[c[`object.${kind}`]?.[o]] ?? "";
    const at = (s: number) => (s >= WITHOUT_END ? null : this.heading.from + s);
    return {
      id: this.ids[o] ?? "", kind: KINDS[c["piece.kind"][p]], row: c["piece.row"][p], rows: c["piece.rows"][p],
      start: this.heading.from + c["piece.start"][p], end: at(c["piece.end"][p]), procs: c["piece.procs"][p],
      job: o !== NONE && c["object.job"][o] === 1, whole: o === NONE ? 0 : c["object.procs"][o],
      user: name("user"), group: name("group"), account: name("account"), class: name("class"), qos: name("qos"),
    };
  }

  // ---- what is there ----

  /** The topmost thing at an instant, in a row, at that share of its height. */
  at(instant: number, row: number, share: number): Seen | null {
    const s = instant - this.heading.from;
    let best = -1;
    this.each(row, (p, from, to) => {
      if (s < this.column["piece.start"][p] || s >= this.column["piece.end"][p] || share < from || share >= to) return;
      const rank = (q: number) => (q < 0 ? -1 : isOfJob(this.column["piece.kind"][q]) ? 2 : this.column["piece.kind"][q] <= IS.standing ? 1 : 0);
      if (rank(p) >= rank(best)) best = p;
    });
    return best < 0 ? null : this.seen(best);
  }

  /** All in a part of it, in order of rows and starts. */
  list(from: number, to: number, first: number, last: number, most: number): { all: Seen[]; more: number } {
    const found: number[] = [];
    const c = this.column;
    for (let p = 0; p < this.pieces; p++)
      if (c["piece.row"][p] <= last && c["piece.row"][p] + c["piece.rows"][p] > first
        && this.heading.from + c["piece.start"][p] < to && this.heading.from + c["piece.end"][p] > from) found.push(p);
    found.sort((a, b) => c["piece.row"][a] - c["piece.row"][b] || c["piece.start"][a] - c["piece.start"][b] || a - b);
    return { all: found.slice(0, most).map((p) => this.seen(p)), more: Math.max(0, found.length - most) };
  }

  of(id: string): Seen[] {
    const o = this.ids.indexOf(id);
    const all: Seen[] = [];
    for (let p = 0; o >= 0 && p < this.pieces; p++) if (this.column["piece.object"][p] === o) all.push(this.seen(p));
    return all;
  }

  /** Jobs that have room for their name, the largest first, and where in its row each lies. */
  named(most: number): Named[] {
    const c = this.column;
    const size = (p: number) => c["piece.rows"][p] * (Math.min(c["piece.end"][p], this.heading.to - this.heading.from) - c["piece.start"][p]);
    const all: number[] = [];
    for (let p = 0; p < this.pieces; p++) if (isOfJob(c["piece.kind"][p]) && c["object.job"][c["piece.object"][p]] === 1) all.push(p);
    return all.sort((a, b) => size(b) - size(a) || a - b).slice(0, most).map((p) => {
      const s = this.seen(p);
      let place = { from: 0, to: 1 };
      this.each(s.row, (q, from, to) => {
        if (q === p) place = { from, to };
      });
      return { text: `${s.id}${s.user ? ` ${s.user}` : ""}`, id: s.id, row: s.row, start: s.start, end: s.end, rows: s.rows, ...place };
    });
  }

  /** What frames with names are drawn around. */
  reserved(most: number): Seen[] {
    const all: Seen[] = [];
    const kind = this.column["piece.kind"];
    for (let p = 0; p < this.pieces && all.length < most; p++)
      if (kind[p] === IS.reserved || kind[p] === IS.standing) all.push(this.seen(p));
    return all;
  }
}
