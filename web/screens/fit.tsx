// Where would it fit? The first slot of a job that nobody has submitted, the windows that are
// free later, and what is in its way; marked on the timeline.
import { useEffect, useMemo, useRef, useState } from "react";
import type { Slot } from "../gantt/ghosts";
import { duration, count, instant, plain, reasonText } from "../model/format";
import { useAnswer, useLive } from "../model/live";
import { usePrefs } from "../model/prefs";
import { go, useSearch, withQuery } from "../model/route";
import { writeInstant } from "../model/times";
import type { StartRecord, WhatIfChange, Windows } from "../model/types";
import { usePreview } from "../model/whatif";
import { askedBy, readWish, submissionOf, writeWish, type WishAsked, type WishField } from "../model/wish";
import { useMayChange } from "../parts/actions";
import { Field, toldOf } from "../parts/field";
import { Link, useNow } from "../parts/frame";
import { PreviewOf } from "../parts/preview";
import { Frees, Obstacles } from "./why";

const REST_MS = 350; // somebody may still be typing
const NAMED = 6;
const BASIC: [WishField, string, string][] = [
  ["procs", "Processors", "in all"], ["duration_s", "For", "as 2:00:00"],
  ["procs_per_task", "Processors a task", "so many on one node"], ["mem_per_proc_mb", "Memory a processor", "in MB"],
];
const MORE: [WishField, string, string][] = [
  ["class", "Class", ""], ["qos", "QOS", ""], ["account", "Account", ""], ["features", "Features", "of nodes, with commas"],
  ["partition", "Partition", ""], ["from", "Not before", "as 2031-05-17 18:00, or +2:00:00"],
];
const OTHERS: [WishField, string, string][] = [["user", "User", "else you"]];

export interface FitMarks {
  question: string; // that this answers; "" = an older one
  nodes: string[]; // that it would be on
  slot: { from: number; to: number } | null;
  later: Slot[]; // of which no nodes are known
}
export const NO_MARKS: FitMarks = { question: "", nodes: [], slot: null, later: [] };

/** Where the form is, from any screen. */
export function FitLink() {
  return <Link className="fit-link" to="/ui/timeline?fit=1">Where would it fit?</Link>;
}

export function closeFit(): void {
  go(withQuery({ fit: null }), true);
  document.getElementById("gantt")?.focus();
}

function parse<T>(text: string | undefined): T | undefined {
  return text ? (JSON.parse(text) as T) : undefined;
}

/** What the scheduler says of it, asked again when something has changed. */
function useFit(words: WishAsked["words"] | null) {
  const [query, setQuery] = useState("");
  const key = words ? new URLSearchParams(words as Record<string, string>).toString() : "";
  useEffect(() => {
    const timer = window.setTimeout(() => setQuery(key), query ? REST_MS : 0);
    return () => window.clearTimeout(timer);
  }, [key]);
  const start = useAnswer(query ? `/v1/start?${query}&places=1` : null, true);
  const first = useMemo(() => parse<StartRecord>(start.text), [start.text]);
  const told = first?.frees !== undefined; // nodes are kept from nobody here
  const windows = useAnswer(query && told ? `/v1/windows?${query.replace(/&?from=\d+/, "")}&later=1` : null, true);
  const later = useMemo(() => parse<Windows>(windows.text), [windows.text]);
  return { first, later: told ? later : undefined, error: start.error, asked: query === key };
}

function slotsOf(later: Windows | undefined): (Slot & { partition: string })[] {
  return (later?.partitions ?? []).flatMap((p) =>
    p.windows.map((w) => ({ partition: p.name, procs: w.procs, from: w.start_at || later?.at || 0, to: w.duration_s ? (w.start_at || later?.at || 0) + w.duration_s : null })));
}

