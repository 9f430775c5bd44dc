// What can be done with jobs: a button for each order that suits one of them and that the
// caller has the right to, and its form, with what would be.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { carryOut } from "../model/act";
import { count, plain } from "../model/format";
import { useLive } from "../model/live";
import { MANY, VERBS, byId, checkValue, rules, suited, type Subject, type Verb } from "../model/orders";
import { usePrefs } from "../model/prefs";
import { readInstant } from "../model/times";
import type { WhatIfChange } from "../model/types";
import { usePreview } from "../model/whatif";
import { Command } from "./copy";
import { useNow } from "./frame";
import { Moved, PreviewOf } from "./preview";

const COMMAND_JOBS = 20;

const manyWord = (n: number) => (n === 1 ? "1 job" : `${count(n)} jobs`);

/** Can anything be changed from this tab at all? */
export function useMayChange(): boolean {
  const lookOnly = useLive((s) => s.lookOnly);
  const readOnly = useLive((s) => s.who?.read_only ?? false);
  return !lookOnly && !readOnly;
}

/** "12 of ann's, 3 of bob's; 10 Running, 5 Idle" */
function Whose({ jobs }: { jobs: Subject[] }) {
  const counted = (of: (j: Subject) => string) => {
    const n = new Map<string, number>();
    for (const j of jobs) n.set(of(j), (n.get(of(j)) ?? 0) + 1);
    return [...n].sort((a, b) => b[1] - a[1]);
  };
  if (jobs.length < 2) return null;
  const users = counted((j) => j.user);
  return (
    <p className="quiet line">
      {users.slice(0, 6).map(([user, n]) => `${count(n)} of ${plain(user)}`).join(", ")}{users.length > 6 ? " and others" : ""};{" "}
      {counted((j) => j.shown_state ?? j.state).map(([state, n]) => `${count(n)} ${plain(state)}`).join(", ")}
    </p>
  );
}

