// The filter of the queue: words in the scheduler's language, with what could come next.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { plain } from "../model/format";
import { useMadeReservations, useNames } from "../model/lists";
import { go, useSearch, withQuery } from "../model/route";
import { suggest, take, type Suggestion } from "../model/words";

const REST_MS = 350; // somebody is still typing
const STATES = ["Idle", "Running", "Suspended", "Starting", "UserHold", "SystemHold", "BatchHold", "Deferred"];
const SECTIONS = ["eligible", "active", "blocked"];

function useWords(wanted: boolean): Record<string, string[]> {
  const names = useNames(wanted);
  const made = useMadeReservations(wanted)?.map((r) => r.name ?? "") ?? [];
  return { ...names, state: STATES, section: SECTIONS, in: made, wants: made };
}

export function Filter({ error }: { error?: string }) {
  const q = new URLSearchParams(useSearch()).get("q") ?? "";
  const [text, setText] = useState(q);
  const [caret, setCaret] = useState(0);
  const [open, setOpen] = useState(false);
  const [begun, setBegun] = useState(false); // names are asked for from then on
  const [at, setAt] = useState(-1);
  const box = useRef<HTMLInputElement>(null);
  const put = useRef<number>(null); // where the caret goes when the text is there
  const names = useWords(begun);
  const { from, all } = suggest(text, caret, names);
  const shown = open && all.length > 0;
  const chosen: Suggestion | undefined = shown ? all[at] : undefined;
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text === q) return undefined;
    const timer = window.setTimeout(() => go(withQuery({ q: text }), true), REST_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (put.current === null || put.current === undefined) return;
    box.current?.setSelectionRange(put.current, put.current);
    put.current = null;
  }, [text]);

  function write(next: string, where: number) {
    setText(next);
    setCaret(where);
    setAt(-1);
    setBegun(true);
    setOpen(true);
  }
  function choose(one: Suggestion) {
    const next = take(text, caret, from, one.word);
    put.current = next.caret;
    write(next.text, next.caret);
    if (next.text.endsWith(" ")) setOpen(false); // that word is whole
  }
  function press(e: KeyboardEvent & { stopPropagation(): void }) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) {
      e.preventDefault();
      if (shown) setAt((i) => Math.max(-1, Math.min(all.length - 1, i + step)));
      else write(text, box.current?.selectionStart ?? text.length);
    } else if (chosen && (e.key === "Enter" || e.key === "Tab")) {
      e.preventDefault();
      choose(chosen);
    } else if (e.key === "Escape" && shown) {
      e.preventDefault(); // the words stay
      e.stopPropagation();
      setOpen(false);
    }
  }
  return (
    <form className="filter" onSubmit={(e) => { e.preventDefault(); setOpen(false); go(withQuery({ q: text }), true); }}>
      <input
        ref={box}
        type="search"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls="filter-words"
        aria-activedescendant={chosen ? `filter-word-${at}` : undefined}
        aria-label="Filter"
        aria-invalid={Boolean(error)}
        aria-describedby="filter-note"
        autoComplete="off"
        placeholder="user:ann class:fast state:idle reason:limit procs>64 wait>1d held:1"
        value={text}
        onChange={(e: { target: HTMLInputElement }) => write(e.target.value, e.target.selectionStart ?? e.target.value.length)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
        spellCheck={false}
      />
      <span id="filter-note" className={error && !shown ? "filter-error" : "sr"} role="status">{shown ? "" : error ?? ""}</span>
      <span className="sr" role="status">{shown && at < 0 ? `${all.length} ${all.length === 1 ? "word" : "words"} could come here; arrows choose` : ""}</span>
      <ul id="filter-words" role="listbox" aria-label="Words that could come here" className="search-found" hidden={!shown}>
        {shown && all.map((s, i) => (
          <li key={s.word} id={`filter-word-${i}`} role="option" aria-selected={i === at} onMouseDown={(e) => e.preventDefault() /* the field keeps the focus */} onClick={() => choose(s)}>
            {plain(s.word)} <span className="quiet">{s.note}</span>
          </li>
        ))}
      </ul>
    </form>
  );
}
