// A reservation that is made or changed: its form, what it would come to, and its button.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { ApiError, ask } from "../api/client";
import { isStale, tellFailure, withBasis } from "../model/act";
import { UNTOLD, askedOf, setDraft, windowOf, type Draft, type Field } from "../model/draft";
import { duration, instant, plain } from "../model/format";
import { askNow, useLive } from "../model/live";
import { forgetUndo, notice } from "../model/notices";
import { usePrefs, type Zone } from "../model/prefs";
import { go, withQuery } from "../model/route";
import type { Reservation, WhatIf, WhatIfChange } from "../model/types";
import { usePreview } from "../model/whatif";
import { Field as FormField, toldOf, type Told } from "../parts/field";
import { useNow } from "../parts/frame";
import { Moved, PreviewOf } from "../parts/preview";

/** What a preview was refused for. */
function toldBy(answer: WhatIf | undefined): Told | null {
  const c = answer?.changes?.[0];
  return !c || c.ok ? null : toldOf(c.message ?? "", c.code, c.field, c.nearest);
}

const BASIC: [Field, string, string][] = [
  ["start_at", "Begins", "as 2031-05-17 18:00, now, or +2:00:00"],
  ["duration_s", "For", "as 2:00:00, or unlimited"],
];
const PLACES: [Field, string, string][] = [
  ["hosts", "Nodes", "names, a range as node[01-10], class:fast, or ALL"],
  ["tasks", "Tasks", "a number, in place of nodes or within them"],
  ["resources", "Each task", "as PROCS=2;MEM=512"],
];
const ACCESS: [Field, string, string][] = [
  ["users", "Users", "with commas"], ["groups", "Groups", "with commas"], ["accounts", "Accounts", "with commas"],
  ["classes", "Classes", "with commas"], ["qos", "QOS", "with commas"],
];
const MORE: [Field, string, string][] = [
  ["name", "Name", "else it is made up"], ["owner", "Owner", "as USER:ann"], ["charge", "Pays", "account[,group[,user]]"],
  ["features", "Features", "a:b both, a|b either"], ["partition", "Partition", ""], ["nodeset", "Node set", "as ONEOF:FEATURE:a,b"],
  ["label", "Label", "that several may share"], ["subtype", "What for", "in the site's words"], ["flags", "Flags", "as BYNAME, SINGLEUSE"],
  ["trigger", "Triggers", "as start+60;cancel"], ["comment", "Comment", ""],
];
const MADE: Field[] = ["name"]; // cannot be changed later

function FieldRow(props: { d: Draft; of: [Field, string, string]; wrong?: string; told: Told | null }) {
  const { d, wrong, told } = props;
  const [field, label, hint] = props.of;
  const set = (text: string) => setDraft({ ...d, form: { ...d.form, [field]: text } });
  return <FormField name={field} label={label} hint={hint} value={d.form[field] ?? ""} wrong={wrong} told={told} set={set} />;
}

function close() {
  setDraft(null);
  document.getElementById("gantt")?.focus();
}

/** What undoes it: of a new one its release, of a change what was before. */
function undoOf(d: Draft, made: Reservation, before: Record<string, unknown>) {
  const path = `/v1/reservations/${encodeURIComponent(made.name)}`;
  return async () => {
    try {
      if (d.of === null) {
        await ask("DELETE", path);
        forgetUndo(made.name);
      } else await ask("PATCH", path, before);
      notice({ kind: "done", text: d.of === null ? `Reservation ${made.name} released.` : `Reservation ${made.name} is as it was.` });
    } catch (e) {
      tellFailure("Undo", e);
    }
    askNow();
  };
}

/** As it was, of the members that the change has and of no others; null: of one of them
    the form was not told what it is. */
function formerly(d: Draft, body: Record<string, unknown>, now: number, zone: Zone): Record<string, unknown> | null {
  const changed = Object.keys(body).filter((k) => k !== "exclusive") as Field[];
  if (changed.some((k) => UNTOLD.includes(k))) return null;
  const form = Object.fromEntries(changed.map((k) => [k, d.was[k] ?? ""]));
  const was = Object.fromEntries(changed.map((k) => [k, "\u0000"]));
  return askedOf({ of: d.of, form, was, rows: null, open: true }, now, zone).body as Record<string, unknown>;
}

