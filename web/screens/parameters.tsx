// What is configured: each parameter with its value, default, source and help.
import { useMemo, useState } from "react";
import { readLines } from "../api/client";
import { count, plain } from "../model/format";
import { useAnswer } from "../model/live";
import { go, useSearch, withQuery } from "../model/route";
import { commandOf } from "../model/settings";
import type { ParameterRecord } from "../model/types";
import { Command } from "../parts/copy";
import { SettingForm, useMaySet } from "../parts/setting";

const SHOWN = 400;

function Details({ p }: { p: ParameterRecord }) {
  const close = () => go(withQuery({ sel: null }), true);
  const [open, setOpen] = useState(false);
  const may = useMaySet();
  const [, section, attr] = /^(\w+CFG\[.*\])\.(.+)$/.exec(p.name) ?? [];
  return (
    <aside className="panel" aria-label={`Parameter ${p.name}`} onKeyDown={(e) => { if (e.key === "Escape") close(); }}>
      <button className="panel-close" onClick={close} aria-label="Close the panel">✕</button>
      <h2>{plain(p.name)}</h2>
      {p.help && <p>{plain(p.help)}</p>}
      {may && (
        <div className="actions" role="group" aria-label="Actions">
          <button data-do="set" aria-expanded={open} onClick={() => setOpen(!open)}>Change</button>
        </div>
      )}
      {open && <SettingForm section={section} name={attr ?? p.name} value={p.value} hint={p.help} onEnd={() => setOpen(false)} />}
      <dl className="facts">
        <dt>Value</dt><dd>{plain(p.value) || "(empty)"}</dd>
        <dt>Default</dt><dd>{p.default !== undefined ? plain(p.default) || "(empty)" : "none"}</dd>
        <dt>From</dt><dd>{p.source ? plain(p.source) : "nobody set it"}</dd>
        {p.status && <><dt>Status</dt><dd>{plain(p.status)}</dd></>}
      </dl>
      {!open && <Command line={commandOf({ section, name: attr ?? p.name, value: p.value }, false)} />}
    </aside>
  );
}

export function Parameters() {
  const query = new URLSearchParams(useSearch());
  const all = query.get("all") === "1";
  const sel = query.get("sel");
  const answer = useAnswer(`/v1/parameters${all || sel ? "?defaults=1" : ""}`);
  const [words, setWords] = useState(query.get("q") ?? "");
  const list = useMemo(() => (answer.text ? readLines<ParameterRecord>(answer.text) : null), [answer.text]);
  if (answer.error) return <><h1>Parameters</h1><p>{plain(answer.error.message)}</p></>;
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (list ?? []).filter((p) => (all || p.source) && wanted.every((w) => `${p.name} ${p.value} ${p.help ?? ""}`.toLowerCase().includes(w)));
  const chosen = sel ? list?.find((p) => p.name === sel) : undefined;
  return (
    <div className={chosen ? "split split-open" : "split"}>
      <div className="split-main">
        <div className="q-bar">
          <h1>Parameters</h1>
          <div className="filter">
            <input type="search" aria-label="Filter by words of name, value or help" placeholder="words of name, value or help" value={words} onChange={(e) => {
              setWords(e.target.value);
              go(withQuery({ q: e.target.value || null }), true);
            }} />
          </div>
          <label className="menu-check p-all">
            <input type="checkbox" checked={all} onChange={(e) => go(withQuery({ all: e.target.checked ? "1" : null }), true)} />
            defaults too
          </label>
          <span className="quiet q-count" role="status">{list ? `${count(shown.length)} of ${count(list.length)}` : "Loading …"}</span>
        </div>
        <div className="q-box c-box">
          <table className="list p-list">
            <thead><tr><th>Parameter</th><th>Value</th><th>Default</th><th>From</th><th>What it is</th></tr></thead>
            <tbody>
              {shown.slice(0, SHOWN).map((p, i) => (
                <tr key={i} className={p.name === sel ? "q-chosen" : undefined}>
                  <td><button className="q-sort g-link" onClick={() => go(withQuery({ sel: p.name }), Boolean(sel))}>{plain(p.name)}</button></td>
                  <td className="p-value">{p.source && !p.is_default ? <strong>{plain(p.value)}</strong> : plain(p.value)}</td>
                  <td className="p-value quiet">{p.default !== undefined ? plain(p.default) : ""}</td>
                  <td className="quiet">{p.source ? plain(p.source.replace(/^.*\//, "")) : ""}</td>
                  <td className="quiet p-help">{plain(p.help ?? "")}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {list && !shown.length && <p className="quiet q-none">{list.length ? "No parameter matches." : "Nothing is configured: all is at its default."}</p>}
          {shown.length > SHOWN && <p className="quiet q-none">and {count(shown.length - SHOWN)} more: words narrow it down</p>}
        </div>
      </div>
      {chosen && <Details key={chosen.name} p={chosen} />}
    </div>
  );
}
