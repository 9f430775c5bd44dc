// Pointer and wheel on the picture.
import type { Seen } from "./data";
import type { Picture } from "./picture";
import { GUTTER, HEAD, rowAt, timeAt } from "./view";

interface Hear {
  hover: (seen: Seen | null, x: number, y: number) => void;
  select: (seen: Seen | null) => void;
  name: (row: number, group: boolean) => void; // a row's name, or its group's
}

const CLICK_PX = 4;
const GROUP_PX = 24; // where the names of groups are

export function listenTo(canvas: HTMLCanvasElement, picture: Picture, hear: Hear): () => void {
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(name: K, run: (e: HTMLElementEventMap[K]) => void, options: object = {}) =>
    canvas.addEventListener(name, run as EventListener, { ...options, signal: stop.signal });
  let held: { x: number; y: number; moved: boolean; zoom: boolean; from: number } | null = null;
  let asking = false;
  let last: [number, number] | null = null;

  const where = (e: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  async function look(): Promise<void> {
    if (asking || !last) return;
    asking = true;
    const [x, y] = last;
    last = null;
    const seen = await picture.at(x, y);
    asking = false;
    if (!held) hear.hover(seen, x, y);
    if (last) void look();
  }

  on("wheel", (e) => {
    e.preventDefault();
    const [x, y] = where(e);
    const delta = e.deltaMode ? e.deltaY * 30 : e.deltaY;
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY) && !e.shiftKey) picture.pan(e.deltaX, 0);
    else if (e.ctrlKey || e.metaKey) picture.zoomRows(delta > 0 ? 1 / 1.41 : 1.41, y);
    else if (e.shiftKey || x < GUTTER) picture.pan(0, e.deltaY || e.deltaX);
    else picture.zoomTime(delta > 0 ? 1.19 : 1 / 1.19, x);
  }, { passive: false });
  on("pointerdown", (e) => {
    if (e.button) return;
    const [x, y] = where(e);
    held = { x, y, moved: false, zoom: e.altKey, from: x };
    canvas.setPointerCapture(e.pointerId);
  });
  on("pointermove", (e) => {
    const [x, y] = where(e);
    if (!held) {
      last = [x, y];
      void look();
      return;
    }
    if (!held.moved && Math.hypot(x - held.x, y - held.y) < CLICK_PX) return;
    if (!held.moved) hear.hover(null, 0, 0);
    held.moved = true;
    if (!held.zoom) {
      picture.pan(held.x - x, held.y - y);
      held = { ...held, x, y };
    }
  });
  on("pointerup", (e) => {
    const [x, y] = where(e);
    const was = held;
    held = null;
    if (!was) return;
    if (!was.moved && x < GUTTER) {
      if (y >= HEAD && picture.view) hear.name(Math.floor(rowAt(picture.view, y)), x < GROUP_PX);
    } else if (!was.moved) void picture.at(x, y).then(hear.select);
    else if (was.zoom && picture.view && Math.abs(x - was.from) > 8) {
      const [a, b] = [timeAt(picture.view, Math.min(x, was.from)), timeAt(picture.view, Math.max(x, was.from))];
      showSpan(picture, a, b);
    }
  });
  on("pointerleave", () => hear.hover(null, 0, 0));
  on("dblclick", (e) => {
    const [x, y] = where(e);
    if (y < HEAD) return;
    void picture.at(x, y).then((seen) => fitIn(picture, seen));
  });
  return () => stop.abort();
}

/** All of its time, with a little on both sides; what has no end stays as it is seen. */
export function fitIn(picture: Picture, seen: Seen | null): void {
  if (!seen || seen.end === null) return;
  const margin = (seen.end - seen.start) * 0.1;
  showSpan(picture, seen.start - margin, seen.end + margin);
}

/** That time, as wide as there is room for. */
export function showSpan(picture: Picture, from: number, to: number): void {
  const v = picture.view;
  if (!v || to <= from) return;
  picture.zoomTime((to - from) / (picture.size.width - GUTTER) / v.second, GUTTER);
  const now = picture.view ?? v;
  const wide = (picture.size.width - GUTTER) * now.second;
  picture.setView({ ...now, t0: (from + to) / 2 - wide / 2 });
}