export function ReserveForm({ d, touched }: { d: Draft; touched: ReactNode }) {
  const now = useNow();
  const { zone } = usePrefs();
  const live = useLive((s) => s.phase === "live");
  const [busy, setBusy] = useState(false);
  const [gone, setGone] = useState(""); // the basis that was refused, until there is another answer
  const [told, setTold] = useState<Told | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const { body, wrong, same } = askedOf(d, now, zone);
  const bad = Object.keys(wrong).length > 0;
  const ready = !bad && !same;
  const changes = !ready ? null : [(d.of === null ? { reserve: body } : { change_reservation: { name: d.of, change: body } }) as WhatIfChange];
  const preview = usePreview(changes);
  const refused = Boolean(gone) && (!preview.answer?.basis || preview.answer.basis === gone);
  const said = told ?? toldBy(preview.answer);
  const window = windowOf(d, now, zone);
  useEffect(() => setTold(null), [JSON.stringify(d.form)]);
  useEffect(() => {
    if (d.open) form.current?.querySelector<HTMLElement>("input")?.focus();
  }, [d.open, d.of]);

  async function submit() {
    if (!ready || busy || !live || refused) return;
    setBusy(true);
    try {
      const path = d.of === null ? "/v1/reservations" : `/v1/reservations/${encodeURIComponent(d.of)}`;
      const made = JSON.parse(await ask(d.of === null ? "POST" : "PATCH", withBasis(path, preview.answer?.basis), body)) as Reservation;
      const back = d.of === null ? {} : formerly(d, body as Record<string, unknown>, now, zone);
      const length = made.end_at ? `until ${instant(made.end_at, now, zone)}` : "without end";
      notice({
        kind: "done",
        text: `Reservation ${made.name} ${d.of === null ? "made" : "changed"}: from ${instant(made.start_at, now, zone)}, ${length}.`,
        more: made.notes ?? [],
        of: made.name,
        undo: back ? undoOf(d, made, back) : undefined,
      });
      close();
      go(withQuery({ sel: made.name, kind: "reservation" }), true);
      askNow();
    } catch (e) {
      const wrongly = e instanceof ApiError ? toldOf(e.message, e.code, e.field, e.nearest) : null;
      setGone(isStale(e) ? preview.answer?.basis ?? "" : "");
      if (isStale(e)) preview.again();
      else if (wrongly && form.current?.querySelector(`[name="${CSS.escape(wrongly.field)}"]`)) setTold(wrongly);
      else tellFailure(d.of === null ? "Reserve" : "Change", e);
    }
    setBusy(false);
  }
  const rows = (all: [Field, string, string][]) =>
    all.filter(([f]) => d.of === null || !MADE.includes(f)).map((of) => <FieldRow key={of[0]} d={d} of={of} wrong={wrong[of[0]]} told={said} />);
  const given = (all: [Field, string, string][]) => all.some(([f]) => Boolean(d.form[f]) || said?.field === f);
  return (
    <aside
      className="panel"
      aria-label={d.of === null ? "New reservation" : `Change reservation ${d.of}`}
      onKeyDown={(e) => {
        if (e.key === "Escape") close();
      }}
    >
      <button className="panel-close" onClick={close} aria-label="Give it up">✕</button>
      <h2>{d.of === null ? "New reservation" : <>Reservation {plain(d.of)}</>}</h2>
      <p className="quiet line">
        Draw it on the picture, or say it here.{" "}
        {window && <>From {instant(window.from, now, zone)}, {window.to === null ? "without end" : `for ${duration(window.to - window.from)}`}.</>}
      </p>
      <form ref={form} onSubmit={(e) => { e.preventDefault(); void submit(); }}>
        <div className="fields-2">{rows(BASIC)}</div>
        {rows(PLACES.slice(0, 1))}
        <div className="fields-2">{rows(PLACES.slice(1))}</div>
        <details open={given(ACCESS)}>
          <summary>Who may use it{given(ACCESS) ? "" : ": nobody's jobs, unless they are named here"}</summary>
          <div className="fields-2">{rows(ACCESS)}</div>
        </details>
        <details open={given(MORE)}>
          <summary>More</summary>
          <div className="fields-2">{rows(MORE)}</div>
          <label className="menu-check field-check">
            <input type="checkbox" checked={Boolean(d.form.exclusive)} onChange={(e) => setDraft({ ...d, form: { ...d.form, exclusive: e.target.checked } })} />
            Refuse any overlap
          </label>
        </details>
        {touched}
        <div className="order-buttons">
          <button type="submit" className="main" disabled={!ready || busy || !live || refused}>{busy ? "…" : d.of === null ? "Reserve" : "Apply"}</button>
          <button type="button" onClick={close}>Give it up</button>
        </div>
        {said && !form.current?.querySelector(`[name="${CSS.escape(said.field)}"]`) && <p className="field-wrong" role="alert">{plain(said.sentence)}</p>}
        {gone && <Moved />}
        <PreviewOf preview={preview} />
      </form>
    </aside>
  );
}