function OrderForm(props: { verb: Verb; jobs: Subject[]; admin: boolean; onEnd: (done: boolean) => void }) {
  const { verb, jobs, admin } = props;
  const [value, setValue] = useState(() => (jobs.length === 1 ? verb.asks?.of?.(jobs[0]) ?? "" : ""));
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [gone, setGone] = useState(""); // the basis that was refused, until there is another answer
  const { zone } = usePrefs();
  const now = useNow();
  const live = useLive((s) => s.phase === "live");
  const form = useRef<HTMLFormElement>(null);
  const at = verb.asks?.kind === "instant" ? readInstant(value, now, zone) : null;
  const wrong = verb.asks?.kind === "instant" ? (at === null ? "a day and a time are needed, as 2031-05-17 18:00" : null) : checkValue(verb, value);
  // "+1:00:00" is another instant each second: the question would never come to rest
  const sent = at !== null ? String(/^\s*\+/.test(value) ? Math.ceil(at / 60) * 60 : at) : value.trim();
  const ids = useMemo(() => jobs.map((j) => j.id), [jobs]);
  const same = verb.asks?.of && jobs.length === 1 && value === verb.asks.of(jobs[0]);
  const changes = wrong || same ? null : [{ order: { order: verb.order, request: byId(verb.request(ids, sent, admin)) } } as WhatIfChange];
  const preview = usePreview(changes);
  const refused = Boolean(gone) && (!preview.answer?.basis || preview.answer.basis === gone);
  const early = Boolean(verb.destroys) && preview.state === "asking"; // nobody has seen what is lost
  const many = Boolean(verb.destroys) && jobs.length > MANY;
  useEffect(() => {
    // Enter twice destroys nothing: there it is "Leave it" that is in focus
    const first = form.current?.querySelector<HTMLElement>(`input, button[type=${verb.destroys ? "button" : "submit"}]`);
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
  }, [verb.order]);

  async function submit() {
    if (wrong || busy || !live || refused || early || (many && typed.trim() !== String(jobs.length))) return;
    setBusy(true);
    const done = await carryOut(verb, jobs, sent, admin, preview.answer?.basis);
    setBusy(false);
    setGone(done === "stale" ? preview.answer?.basis ?? "" : "");
    if (done === "stale") preview.again();
    else if (done) props.onEnd(true);
  }
  return (
    <form
      ref={form}
      className={verb.destroys ? "order order-destroys" : "order"}
      aria-label={`${verb.name}: ${manyWord(jobs.length)}`}
      onSubmit={(e) => { e.preventDefault(); void submit(); }}
      onKeyDown={(e: KeyboardEvent & { stopPropagation(): void }) => {
        if (e.key !== "Escape") return;
        e.stopPropagation();
        props.onEnd(false);
      }}
    >
      <h3>{verb.name}: {jobs.length === 1 ? `job ${plain(jobs[0].id)}` : manyWord(jobs.length)}</h3>
      <Whose jobs={jobs} />
      {verb.destroys && <p className="order-loss">{verb.destroys}</p>}
      {verb.asks && (
        <label className="field">
          <span>{verb.asks.label}</span>
          <input value={value} aria-invalid={Boolean(value && wrong)} aria-describedby="order-hint" spellCheck={false} autoComplete="off" onChange={(e) => setValue(e.target.value)} />
          <small id="order-hint" className={value && wrong ? "field-wrong" : "quiet"}>{value && wrong ? wrong : verb.asks.hint}</small>
        </label>
      )}
      {many && (
        <label className="field">
          <span>These are {count(jobs.length)} jobs: type the number</span>
          <input value={typed} inputMode="numeric" autoComplete="off" onChange={(e) => setTyped(e.target.value)} />
        </label>
      )}
      <div className="order-buttons">
        <button type="submit" className={verb.destroys ? "main-bad" : "main"} disabled={Boolean(wrong) || busy || !live || refused || early || (many && typed.trim() !== String(jobs.length))}>
          {busy ? "…" : jobs.length === 1 ? `${verb.name}: do it` : `${verb.name} ${manyWord(jobs.length)}`}
        </button>
        <button type="button" onClick={() => props.onEnd(false)}>Leave it</button>
      </div>
      {gone && <Moved />}
      <PreviewOf preview={preview} />
      {!wrong && jobs.length <= COMMAND_JOBS && <Command line={`maui ${verb.command(ids, sent, admin)}`} />}
    </form>
  );
}

/** `detailed`: the caller was told all of the job, which is for its owner, coordinators of
    its account and administrators. */
export function Actions({ jobs, detailed, onDone }: { jobs: Subject[]; detailed?: boolean; onDone?: () => void }) {
  const who = useLive((s) => s.who);
  const live = useLive((s) => s.phase === "live");
  const may = useMayChange();
  const [open, setOpen] = useState("");
  const bar = useRef<HTMLDivElement>(null);
  const ours = (j: Subject) => j.user === who?.user || (Boolean(detailed) && who?.level === 0);
  const all = may ? VERBS.map((verb) => ({ verb, jobs: suited(verb, jobs, who, ours) })).filter((a) => a.jobs.length) : [];
  const chosen = all.find((a) => a.verb.order === open);
  if (!all.length) return null;
  return (
    <>
      <div className="actions" role="group" aria-label="Actions" ref={bar}>
        {all.map((a) => (
          <button
            key={a.verb.order}
            className={a.verb.destroys ? "bad" : ""}
            aria-expanded={a.verb.order === open}
            disabled={!live}
            onClick={() => setOpen(a.verb.order === open ? "" : a.verb.order)}
          >
            {a.verb.name}{jobs.length > 1 && a.jobs.length < jobs.length ? ` (${count(a.jobs.length)})` : ""}
          </button>
        ))}
      </div>
      {chosen && (
        <OrderForm
          key={open}
          verb={chosen.verb}
          jobs={chosen.jobs}
          admin={rules(who)}
          onEnd={(done) => {
            setOpen("");
            if (done) onDone?.();
            bar.current?.querySelector("button")?.focus();
          }}
        />
      )}
    </>
  );
}
