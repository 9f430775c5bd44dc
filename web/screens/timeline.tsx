// Nodes over time: what runs, what was promised, what is foreseen, reserved or down.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { Heading, Seen } from "../gantt/data";
import { drawOn } from "../gantt/draw";
import { fitIn, listenTo } from "../gantt/hands";
import { forgetColours, whenOf } from "../gantt/over";
import { Picture } from "../gantt/picture";
import type { Lanes } from "../gantt/lanes";
import { readRows } from "../gantt/rows";
import { Source } from "../gantt/source";
import { Strip, type Shares } from "../gantt/strip";
import { GUTTER, HEAD, rowAt, xAt, yAt, type View } from "../gantt/view";
import { setDraft } from "../model/draft";
import { count, plain } from "../model/format";
import { askNow, onRound, useAnswer, useLive } from "../model/live";
import { usePrefs } from "../model/prefs";
import { go, useSearch, withQuery } from "../model/route";
import { useSpan } from "../model/span";
import { useNow } from "../parts/frame";
import { isTyping } from "../parts/keys";
import { useInUse } from "../model/lists";
import { useAwaited } from "./awaited";
import { useDrawing } from "./drawing";
import { FitPanel, NO_MARKS, type FitMarks } from "./fit";
import { JobPanel } from "./job";
import { ReservationPanel } from "./reservation";
import { ReserveForm } from "./reserve";
import { Groups, foldAll, groupAt, toggleGroup } from "./timeline_groups";
import { LaneStrip, MarkTable, showLanes, useMarks } from "./timeline_lanes";
import { keepSpan, keepView, showAlso, takeView } from "./timeline_address";
import { Legend, Lines, Tools, WORDS } from "./timeline_parts";

const LISTED = 300;
const ANYWHERE = "nme0fFtwzZ[]+-={}";
const PARTS = 12; // of the time in sight, in the table of use

function Card({ seen, x, y, now }: { seen: Seen; x: number; y: number; now: number }) {
  const { zone } = usePrefs();
  return (
    <div className="g-card" style={{ left: `min(${x + 14}px, calc(100% - 17rem))`, top: `${y + 16}px` }}>
      <strong>{seen.job ? `Job ${plain(seen.id)}` : seen.id ? plain(seen.id) : `Node ${WORDS[seen.kind]}`}</strong>{" "}
      <span className="tag">{WORDS[seen.kind]}</span>
      {seen.job && <div>{[seen.user, seen.account, seen.class].filter(Boolean).map(plain).join(", ")}</div>}
      {seen.job && <div>{count(seen.whole)} {seen.whole === 1 ? "processor" : "processors"}, {count(seen.procs)} here</div>}
      <div className="quiet">{whenOf(seen, now, zone)}</div>
      {seen.kind === "promised" && <div className="quiet">its nodes may still be others</div>}
      {seen.kind === "forecast" && <div className="quiet">no promise: worked out as if all ran to their limits</div>}
    </div>
  );
}

/** The next thing from there in that direction: in time within a row, or in another row. */
function nextOf(all: Seen[], from: Seen | null, key: string): Seen | null {
  if (!from) return all[0] ?? null;
  const same = (s: Seen) => s.row < from.row + from.rows && s.row + s.rows > from.row;
  const middle = (s: Seen) => Math.abs(s.start - from.start);
  const ahead = all.filter((s) =>
    key === "ArrowRight" ? same(s) && (s.start > from.start || (s.start === from.start && s.id > from.id))
    : key === "ArrowLeft" ? same(s) && (s.start < from.start || (s.start === from.start && s.id < from.id))
    : key === "ArrowDown" ? s.row >= from.row + from.rows : s.row + s.rows <= from.row);
  const far = (s: Seen) => (key === "ArrowRight" || key === "ArrowLeft" ? middle(s) : Math.abs(s.row - from.row) * 1e9 + middle(s));
  return ahead.reduce<Seen | null>((best, s) => (!best || far(s) < far(best) ? s : best), null);
}

