// What would help a job that waits: a shorter limit, fewer processors, another class or QOS,
// each tried by itself, one question after another, when it is asked for.
import { useEffect, useRef, useState } from "react";
import { count, duration, instant, plain } from "../model/format";
import { useNames } from "../model/lists";
import { useLive } from "../model/live";
import { VERBS, byId, mayOrder, type Subject } from "../model/orders";
import { usePrefs } from "../model/prefs";
import { readDuration } from "../model/times";
import type { Job, WhatIf, WhatIfChange } from "../model/types";
import { askPatiently } from "../model/whatif";
import { useMayChange } from "../parts/actions";
import { useNow } from "../parts/frame";

interface Way {
  key: string;
  label: string;
  names?: string; // kind of names that it is one of
  first: (j: Job) => string; // what is proposed
  is: (j: Job) => string;
  order: string;
  attribute?: string; // of modify
  wrong?: (value: string) => string;
}

const half = (n: number, step: number) => Math.max(step, Math.floor(n / 2 / step) * step);
/** Of a job of one request: others have no number of processors that could be changed. */
const each = (j: Job) => (j.requests?.length === 1 ? Math.max(1, j.requests[0].per_task?.procs ?? 1) : 0);

const WAYS: Way[] = [
  {
    key: "limit", label: "Limit", order: "modify", attribute: "wclimit", is: (j) => duration(j.wclimit_s),
    first: (j) => (j.wclimit_s && j.wclimit_s > 1 ? duration(half(j.wclimit_s, j.wclimit_s > 120 ? 60 : 1)) : ""),
    wrong: (v) => (readDuration(v) ? "" : "a time is needed, as 2:00:00"),
  },
  {
    key: "procs", label: "Processors", order: "modify", attribute: "proccount", is: (j) => String(j.procs),
    first: (j) => (each(j) && (j.procs ?? 0) > each(j) ? String(half(j.procs ?? 0, each(j))) : ""),
    wrong: (v) => (/^\d{1,9}$/.test(v) ? "" : "a whole number is needed"),
  },
  { key: "class", label: "Class", names: "class", order: "modify", attribute: "class", is: (j) => j.class ?? "", first: () => "" },
  { key: "qos", label: "QOS", names: "qos", order: "qos", is: (j) => j.qos ?? "", first: () => "" },
];

const NO_START: Record<string, string> = { held: "something other than room would keep it back", never: "it could not start" };

interface Tried {
  way: Way;
  value: string;
  answer?: WhatIf;
  error?: string;
}

function changeOf(job: Job, way: Way, value: string): WhatIfChange {
  const jobs = [job.id ?? ""];
  const request = way.attribute ? { jobs, changes: [{ attribute: way.attribute, op: "=", value }] } : { jobs, qos: value };
  return { order: { order: way.order, request: byId(request as Parameters<typeof byId>[0]) } } as WhatIfChange;
}

/** In words: when it would start then, and by how much that is sooner. */
function Start({ id, tried }: { id: string; tried: Tried }) {
  const now = useNow();
  const { zone } = usePrefs();
  const { answer, error } = tried;
  if (error) return <span className="field-wrong">{plain(error)}</span>;
  if (!answer) return <span className="quiet">…</span>;
  const refused = (answer.changes ?? []).flatMap((c) => (c.jobs ?? []).filter((j) => !j.ok).map((j) => j.message).concat(c.ok || c.jobs?.length ? [] : [c.message ?? ""]));
  if (refused.length) return <>would be refused: {plain(refused[0] ?? "")}</>;
  const mine = answer.watched?.find((w) => w.id === id);
  const { before_at: before, after_at: after } = mine ?? {};
  const sooner = before && after ? before - after : 0;
  const others = (answer.counts?.later ?? 0) - (sooner < 0 ? 1 : 0);
  const freed = !before && after;
  return (
    <>
      {after ? <strong>{after <= now ? "now" : instant(after, now, zone)}</strong> : NO_START[mine?.after ?? ""] ?? "nobody knows when"}
      {sooner > 0 ? `, ${duration(sooner)} sooner` : sooner < 0 ? `, ${duration(-sooner)} later` : freed ? ", by now it has no start" : after ? ", no sooner" : ""}
      {others > 0 && <span className="quiet">; {count(others)} other {others === 1 ? "job" : "jobs"} later</span>}
    </>
  );
}