function Slots({ slots, zone, now, onTake }: { slots: ReturnType<typeof slotsOf>; zone: "site" | "browser" | "UTC"; now: number; onTake: (at: number) => void }) {
  if (!slots.length) return null;
  const several = new Set(slots.map((s) => s.partition)).size > 1;
  return (
    <>
      <h3>Windows that are wide and long enough</h3>
      <table className="list">
        <thead><tr><th>From</th><th className="number">Processors</th><th className="number">For</th>{several && <th>Partition</th>}</tr></thead>
        <tbody>
          {slots.map((s, i) => (
            <tr key={i}>
              <td><button type="button" className="q-sort g-link" onClick={() => onTake(s.from)}>{s.from <= now ? "now" : instant(s.from, now, zone)}</button></td>
              <td className="number">{count(s.procs)}</td>
              <td className="number">{s.to === null ? "no limit" : duration(s.to - s.from)}</td>
              {several && <td>{plain(s.partition)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function First({ first, now }: { first: StartRecord; now: number }) {
  const { zone } = usePrefs();
  const names = (first.places ?? []).map((p) => plain(p.node));
  if (!first.start_at)
    return <p className="touched" role="status"><strong>Never</strong>, as things are: {plain(first.reason ? reasonText(first.reason, now, zone) : "there is no room for it")}</p>;
  const at = first.start_at;
  return (
    <>
      <p className="touched" role="status">
        <strong>{at <= now ? "Now" : instant(at, now, zone)}</strong>
        {at > now && <> (in {duration(at - now)})</>}, until {instant(first.end_at, now, zone)}
        {first.partition ? <>, in partition {plain(first.partition)}</> : null}
      </p>
      {names.length > 0 && (
        <p className="line">
          On {count(first.nodes ?? names.length)} {first.nodes === 1 ? "node" : "nodes"}: {names.slice(0, NAMED).join(", ")}
          {(first.nodes ?? 0) > NAMED ? ` and ${count((first.nodes ?? 0) - NAMED)} more` : ""}
          {at > now ? "; by then they may be others" : ""}.
        </p>
      )}
      {names.length === 0 && first.frees && <p className="quiet line">Which nodes is not known: too much is reserved until then.</p>}
      <p className="quiet line">
        If nobody is ahead of it: jobs are taken to run to their limits, and all that is promised and reserved is kept.
        {first.paused ? " Scheduling is stopped: this is of the last iteration." : ""}
      </p>
    </>
  );
}

/** With who is ahead of it, and whom it would delay: of one's own jobs. */
function InQueue({ words }: { words: WishAsked["words"] }) {
  const [wanted, setWanted] = useState(false);
  const preview = usePreview(wanted ? ([{ submit: submissionOf(words) }] as unknown as WhatIfChange[]) : null);
  if (wanted) return <PreviewOf preview={preview} />;
  return <div className="order-buttons"><button type="button" onClick={() => setWanted(true)}>What if it were submitted now?</button></div>;
}

export function FitPanel({ onMarks }: { onMarks: (marks: FitMarks) => void }) {
  const fit = new URLSearchParams(useSearch()).get("fit") ?? "1";
  const [wish, setWish] = useState(() => readWish(fit));
  const written = useRef(fit); // by this form: there the words stay as they are
  const form = useRef<HTMLFormElement>(null);
  const now = useNow();
  const [since, setSince] = useState(now); // what "+2:00:00" counts from
  const { zone } = usePrefs();
  const who = useLive((s) => s.who);
  const may = useMayChange();
  const level = who?.level ?? 0; // others are for administrators to ask for
  const { words, wrong } = askedBy(level > 0 ? wish : { ...wish, user: undefined }, since, zone);
  const ready = !Object.keys(wrong).length;
  const { first, later, error, asked } = useFit(ready ? words : null);
  const told = error ? toldOf(error.message, error.code, error.field, error.nearest) : null;
  const slots = useMemo(() => slotsOf(later), [later]);
  const own = !words.user || words.user === who?.user;

  useEffect(() => form.current?.querySelector<HTMLElement>("input")?.focus(), []);
  useEffect(() => {
    if (fit !== written.current) setWish(readWish(fit));
    written.current = fit;
  }, [fit]);
  useEffect(() => {
    const slot = first?.start_at ? { from: first.start_at, to: first.end_at ?? first.start_at + 1 } : null;
    onMarks({ question: asked ? writeWish(wish, zone) : "", nodes: (first?.places ?? []).map((p) => p.node), slot, later: slots });
  }, [first, slots, asked]);
  useEffect(() => () => onMarks(NO_MARKS), []);

  function set(field: WishField, text: string) {
    const next = { ...wish, [field]: text };
    setWish(next);
    if (field === "from") setSince(now);
    written.current = writeWish(next, zone);
    go(withQuery({ fit: written.current }), true);
  }
  const fields = (all: [WishField, string, string][]) =>
    all.map(([f, label, hint]) => <Field key={f} name={f} label={label} hint={hint} value={wish[f] ?? ""} wrong={wrong[f]} told={told} set={(text) => set(f, text)} />);
  return (
    <aside className="panel" aria-label="Where would it fit?" onKeyDown={(e) => e.key === "Escape" && closeFit()}>
      <button className="panel-close" onClick={closeFit} aria-label="Close the panel">✕</button>
      <h2>Where would it fit?</h2>
      <p className="quiet line">Of a job that nobody has submitted.</p>
      <form ref={form} onSubmit={(e) => e.preventDefault()}>
        <div className="fields-2">{fields(BASIC)}</div>
        <details open={MORE.concat(OTHERS).some(([f]) => wish[f])}>
          <summary>Credentials, nodes, not before</summary>
          <div className="fields-2">{fields(level > 0 ? [...OTHERS, ...MORE] : MORE)}</div>
        </details>
      </form>
      {error && !form.current?.querySelector(`[name="${CSS.escape(told?.field ?? "")}"]`) && <p className="field-wrong" role="alert">{plain(error.message)}</p>}
      <section aria-label="Where it would fit" aria-busy={ready && !asked}>
        {ready && first && !error && (
          <>
            <First first={first} now={now} />
            <Slots slots={slots} zone={zone} now={now} onTake={(at) => set("from", at <= now ? "" : writeInstant(at, zone))} />
            {(first.start_at ?? Infinity) > now && <Obstacles why={first} />}
            {(first.start_at ?? Infinity) > now && <Frees why={first} procs={first.procs ?? 1} />}
            {may && own && <InQueue key={JSON.stringify(words)} words={words} />}
          </>
        )}
      </section>
    </aside>
  );
}
