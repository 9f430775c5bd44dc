// A reservation that is drawn on the timeline, by pointer and keys; and on the picture what
// would be.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { Heading, Seen } from "../gantt/data";
import { boxByKey, type Drawing } from "../gantt/draw";
import { ghostsOf, runsOf, type Ghosts, type Moved } from "../gantt/ghosts";
import { whenOf } from "../gantt/over";
import type { Picture } from "../gantt/picture";
import { hostsOf, type RowList } from "../gantt/rows";
import { HEAD, rowAt, yAt } from "../gantt/view";
import { beginChange, beginNew, setDraft, takeBox, takeKept, theDraft, useDraft, windowOf, type Box, type Draft } from "../model/draft";
import { count } from "../model/format";
import { useLive } from "../model/live";
import type { Zone } from "../model/prefs";
import { go, withQuery } from "../model/route";
import type { Reservation } from "../model/types";
import { useShown } from "../model/whatif";
import { useMayChange } from "../parts/actions";
import type { FitMarks } from "./fit";

interface Screen {
  picture: { current: Picture | null | undefined };
  canvas: { current: HTMLCanvasElement | null | undefined };
  rows: RowList | null;
  now: number;
  zone: Zone;
  heading: Heading | null;
  row: number | undefined; // of the keyboard's cursor
  say: (text: string) => void;
  fit: FitMarks; // of the job that is asked about
}

function boxOf(d: Draft | null, rows: RowList | null, now: number, zone: Zone): Box | null {
  const window = d ? windowOf(d, now, zone) : null;
  if (!d || !rows?.n || !window) return null;
  const drawn = d.rows && (d.form.hosts === (d.was.hosts ?? "") || d.form.hosts === hostsOf(rows, d.rows[0], d.rows[1]));
  const all = /^all$/i.test(d.form.hosts?.trim() ?? "") ? [0, rows.n - 1] : null;
  const [first, last] = drawn && d.rows ? d.rows : all ?? [0, -1];
  if (last < first) return null;
  return { from: window.from, to: window.to ?? window.from + 30 * 86400, first, last };
}

/** The rows of those nodes, in that time. */
function boxesOf(nodes: string[], from: number, to: number, rows: RowList | null): Ghosts["places"] {
  if (!nodes.length || !rows || rows.n > 20000) return [];
  const names = new Set(nodes);
  const found = Array.from({ length: rows.n }, (_, r) => r).filter((r) => names.has(rows.name(r)));
  return runsOf(found).map(([first, last]) => ({ first, last, from, to }));
}

/** Where a reservation of so many tasks would come to lie. */
function placesOf(shown: ReturnType<typeof useShown>, d: Draft | null, rows: RowList | null) {
  const made = shown?.changes?.[0]?.reservation;
  return made?.places && d ? boxesOf(made.places.map((p) => p.node), made.start_at, made.end_at ?? made.start_at + 30 * 86400, rows) : [];
}

/** What is on its nodes in its time, of what has been loaded: told while it is drawn. */
function Touched({ all, box }: { all: Seen[]; box: Box | null }) {
  if (!box) return null;
  const jobs = (kinds: string[]) => new Set(all.filter((s) => s.job && kinds.includes(s.kind)).map((s) => s.id)).size;
  const said = [
    [jobs(["running", "suspended", "overrun"]), "running"], [jobs(["promised"]), "promised"], [jobs(["forecast"]), "foreseen"],
  ].filter(([n]) => n).map(([n, word]) => `${count(n as number)} ${n === 1 ? "job" : "jobs"} ${word}`);
  const rsv = new Set(all.filter((s) => s.kind === "reserved" || s.kind === "standing").map((s) => s.id)).size;
  const down = all.filter((s) => s.kind === "down" || s.kind === "drained" || s.kind === "unknown").reduce((n, s) => n + s.rows, 0);
  if (rsv) said.push(`${count(rsv)} ${rsv === 1 ? "reservation" : "reservations"}`);
  if (down) said.push(`${count(down)} ${down === 1 ? "node" : "nodes"} down`);
  return <p className="touched" role="status">{said.length ? `Touches ${said.join(", ")}.` : "Touches nothing."}</p>;
}

