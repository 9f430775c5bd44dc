// What of the timeline is in sight, in the address and for the next time.
import { showSpan } from "../gantt/hands";
import type { Picture } from "../gantt/picture";
import { GUTTER, HEAD, niceSecond, rowAt, timeAt, type View } from "../gantt/view";
import { setPrefs } from "../model/prefs";
import { go, withQuery } from "../model/route";

const SPAN_LEAST_S = 600;
const SPAN_MOST_S = 8 * 86400;

export function keepView(p: Picture, v: View) {
  const { width, height } = p.size;
  if (!location.pathname.startsWith("/ui/timeline")) return;
  const rows = `${Math.max(0, Math.floor(rowAt(v, HEAD)))}-${Math.max(0, Math.ceil(rowAt(v, height)) - 1)}`;
  go(withQuery({ from: String(Math.round(timeAt(v, GUTTER))), to: String(Math.round(timeAt(v, width))), rows }), true);
}

/** It opens the next time with as much time as it shows. */
export function keepSpan(p: Picture, v: View) {
  setPrefs({ span_s: Math.min(SPAN_MOST_S, Math.max(SPAN_LEAST_S, Math.round(timeAt(v, p.size.width) - timeAt(v, GUTTER)))) });
}

/** Moved, or made as wide as it needs to be, where that time is not in sight; whether it was. */
export function showAlso(p: Picture, from: number, to: number): boolean {
  if (!p.view || (timeAt(p.view, GUTTER) <= from && timeAt(p.view, p.size.width) >= to)) return false;
  const margin = (to - from) * 0.15;
  showSpan(p, Math.min(from - margin, timeAt(p.view, GUTTER)), Math.max(to + margin, from + (p.size.width - GUTTER) * p.view.second));
  return true;
}

export function takeView(p: Picture, query: URLSearchParams) {
  const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
  const rows = /^(\d+)-(\d+)$/.exec(query.get("rows") ?? "");
  if (rows && p.view) {
    const n = Math.max(1, Number(rows[2]) - Number(rows[1]) + 1);
    p.zoomRows((p.size.height - HEAD) / n / p.view.row, HEAD);
    p.setView({ ...p.view, y0: Number(rows[1]) * p.view.row });
  }
  if (from > 0 && to > from && p.view) {
    p.setView({ ...p.view, second: niceSecond((to - from) / (p.size.width - GUTTER)) });
    showSpan(p, from, to);
    p.setView({ ...p.view, t0: from });
  }
}
