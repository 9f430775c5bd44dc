// The tiles that the worker has painted. Those in sight are of one state of the scheduler:
// what is newer is painted beside, and shown when all of it is there. A picture of which one
// half is of the plan before and the other of the plan after would show a job twice.
import type { Heading } from "./data";

interface Tile {
  bitmap: ImageBitmap | null; // null: it could not be painted
  window: number; // that it is of
  covered: boolean; // all that it shows was in that window
  used: number; // the frame that drew it last
}

const TILES_MAX = 260;

/** What the pieces of a window say is the same in every window of this state: also of other
    rows and times. Cells are of their window alone. */
export function stateOf(h: Heading, words: string, window: number): string {
  return h.as === "cells" ? `cells ${window}` : `${h.revision}.${h.plan}.${h.tag}.${Math.floor(h.at / 60)} ${words}`;
}

export class Tiles {
  private shown = new Map<string, Tile>();
  private next = new Map<string, Tile>();
  private shownState = "";
  private nextState = ""; // the same: nothing newer is being painted
  private window = 0; // the last one of nextState
  private frame = 0;

  /** From now on the worker paints this window. */
  begin(state: string, window: number): void {
    this.window = window;
    if (state === this.nextState) return;
    if (this.next !== this.shown) close(this.next);
    this.nextState = state;
    // The first picture is seen as it grows.
    if (!this.shownState) this.shownState = state;
    this.next = state === this.shownState ? this.shown : new Map();
  }

  /** Something newer is being painted. */
  get changing(): boolean {
    return this.nextState !== this.shownState;
  }

  put(key: string, window: number, bitmap: ImageBitmap | null, covered: boolean): void {
    // One of the window before the last was on its way: of the state that is shown.
    const into = window === this.window || !this.changing ? this.next : this.shown;
    into.get(key)?.bitmap?.close();
    into.set(key, { bitmap, window, covered, used: this.frame });
    this.forget(into);
  }

  /** Is the tile to be painted? */
  lacks(key: string): boolean {
    const tile = this.next.get(key);
    return this.window > 0 && (!tile || (!tile.covered && tile.window !== this.window));
  }

  /** What is newer is shown, if all of these are there. True: it is another picture now. */
  turn(keys: string[]): boolean {
    if (!this.changing) return false;
    const there = keys.flatMap((k) => this.next.get(k) ?? []);
    // They will be seen: however many they are, none is forgotten before the last is there.
    for (const tile of there) tile.used = this.frame;
    if (there.length < keys.length) return false;
    close(this.shown);
    this.shown = this.next;
    this.shownState = this.nextState;
    return true;
  }

  get(key: string): ImageBitmap | null | undefined {
    const tile = this.shown.get(key);
    if (tile) tile.used = this.frame;
    return tile?.bitmap; // null: there is nothing to be seen of it
  }

  beginFrame(): void {
    this.frame += 1;
  }

  end(): void {
    close(this.shown);
    close(this.next);
  }

  private forget(from: Map<string, Tile>): void {
    if (from.size <= TILES_MAX) return;
    const old = [...from.entries()].sort((a, b) => a[1].used - b[1].used).slice(0, from.size - TILES_MAX / 2);
    for (const [key, tile] of old) {
      if (tile.used >= this.frame - 1) continue;
      tile.bitmap?.close();
      from.delete(key);
    }
  }
}

function close(tiles: Map<string, Tile>): void {
  tiles.forEach((t) => t.bitmap?.close());
  tiles.clear();
}