function Ways({ job }: { job: Job }) {
  const [values, setValues] = useState<Record<string, string>>(() => Object.fromEntries(WAYS.map((w) => [w.key, w.first(job)])));
  const [tried, setTried] = useState<Tried[]>([]);
  const [busy, setBusy] = useState(false);
  const names = useNames(true);
  const end = useRef<AbortController>();
  useEffect(() => () => end.current?.abort(), []);
  const value = (w: Way) => values[w.key].trim();
  const wrong = (w: Way) => (value(w) && w.wrong?.(value(w))) || "";
  const ways = WAYS.filter((w) => value(w) && value(w) !== w.is(job));
  const ready = ways.length > 0 && !ways.some(wrong) && !busy;

  async function askAll() {
    if (!ready) return;
    const stop = new AbortController();
    end.current = stop;
    setBusy(true);
    let all: Tried[] = ways.map((way) => ({ way, value: value(way) }));
    setTried(all);
    for (const t of all) {
      const told: Partial<Tried> = await askPatiently([changeOf(job, t.way, t.value)], stop.signal, [job.id ?? ""])
        .then((answer) => ({ answer: answer ?? undefined }), (e: Error) => ({ error: e.message }));
      if (stop.signal.aborted) return;
      all = all.map((o) => (o.way === t.way ? { ...o, ...told } : o));
      setTried(all);
    }
    setBusy(false);
  }
  return (
    <form className="helps" aria-label="What would help" aria-busy={busy} onSubmit={(e) => { e.preventDefault(); void askAll(); }}>
      <div className="fields-2">
        {WAYS.map((w) => (
          <label key={w.key} className="field">
            <span>{w.label}</span>
            <input
              name={`helps-${w.key}`} value={values[w.key]} spellCheck={false} autoComplete="off" list={w.names && `helps-${w.key}-names`}
              aria-invalid={Boolean(wrong(w))} aria-describedby={`helps-${w.key}-hint`}
              onChange={(e: { target: HTMLInputElement }) => setValues({ ...values, [w.key]: e.target.value })}
            />
            <small id={`helps-${w.key}-hint`} className={wrong(w) ? "field-wrong" : "quiet"}>{wrong(w) || (w.is(job) ? `in place of ${plain(w.is(job))}` : "none by now")}</small>
            {w.names && <datalist id={`helps-${w.key}-names`}>{(names[w.names] ?? []).filter((n) => n !== w.is(job)).map((n) => <option key={n} value={n} />)}</datalist>}
          </label>
        ))}
      </div>
      <div className="order-buttons"><button type="submit" disabled={!ready}>{busy ? "Trying …" : "Try each by itself"}</button></div>
      {tried.length > 0 && (
        <ul className="plain-list" role="status" aria-label="What each would do">
          {tried.map((t) => <li key={t.way.key}>{t.way.label} {plain(t.value)}: <Start id={job.id ?? ""} tried={t} /></li>)}
        </ul>
      )}
    </form>
  );
}

/** Of a job that the caller may change: nothing is changed by it. */
export function WhatHelps({ job }: { job: Job }) {
  const [open, setOpen] = useState(false);
  const who = useLive((s) => s.who);
  const may = useMayChange();
  const modify = VERBS.find((v) => v.order === "modify");
  // all of it was told, which is for its owner, coordinators of its account and administrators
  const ours = (job as unknown as Subject).user === who?.user || who?.level === 0;
  if (!may || !modify || !mayOrder(modify, who, ours)) return null;
  return (
    <details className="fold" onToggle={(e: { currentTarget: HTMLDetailsElement }) => setOpen(e.currentTarget.open)}>
      <summary>What would help?</summary>
      {open && <Ways job={job} />}
    </details>
  );
}
