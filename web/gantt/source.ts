// What the picture shows, asked of the scheduler: more than is in sight, so that a pan finds
// it there; again when something has changed.
import { ApiError, askBytes } from "../api/client";
import type { Heading } from "./data";
import type { Picture } from "./picture";
import { HEAD, askable, coversTime, rowAt } from "./view";

interface Wanted {
  from: number;
  to: number;
  first: number;
  last: number;
  width: number;
  height: number;
}

const NAMED = ["user", "group", "account", "class", "qos"];
const AGAIN_MS = 3000; // after a refusal
const REST_MS = 70; // the view is still for so long before it is asked for

export class Source {
  layers = "";
  by = "partition";
  fold = "";
  private wanted: Wanted | null = null;
  private have: (Wanted & { words: string; second: number; row: number; heading: Heading | null }) | null = null;
  private timer: number | undefined;
  private asking = false;
  private over = false;

  constructor(private readonly picture: Picture, private readonly wrong: (e: ApiError | null) => void) {}

  end(): void {
    this.over = true;
    window.clearTimeout(this.timer);
  }

  need(w: Wanted): void {
    const [from, to] = askable(w.from, w.to);
    this.wanted = { ...w, from, to };
    this.later(REST_MS);
  }

  /** The picture has read what was asked for last. */
  read(heading: Heading): void {
    if (this.have) this.have.heading = heading;
  }

  private later(ms: number): void {
    window.clearTimeout(this.timer);
    if (!this.over) this.timer = window.setTimeout(() => void this.look(), ms);
  }

  private words(): string {
    // State and wait are no names: what is told has them in any case.
    const color = NAMED.includes(this.picture.color) ? this.picture.color : "user";
    return `by=${this.by}&fold=${encodeURIComponent(this.fold)}&layers=${this.layers}&color=${color}`;
  }

  /** Is what is in sight there, as fine as it can be seen? */
  private suffices(): boolean {
    const { have } = this;
    const v = this.picture.view;
    const { width, height } = this.picture.size;
    if (!have || !v || have.words !== this.words()) return false;
    const n = this.picture.rows?.n ?? 0;
    const covers = coversTime(have, v, width)
      && have.first <= Math.max(0, Math.floor(rowAt(v, HEAD))) && have.last >= Math.min(n - 1, Math.ceil(rowAt(v, height)) - 1);
    const like = (a: number, b: number) => a / b < 1.45 && b / a < 1.45;
    return covers && (have.heading?.as !== "cells" || (like(have.second, v.second) && like(have.row, v.row)));
  }

  private async look(): Promise<void> {
    if (this.asking || this.over || !this.wanted || this.suffices()) return;
    const told = await this.ask(this.wanted, false);
    if (!this.suffices()) this.later(told ? REST_MS : AGAIN_MS);
  }

  /** Something may have changed; with other rows all of it is read anew. */
  async refresh(anew = false): Promise<void> {
    if (anew && this.have) this.have.heading = null;
    if (this.have && !this.asking) await this.ask(this.have, true);
  }

  /** False: there was no answer. */
  private async ask(w: Wanted, again: boolean): Promise<boolean> {
    const v = this.picture.view;
    const words = this.words();
    if (!v) return false;
    this.asking = true;
    const path = `/v1/timeline?from=${Math.floor(w.from)}&to=${Math.ceil(w.to)}&rows=${w.first}-${w.last}`
      + `&width=${Math.min(8192, w.width)}&height=${Math.min(8192, w.height)}&packed=1&${words}`;
    try {
      const answer = await askBytes(path, again && this.have?.words === words ? this.have.heading?.state : undefined);
      if (this.over) return false;
      if (!again) this.have = { ...w, words, second: v.second, row: v.row, heading: null };
      if (answer) this.picture.setWindow(answer, words);
      this.wrong(null);
      return true;
    } catch (e) {
      if (e instanceof ApiError) this.wrong(e);
      return false;
    } finally {
      this.asking = false;
    }
  }
}
