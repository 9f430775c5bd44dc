// A form that changes one setting: the line it makes, what that would come to, and the
// command that does the same.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { Choice } from "../model/limits";
import { useLive } from "../model/live";
import { changeSetting, commandOf, lineOf, type Setting } from "../model/settings";
import type { WhatIfChange } from "../model/types";
import { usePreview } from "../model/whatif";
import { useMayChange } from "./actions";
import { Command } from "./copy";
import { Moved, PreviewOf } from "./preview";

/** Only administrators of level 1 are let change what is configured. */
export function useMaySet(): boolean {
  const may = useMayChange();
  const level = useLive((s) => s.who?.level ?? 0);
  return may && level === 1;
}

const NEAREST = /did you mean '?([\w.[\]:]+)'?\?/;

export function SettingForm(props: {
  section?: string; // as USERCFG[ann]
  name: string; // "" where it is to be chosen
  value: string; // as it is by now
  choices?: Choice[];
  hint?: string;
  onEnd: () => void;
}) {
  const [name, setName] = useState(props.name);
  const [value, setValue] = useState(props.value);
  const [was] = useState(props.value);
  const [kept, setKept] = useState(false);
  const [busy, setBusy] = useState(false);
  const [gone, setGone] = useState(""); // the basis that was refused, until there is another answer
  const live = useLive((s) => s.phase === "live");
  const form = useRef<HTMLFormElement>(null);
  const setting: Setting = { section: props.section, name: name.trim(), value };
  const ready = Boolean(setting.name && value.trim()) && !(name === props.name && value === props.value);
  const preview = usePreview(ready ? [{ parameters: { text: lineOf(setting) } } as WhatIfChange] : null);
  const refusal = preview.answer?.refused !== undefined ? preview.answer.changes?.[preview.answer.refused]?.message ?? "" : preview.message;
  const nearest = NEAREST.exec(refusal)?.[1];
  const moved = Boolean(gone) && (!preview.answer?.basis || preview.answer.basis === gone);
  const may = ready && live && !busy && !moved && preview.state !== "asking" && !refusal;
  const choice = props.choices?.find((c) => c.name === setting.name);
  const title = `Change ${props.section ? `${props.section} ` : ""}${props.name}`.trim();
  useEffect(() => {
    const first = form.current?.querySelector<HTMLInputElement>(props.name ? "#setting-value" : "#setting-name");
    first?.focus();
    first?.select();
  }, []);

  async function submit() {
    if (!may) return;
    setBusy(true);
    const done = await changeSetting(setting, kept, preview.answer?.basis);
    setBusy(false);
    setGone(done === "stale" ? preview.answer?.basis ?? "" : "");
    if (done === "stale") preview.again();
    else if (done) props.onEnd();
  }
  return (
    <form
      ref={form}
      className="order"
      aria-label={title}
      onSubmit={(e) => { e.preventDefault(); void submit(); }}
      onKeyDown={(e: KeyboardEvent & { stopPropagation(): void }) => {
        if (e.key !== "Escape") return;
        e.stopPropagation();
        props.onEnd();
      }}
    >
      <h3>{title}</h3>
      {!props.name && (
        <label className="field">
          <span>What</span>
          <input id="setting-name" list="setting-names" value={name} spellCheck={false} autoComplete="off" placeholder="MAXPROC" onChange={(e) => setName(e.target.value.trim())} />
          <datalist id="setting-names">{props.choices?.map((c) => <option key={c.name} value={c.name}>{c.help}</option>)}</datalist>
        </label>
      )}
      <label className="field">
        <span>{props.name || "Value"}</span>
        <input id="setting-value" value={value} aria-invalid={Boolean(refusal)} aria-describedby="setting-hint" spellCheck={false} autoComplete="off" onChange={(e) => setValue(e.target.value)} />
        <small id="setting-hint" className="quiet">{choice?.help ?? props.hint ?? ""}</small>
      </label>
      {nearest && nearest !== setting.name && !props.name && (
        <p className="field-wrong">There is {nearest}. <button type="button" className="field-take" onClick={() => { setName(nearest); form.current?.querySelector<HTMLElement>("#setting-value")?.focus(); }}>Take it</button></p>
      )}
      {was !== props.value && <p className="field-wrong" role="alert">Somebody has changed it meanwhile: it is {props.value || "(empty)"} by now.</p>}
      <label className="field-check">
        <input type="checkbox" checked={kept} onChange={(e) => setKept(e.target.checked)} />
        Keep it when the configuration is read again
      </label>
      {ready && <p className="quiet line">As a line: <code>{lineOf(setting)}</code></p>}
      <div className="order-buttons">
        <button type="submit" className="main" disabled={!may}>{busy ? "…" : "Apply it"}</button>
        <button type="button" onClick={props.onEnd}>Leave it</button>
      </div>
      {gone && <Moved />}
      <PreviewOf preview={preview} />
      {ready && <Command line={commandOf(setting, kept)} />}
    </form>
  );
}