export function Timeline() {
  const query = new URLSearchParams(useSearch());
  const sel = query.get("sel");
  const color = query.get("color") ?? "user";
  const by = query.get("by") ?? "partition";
  const fold = query.get("fold") ?? "";
  const show = query.get("show") ?? "use,promised,forecast,reserved,down,ended";
  const table = query.get("table") === "1";
  const now = useNow();
  const { zone, theme } = usePrefs();
  const level = useLive((s) => s.who?.level ?? 0);
  const rowsAnswer = useAnswer(`/v1/rows?by=${encodeURIComponent(by)}&fold=${encodeURIComponent(fold)}`);
  const rows = useMemo(() => (rowsAnswer.text ? readRows(rowsAnswer.text) : null), [rowsAnswer.text]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const picture = useRef<Picture>(null);
  const source = useRef<Source>(null);
  const stripCanvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<Strip>(null);
  const lanes = useRef<Lanes>(null);
  const marks = useMarks(level);
  const span = useSpan();
  const inUse = useInUse();
  const rowsRef = useRef(rows) as { current: typeof rows };
  rowsRef.current = rows ?? rowsRef.current; // until others are there
  const [use, setUse] = useState<Shares[]>([]);
  const [heading, setHeading] = useState<Heading | null>(null);
  const [pieces, setPieces] = useState(0);
  const [wrong, setWrong] = useState("");
  const [card, setCard] = useState<{ seen: Seen; x: number; y: number } | null>(null);
  const [lines, setLines] = useState<{ all: Seen[]; more: number }>({ all: [], more: 0 });
  const [cursor, setCursor] = useState<Seen | null>(null);
  const [chosen, setChosen] = useState<Seen | null>(null);
  const [said, setSaid] = useState("");
  const [asked, setAsked] = useState({ id: "", n: 0 }); // why that job waits, the n-th time
  const nowRef = useRef<number>(now) as { current: number };
  nowRef.current = now;

  function select(seen: Seen | null) {
    if (seen?.id) {
      setChosen(seen);
      go(withQuery({ sel: seen.id, kind: seen.job ? null : "reservation" }), Boolean(sel));
    } else if (!seen) go(withQuery({ sel: null, kind: null }), true);
  }

  const fitting = query.get("fit") !== null;
  const [fit, setFit] = useState<FitMarks>(NO_MARKS);
  const shownFor = useRef("");
  const zoomed = useRef(false); // by the page and not by hand
  const drawn = useDrawing({ picture, canvas, rows: fold ? null : rows, now, zone, heading, row: cursor?.row, say: setSaid, fit });
  useEffect(() => {
    if (!fit.slot || !picture.current?.view || !fit.question || fit.question === shownFor.current) return;
    shownFor.current = fit.question; // once: who has looked elsewhere since stays there
    zoomed.current = showAlso(picture.current, fit.slot.from, fit.slot.to);
  }, [fit.question, fit.slot?.from, fit.slot?.to, heading === null]);

  // ---- the picture lives as long as the screen ----
  useEffect(() => {
    if (!canvas.current || !stripCanvas.current || !box.current || !rows || !span) return undefined;
    const below = new Strip(stripCanvas.current, () => setUse(below.parts(PARTS)));
    let timer = 0;
    let scale = 0; // seconds a pixel, as it was opened or chosen
    let other = ""; // tag of rows that are not these, for which it was asked
    const p = new Picture(canvas.current, span, {
      window: (h, n) => {
        s.read(h);
        if (h.tag !== p.rows?.tag && h.tag !== other) {
          other = h.tag;
          askNow(); // a node came or went: its rows, then what is on them
        }
        setHeading(h);
        setPieces(n);
      },
      view: (v) => {
        window.clearTimeout(timer);
        timer = window.setTimeout(() => {
          keepView(p, v);
          if (scale && scale !== v.second && !zoomed.current) keepSpan(p, v);
          zoomed.current = false;
          scale = v.second;
        }, 400);
      },
      frame: (v) => {
        below.show(v, nowRef.current);
        showLanes(lanes, v, nowRef.current);
      },
      need: (from, to, first, last, width, height) => s.need({ from, to, first, last, width, height }),
    });
    const s: Source = new Source(p, (e) => setWrong(e?.message ?? ""));
    picture.current = p;
    source.current = s;
    p.marks = { ...p.marks, now: nowRef.current, zone };
    p.color = color;
    s.by = by;
    s.fold = fold;
    s.layers = show;
    strip.current = below;
    below.layers = show;
    p.rows = rows;
    const see = () => box.current && p.resize(box.current.clientWidth, box.current.clientHeight, nowRef.current);
    see();
    p.setRows(rows);
    takeView(p, new URLSearchParams(location.search));
    const watch = new ResizeObserver(see);
    watch.observe(box.current);
    const unlisten = listenTo(canvas.current, p, {
      hover: (seen, x, y) => {
        p.mark({ under: seen });
        setCard(seen ? { seen, x, y } : null);
      },
      select,
      name: (row, ofGroup) => {
        const group = groupAt(rowsRef.current, row);
        if (group && (group.nodes || ofGroup)) toggleGroup(rowsRef.current, group);
      },
    });
    const undraw = drawOn(canvas.current, p, drawn.drawing);
    const unround = onRound(() => {
      void s.refresh();
      below.refresh();
    });
    return () => {
      window.clearTimeout(timer);
      unround();
      undraw();
      unlisten();
      watch.disconnect();
      s.end();
      below.end();
      p.end();
      picture.current = null;
    };
  }, [Boolean(rows && span), by, fold]);

  useEffect(() => {
    if (rows && picture.current && picture.current.rows !== rows) {
      picture.current.setRows(rows);
      void source.current?.refresh(true);
    }
  }, [rows]);
  useEffect(() => {
    if (!picture.current || !source.current) return;
    source.current.layers = show;
    if (strip.current) strip.current.layers = show;
    picture.current.setColor(color);
  }, [color, show]);
  useEffect(() => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const look = () => {
      forgetColours();
      picture.current?.draw();
      strip.current?.draw();
    };
    look();
    dark.addEventListener("change", look);
    return () => dark.removeEventListener("change", look);
  }, [theme]);
  useEffect(() => strip.current?.tellUse(inUse), [inUse, Boolean(rows && span)]);
  useEffect(() => picture.current?.mark({ now, zone }), [now, zone]);
  useEffect(() => picture.current?.mark({ cursor }), [cursor]);
  useEffect(() => {
    if (sel)
      void picture.current?.of(sel).then((all) => {
        picture.current?.mark({ chosen: all });
        if (all.length) setChosen(all[0]);
      });
    else picture.current?.mark({ chosen: [] });
  }, [sel, heading]);
  useAwaited(picture, chosen?.id === sel ? chosen : null, heading);
  useEffect(() => {
    if (!table) return undefined;
    const timer = window.setTimeout(() => {
      void picture.current?.list(LISTED).then(setLines);
      setUse(strip.current?.parts(PARTS) ?? []);
    }, 250);
    return () => window.clearTimeout(timer);
  }, [table, heading, query.get("from"), query.get("to"), query.get("rows")]);

  /** Beside a reservation that is drawn, or what is open, there is no room for it. */
  useEffect(() => {
    if (!fitting) return;
    setDraft(null);
    if (fold) foldAll(rows, false);
  }, [fitting]);

  async function moveCursor(key: string) {
    const p = picture.current;
    if (!p?.view) return;
    const { all } = await p.list(4000);
    const next = nextOf(all.filter((s) => s.id), cursor && all.find((s) => s.id === cursor.id && s.row === cursor.row && s.start === cursor.start) ? cursor : null, key);
    if (!next) return;
    setCursor(next);
    const y = yAt(p.view, next.row);
    if (y < HEAD || y > p.size.height - 20) p.pan(0, y - p.size.height / 2);
    setCard({ seen: next, ...placeOf(p, next) });
    setSaid(`${next.job ? "Job" : "Reservation"} ${next.id}, ${WORDS[next.kind]}, ${rows?.name(next.row) ?? ""}, ${whenOf(next, now, zone)}`);
  }
  /** What is about no place of the picture is done wherever on the screen the focus is. */
  const readRef = useRef(read) as { current: (e: KeyboardEvent) => void };
  readRef.current = read;
  useEffect(() => {
    const onKey = (e: globalThis.KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target === canvas.current || isTyping(e.target) || document.querySelector("dialog[open]")) return;
      if (ANYWHERE.includes(e.key)) readRef.current(e as unknown as KeyboardEvent);
    };
    window.addEventListener("keydown", onKey);
    if (document.activeElement?.id === "main") canvas.current?.focus(); // who came by a key goes on by keys
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  function showNow(share: number) {
    const p = picture.current;
    if (p?.view) p.setView({ ...p.view, t0: now - share * (p.size.width - GUTTER) * p.view.second });
  }
  function read(e: KeyboardEvent) {
    const p = picture.current;
    const wide = (p?.size.width ?? 1000) - GUTTER;
    if (!p || (e as unknown as { ctrlKey: boolean }).ctrlKey) return;
    // A reservation is of nodes: groups are unfolded for it.
    if (fold && drawn.reserves && (e.key === "n" || e.key === "m" || e.key === "e")) foldAll(rows, false);
    if (drawn.takeKey(e)) void 0;
        else if (e.key.startsWith("Arrow")) void moveCursor(e.key);
    else if (e.key === "+" || e.key === "=") p.zoomTime(1 / 1.41);
    else if (e.key === "-") p.zoomTime(1.41);
    else if (e.key === "[") p.pan(-wide / 4, 0);
    else if (e.key === "]") p.pan(wide / 4, 0);
    else if (e.key === "PageDown" || e.key === "PageUp") p.pan(0, (e.key === "PageDown" ? 0.8 : -0.8) * p.size.height);
    else if (e.key === "}" || e.key === "{") p.zoomRows(e.key === "}" ? 1.41 : 1 / 1.41);
    else if (e.key === "0") showNow(0.2);
    else if (e.key === "f") showNow(0);
    else if (e.key === "z") toggleGroup(rows, groupAt(rows, cursor?.row ?? Math.floor(rowAt(p.view ?? { t0: 0, second: 1, y0: 0, row: 1 }, HEAD))));
    else if (e.key === "Z") foldAll(rows, !rows?.groups.every((g) => g.nodes));
    else if (e.key === "t") go(withQuery({ table: table ? null : "1" }), true);
    else if (e.key === "F") fitIn(p, cursor ?? chosen);
    else if ((e.key === "Enter" || e.key === "x") && cursor) {
      setCard(null);
      select(cursor);
    }
    else if (e.key === "w" && (cursor?.job || (sel && chosen?.job && chosen.id === sel))) {
      const of = cursor?.job ? cursor : chosen as Seen;
      select(of);
      setAsked((w) => ({ id: of.id, n: w.n + 1 }));
    }
    else if (e.key === "Escape") {
      setCard(null);
      if (sel) select(null);
      else setCursor(null);
    } else return;
    e.preventDefault();
    (e as unknown as { stopPropagation(): void }).stopPropagation();
  }

  if (rowsAnswer.error) return <><h1>Timeline</h1><p>{rowsAnswer.error.message}</p></>;
  const summary = heading
    ? `${count(rows?.nodes ?? 0)} nodes; ${heading.as === "cells" ? "so many that shares of their time are shown" : `${count(pieces)} pieces are loaded`}. Arrows go from one to the next, t shows them as a table.`
    : "Loading";
  return (
    <div className={sel || drawn.draft || fitting ? "split split-open" : "split"}>
      <div className="split-main">
        <div className="q-bar g-bar">
          <h1>Timeline</h1>
          {drawn.reserves && <button aria-pressed={drawn.draft?.of === null} onClick={() => {
            if (fold) foldAll(rows, false);
            drawn.begin();
          }}>New reservation</button>}
          <button aria-pressed={fitting} onClick={() => go(withQuery({ fit: fitting ? null : "1", sel: null, kind: null }), true)} title="g w">Where would it fit?</button>
          <Tools color={color} by={by} show={show} level={level} table={table} picture={picture} groups={<Groups rows={rows ?? rowsRef.current} />} onNow={() => showNow(0.2)} onFuture={() => showNow(0)} />
        </div>
        <Legend heading={heading} color={color} show={show} />
        <LaneStrip marks={marks} lanes={lanes} />
        <div ref={box} className="g-box">
          <canvas ref={canvas} id="gantt" className="g-canvas" tabIndex={0} role="application" aria-label={`Nodes over time. ${summary}`} onKeyDown={read} onBlur={() => setCard(null)} />
          {card && <Card {...card} now={now} />}
          {wrong && <p className="banner banner-warn g-wrong" role="alert">{wrong}</p>}
          {rows && rows.n === 0 && <p className="q-none quiet">There are no nodes yet. <code>diagnose -R</code> tells of resource managers.</p>}
        </div>
        <canvas ref={stripCanvas} className="g-strip" role="img" aria-label={`All nodes over the same time${inUse === null ? "" : `: now ${inUse} % in use`}. The table has it in numbers.`} />
        <p className="sr" role="status">{said}</p>
        {table && rows && <Lines lines={lines} rows={rows} now={now} onSelect={select} cells={heading?.as === "cells"} use={use} more={<MarkTable marks={marks} from={Number(query.get("from"))} to={Number(query.get("to"))} />} />}
      </div>
      {drawn.draft && <ReserveForm key={drawn.draft.of ?? ""} d={drawn.draft} touched={drawn.touched} />}
      {!drawn.draft && !sel && fitting && <FitPanel onMarks={setFit} />}
      {!drawn.draft && sel && (query.get("kind") === "reservation" ? <ReservationPanel key={sel} name={sel} onChange={drawn.change} /> : <JobPanel id={sel} why={asked.id === sel ? asked.n : 0} brief={chosen?.id === sel ? briefOf(chosen) : undefined} />)}
    </div>
  );
}

/** Where on the picture it is seen, for its card. */
function placeOf(p: Picture, s: Seen): { x: number; y: number } {
  const v = p.view as View;
  return { x: Math.max(GUTTER, xAt(v, s.start)), y: Math.min(p.size.height - 120, Math.max(HEAD, yAt(v, s.row + 1))) };
}

/** What the picture itself tells of a job, where its details are not for this user. */
function briefOf(s: Seen) {
  const waits = s.kind === "promised" || s.kind === "forecast";
  const word = s.kind === "overrun" ? WORDS.running : WORDS[s.kind];
  return {
    id: s.id, user: s.user, class: s.class, procs: s.whole,
    shown_state: waits ? "Idle" : word.charAt(0).toUpperCase() + word.slice(1),
    reservation_at: s.kind === "promised" ? s.start : undefined, end_at: waits ? undefined : s.end ?? undefined,
  } as Parameters<typeof JobPanel>[0]["brief"];
}
