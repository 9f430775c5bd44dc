// Search, over what the page can show: screens, jobs, and all that has a name.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { find, type Found } from "../model/find";
import { plain } from "../model/format";
import { useLive } from "../model/live";
import { go } from "../model/route";
import { SCREENS } from "../screens/list";

const REST_MS = 180; // the word is still written
const SHOWN = 12;

function screensOf(word: string, admin: boolean): Found[] {
  return SCREENS.filter((s) => (admin || !s.admin) && s.name.toLowerCase().startsWith(word.toLowerCase()))
    .map((s) => ({ kind: "screen", name: s.name, to: s.path }));
}

/** What there is of that word; null: it has not been looked for. */
function useFound(word: string): Found[] | null {
  const [found, setFound] = useState<{ word: string; all: Found[] } | null>(null);
  const admin = useLive((s) => (s.who?.level ?? 0) > 0);
  useEffect(() => {
    if (!word) return undefined;
    let over = false;
    const timer = window.setTimeout(async () => {
      const all = [...screensOf(word, admin), ...await find(word, admin)].slice(0, SHOWN);
      if (!over) setFound({ word, all });
    }, REST_MS);
    return () => {
      over = true;
      window.clearTimeout(timer);
    };
  }, [word, admin]);
  return word && found?.word === word ? found.all : null;
}

export function Search() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(-1);
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const word = text.trim();
  const found = useFound(open ? word : "");
  const shown = open && word ? found : null;
  function leave(to: string) {
    document.getElementById("main")?.focus(); // what opens there takes it further
    go(to);
    setText("");
    setOpen(false);
  }
  /** What is chosen; else a screen of that name, else the jobs of these words. */
  function follow() {
    const chosen = shown?.[at];
    const screen = screensOf(word, true)[0];
    if (word) leave(chosen ? chosen.to : screen ? screen.to : `/ui/jobs?q=${encodeURIComponent(word)}`);
  }
  function press(e: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step && shown?.length) {
      e.preventDefault();
      setAt((i) => Math.max(-1, Math.min(shown.length - 1, i + step)));
    } else if (e.key === "Escape") {
      setOpen(false);
      box.current?.blur();
    }
  }
  return (
    <form role="search" className="search" onSubmit={(e) => { e.preventDefault(); follow(); }}>
      <input
        ref={box}
        id="search"
        type="search"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={Boolean(shown)}
        aria-controls="search-found"
        aria-activedescendant={shown?.[at] ? `search-${at}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Search jobs, nodes, names, screens   /"
        aria-label="Search jobs, nodes, reservations, credentials, parameters and screens"
        value={text}
        onChange={(e) => {
          setText(e.target.value);
          setAt(-1);
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <ul id="search-found" role="listbox" aria-label="Found" className="search-found" hidden={!shown}>
        {shown?.map((f, i) => (
          <li key={`${f.kind} ${f.name}`} id={`search-${i}`} role="option" aria-selected={i === at} onMouseDown={(e) => e.preventDefault() /* the field keeps the focus until then */} onClick={() => leave(f.to)}>
            <span className="search-kind">{f.kind}</span> {plain(f.name)} {f.note && <span className="quiet">{plain(f.note)}</span>}
          </li>
        ))}
        {shown && !shown.length && <li role="option" aria-selected={false} aria-disabled="true" className="quiet">Nothing is called so; Enter filters the queue by it.</li>}
      </ul>
    </form>
  );
}