export function useDrawing(screen: Screen) {
  const { picture, canvas, rows, now, zone, heading, say, fit } = screen;
  const nowRef = useRef<number>(now) as { current: number };
  nowRef.current = now;
  const may = useMayChange();
  const reserves = useLive((s) => Boolean(s.who?.reserves)) && may;
  const user = useLive((s) => s.who?.user);
  const draft = useDraft();
  const shown = useShown();
  const [moved, setMoved] = useState<Moved[]>([]);
  const [onIt, setOnIt] = useState<Seen[]>([]);
  const zoneRef = useRef<Zone>(zone) as { current: Zone };
  zoneRef.current = zone;
  const rowsRef = useRef<RowList | null>(rows) as { current: RowList | null };
  rowsRef.current = rows;
  const drawing = useRef<Drawing>({
    box: () => boxOf(theDraft(), rowsRef.current, nowRef.current, zoneRef.current),
    armed: () => theDraft() !== null && !boxOf(theDraft(), rowsRef.current, nowRef.current, zoneRef.current),
    can: () => theDraft() !== null,
    put: (b) => rowsRef.current && takeBox(b, zoneRef.current, (first, last) => hostsOf(rowsRef.current as RowList, first, last)),
    now: () => nowRef.current,
    rows: () => rowsRef.current?.n ?? 0,
    zone: () => zoneRef.current,
  }).current as Drawing;

  // ---- what would be ----
  const box = boxOf(draft, rows, now, zone);
  const places = useMemo(() => placesOf(shown, draft, rows), [shown, draft, rows]);
  const fits = useMemo(() => (fit.slot ? boxesOf(fit.nodes, fit.slot.from, fit.slot.to, rows) : []), [fit, rows]);
  useEffect(() => {
    let over = false;
    const p = picture.current;
    if (!shown || !p) setMoved([]);
    else void ghostsOf(shown, (id) => p.of(id)).then((all) => over || setMoved(all));
    return () => {
      over = true;
    };
  }, [shown, heading]);
  useEffect(() => picture.current?.mark({ ghosts: { box, moved, places: [...places, ...fits], slots: fit.later } }), [JSON.stringify(box), moved, places, fits, fit, heading]);
  useEffect(() => {
    let over = false;
    if (box) void picture.current?.within(box.from, box.to, box.first, box.last, 4000).then((all) => over || setOnIt(all));
    else setOnIt([]);
    return () => {
      over = true;
    };
  }, [JSON.stringify(box), heading]);
  useEffect(() => {
    if (user) takeKept(user);
  }, [user]);
  useEffect(() => () => setDraft(null), []);

  function begin() {
    go(withQuery({ sel: null, kind: null, fit: null }), true);
    beginNew();
    say("New reservation: drag a box of nodes and time, or move it by arrows and resize it with Shift; Enter goes to its form, Escape gives it up");
    canvas.current?.focus();
  }
  const toForm = useRef(false); // it is asked for by its key
  function change(r: Reservation) {
    const open = toForm.current;
    toForm.current = false;
    void picture.current?.of(r.name).then((all) => {
      const found = runsOf(all.flatMap((s) => Array.from({ length: s.rows }, (_, i) => s.row + i)));
      beginChange(r, zone, found.length === 1 ? found[0] : null);
      if (open) setDraft({ ...(theDraft() as Draft), open });
      if (open) return;
      say(`${r.name}: arrows move it, with Shift they resize it; Enter goes to its form, Escape gives it up`);
      canvas.current?.focus();
    });
  }
  /** Of the reservation that is open, whose panel knows whether it can be. */
  function changeChosen() {
    document.querySelector<HTMLElement>('.actions [data-do="change"]')?.click();
  }
  function takeKey(e: KeyboardEvent & { shiftKey?: boolean }): boolean {
    const p = picture.current;
    if (!p?.view) return false;
    if (!draft) {
      if (e.key === "n" && reserves) begin();
      else if (e.key === "m" || e.key === "e") {
        toForm.current = e.key === "e";
        changeChosen();
      }
      else return false;
      return true;
    }
    if (e.key === "Enter") {
      setDraft({ ...draft, open: true });
      document.querySelector<HTMLElement>('.panel [name="duration_s"]')?.focus();
      return true;
    }
    if (e.key === "Escape") {
      setDraft(null);
      return true;
    }
    const row = Math.max(0, screen.row ?? Math.ceil(rowAt(p.view, HEAD)));
    const next = boxByKey(box, e.key, Boolean(e.shiftKey), p, drawing, row);
    if (!next || !rows) return false;
    drawing.put(next, true);
    const y = yAt(p.view, next.last);
    if (y < HEAD || y > p.size.height - 20) p.pan(0, y - p.size.height / 2);
    say(`${hostsOf(rows, next.first, next.last)}, ${whenOf({ start: next.from, end: next.to } as Seen, now, zone)}`);
    return true;
  }

  return { draft, drawing, reserves, begin, change, takeKey, touched: <Touched all={onIt.filter((s) => s.job || s.id !== draft?.of)} box={box} /> };
}
