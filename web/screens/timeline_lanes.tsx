// Deadlines and node events over the timeline: asked for, drawn, and the same as a table.
import { useEffect, useMemo, useRef } from "react";
import { readLines } from "../api/client";
import { Lanes, type Mark } from "../gantt/lanes";
import type { View } from "../gantt/view";
import { instant, plain } from "../model/format";
import { useAnswer } from "../model/live";
import { usePrefs } from "../model/prefs";
import type { EventRecord, JobBrief } from "../model/types";
import { useNow } from "../parts/frame";

const DEADLINES = "/v1/jobs?deadline=1&fields=id,user,deadline_at,reservation_at,end_at,wclimit_s,section";
const NODE_EVENTS = "/v1/events?from=0&follow=0&names=NODEDOWN,NODEUP";
const LISTED = 100;

/** Will it be complete by then? By what it was promised, or its limit where it runs. */
function markOf(j: JobBrief): Mark {
  const ends = j.section === "active" ? j.end_at : j.reservation_at && j.wclimit_s ? j.reservation_at + j.wclimit_s : null;
  const at = j.deadline_at ?? 0;
  const kind = !ends ? "open" : ends <= at ? "met" : "missed";
  const said = { open: "nothing is promised yet", met: "will be kept", missed: "cannot be kept" }[kind];
  return { at, lane: "deadlines", kind, name: plain(j.id ?? ""), words: `Job ${plain(j.id ?? "")} of ${plain(j.user ?? "")} has to be complete: ${said}` };
}

function eventMark(e: EventRecord): Mark {
  const state = String((e as Record<string, unknown>).state ?? "");
  const kind = e.event === "NODEUP" ? "back" : /^drain/i.test(state) ? "drained" : "down";
  const said = { back: "is back", drained: "is drained", down: "is down" }[kind];
  const name = plain(e.object ?? "");
  return { at: e.at ?? 0, lane: "nodes", kind, name, words: `Node ${name} ${said}` };
}

/** Events of nodes are for administrators: to others they are not told. */
export function useMarks(level: number): Mark[] {
  const jobs = useAnswer(DEADLINES);
  const events = useAnswer(level > 0 ? NODE_EVENTS : null);
  return useMemo(() => {
    const of = jobs.text ? readLines<JobBrief & { summary?: unknown }>(jobs.text).filter((j) => j.id && j.deadline_at) : [];
    const told = events.text ? readLines<EventRecord>(events.text).filter((e) => e.event === "NODEDOWN" || e.event === "NODEUP") : [];
    return [...of.map(markOf), ...told.map(eventMark)];
  }, [jobs.text, events.text]);
}

export function LaneStrip({ marks, lanes }: { marks: Mark[]; lanes: { current: Lanes | null | undefined } }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { theme } = usePrefs();
  const some = marks.length > 0;
  useEffect(() => {
    lanes.current = canvas.current ? new Lanes(canvas.current) : null;
    return () => (lanes.current = null);
  }, [some]);
  useEffect(() => {
    const l = lanes.current;
    if (!l || !canvas.current) return;
    l.marks = marks;
    canvas.current.style.height = `${l.height + 2}px`;
    l.draw();
  }, [marks, theme, some]);
  if (!some) return null;
  const say = (e: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    if (box && canvas.current) canvas.current.title = lanes.current?.at(e.clientX - box.left, e.clientY - box.top)?.words ?? "";
  };
  return <canvas ref={canvas} className="g-lanes" role="img" aria-label={`${marks.length} deadlines and node events over the same time. The table has them in words.`} onMouseMove={say} />;
}

export function showLanes(lanes: { current: Lanes | null | undefined }, view: View, now: number): void {
  lanes.current?.show(view, now);
}

/** The table twin of those in sight. */
export function MarkTable({ marks, from, to }: { marks: Mark[]; from: number; to: number }) {
  const now = useNow();
  const { zone } = usePrefs();
  const seen = marks.filter((m) => !to || (m.at >= from && m.at <= to)).sort((a, b) => a.at - b.at);
  if (!seen.length) return null;
  return (
    <table className="list g-marks">
      <caption>Deadlines and node events in sight</caption>
      <thead><tr><th>At</th><th>What</th></tr></thead>
      <tbody>
        {seen.slice(0, LISTED).map((m, i) => <tr key={i}><td>{instant(m.at, now, zone)}</td><td>{m.words}</td></tr>)}
        {seen.length > LISTED && <tr><td colSpan={2} className="quiet">and {seen.length - LISTED} more</td></tr>}
      </tbody>
    </table>
  );
}
