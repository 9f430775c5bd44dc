// Users, groups, accounts, classes and QOS: what limits them, how much of that is in use,
// whom it keeps waiting, and where each value comes from.
import { useMemo, useState, type ReactNode } from "react";
import { readLines } from "../api/client";
import { count, plain } from "../model/format";
import { KINDS, kindWord, pluralOf } from "../model/limits";
import { useAnswer, useLive } from "../model/live";
import { go, usePath, useSearch, withQuery } from "../model/route";
import type { Credential } from "../model/types";
import { Link } from "../parts/frame";
import { Access } from "./access";
import { CredentialPanel, LimitBar, fullest, type LimitRecord } from "./credential";

const SHOWN = 300;
const TABS = [...KINDS, "access"];

export const addressOf = (kind: string, name?: string) => `/ui/credentials/${kind}${name ? `/${encodeURIComponent(name)}` : ""}`;

/** "/ui/credentials/user/ann" */
function useWhich(): { kind: string; name: string } {
  const [, , , kind, name] = usePath().split("/");
  return { kind: TABS.includes(kind ?? "") ? kind : "user", name: name ? decodeURIComponent(name) : "" };
}

export function Tabs({ kind, children }: { kind: string; children?: ReactNode }) {
  return (
    <div className="q-bar">
      <h1>Credentials</h1>
      <div className="tabs" role="group" aria-label="Kinds of credentials">
        {TABS.map((k) => <Link key={k} to={addressOf(k)} current={k === kind} className="tab">{k === "access" ? "Access" : pluralOf(k)}</Link>)}
      </div>
      {children}
    </div>
  );
}

/** What is nearest to its end is told in the list. */
function Tightest({ all }: { all: LimitRecord[] }) {
  const one = fullest(all);
  if (!one) return all.length ? <span className="quiet">{plain(all[0].limit)} {all[0].hard < 0 ? "no limit" : count(all[0].hard)}</span> : <span className="quiet">none</span>;
  return <span className="l-cell"><span>{plain(one.limit)}</span><LimitBar l={one} /><span className="quiet">{all.length > 1 ? `and ${all.length - 1} more` : ""}</span></span>;
}

function Row({ c, kind, chosen }: { c: Credential; kind: string; chosen: boolean }) {
  const all = c.limits_in_force ?? [];
  return (
    <tr className={chosen ? "q-chosen" : undefined}>
      <td><Link to={addressOf(kind, c.name)}>{plain(c.name)}</Link>{c.enabled === false && <span className="tag">not started</span>}</td>
      <td><Tightest all={all} /></td>
      <td className="number">{c.held ? <Link to={`/ui/jobs?q=${encodeURIComponent(`${kind}:${c.name} reason:limit`)}`}>{count(c.held)}</Link> : <span className="quiet">0</span>}</td>
      <td className="number">{c.priority ? count(c.priority) : ""}</td>
      <td className="number">{c.fs_usage !== undefined ? `${c.fs_usage.toFixed(1)} %` : ""}</td>
      <td>{plain((c.qos_list ?? []).join(", ") || (c.qos_default ?? ""))}</td>
    </tr>
  );
}

function List({ kind, name }: { kind: string; name: string }) {
  const query = new URLSearchParams(useSearch());
  const answer = useAnswer(`/v1/credentials/${kind}`, true);
  const [words, setWords] = useState(query.get("q") ?? "");
  const list = useMemo(() => (answer.text ? readLines<Credential>(answer.text) : null), [answer.text]);
  const wanted = words.trim().toLowerCase();
  const shown = (list ?? [])
    .filter((c) => c.name.toLowerCase().includes(wanted))
    .sort((a, b) => Number(b.name === "DEFAULT") - Number(a.name === "DEFAULT") || (b.held ?? 0) - (a.held ?? 0) || (a.name < b.name ? -1 : 1));
  const chosen = list?.find((c) => c.name === name);
  return (
    <div className={name ? "split split-open" : "split"}>
      <div className="split-main">
        <Tabs kind={kind}>
          <div className="filter">
            <input type="search" aria-label="Filter by name" placeholder="part of the name" value={words} onChange={(e) => {
              setWords(e.target.value);
              go(withQuery({ q: e.target.value || null }), true);
            }} />
          </div>
          <span className="quiet q-count" role="status">{list ? `${count(shown.length)} of ${count(list.length)}` : "Loading …"}</span>
        </Tabs>
        {answer.error && <p role="alert">{plain(answer.error.message)}</p>}
        <div className="q-box c-box">
          <table className="list c-cred">
            <thead><tr><th>{kindWord(kind) === "QOS" ? "QOS" : "Name"}</th><th>Nearest to its limit</th><th className="number">Jobs held up</th><th className="number">Priority</th><th className="number">Share</th><th>QOS</th></tr></thead>
            <tbody>{shown.slice(0, SHOWN).map((c) => <Row key={c.name} c={c} kind={kind} chosen={c.name === name} />)}</tbody>
          </table>
          {list && !shown.length && <p className="quiet q-none">{list.length ? "None has such a name." : "There is none yet."}</p>}
          {shown.length > SHOWN && <p className="quiet q-none">and {count(shown.length - SHOWN)} more: a part of the name narrows it down</p>}
        </div>
      </div>
      {name && (chosen || list) && <CredentialPanel key={`${kind} ${name}`} kind={kind} name={name} c={chosen} onClose={() => go(addressOf(kind), true)} />}
    </div>
  );
}

/** Whoever has no level sees themselves. */
function Own({ user }: { user: string }) {
  const answer = useAnswer("/v1/credentials/user", true);
  const own = useMemo(() => (answer.text ? readLines<Credential>(answer.text)[0] : undefined), [answer.text]);
  return (
    <>
      <h1>Your limits</h1>
      {answer.error && <p role="alert">{plain(answer.error.message)}</p>}
      {answer.text !== undefined && <div className="c-own"><CredentialPanel kind="user" name={user} c={own} /></div>}
    </>
  );
}

export function Credentials() {
  const { kind, name } = useWhich();
  const who = useLive((s) => s.who);
  if (who && !who.level) return <Own user={who.user} />;
  return kind === "access" ? <><Tabs kind={kind} /><Access /></> : <List kind={kind} name={name} />;
}
