// Search, over what the page can show: a job by its id, screens by name.
import { useRef, useState } from "react";
import { go } from "../model/route";
import { SCREENS } from "../screens/list";

export function Search() {
  const [text, setText] = useState("");
  const box = useRef<HTMLInputElement>(null);
  function follow() {
    const word = text.trim();
    if (!word) return;
    const screen = SCREENS.find((s) => s.name.toLowerCase().startsWith(word.toLowerCase()));
    if (screen) go(screen.path);
    else if (SCREENS.some((s) => s.path === "/ui/jobs")) go(`/ui/jobs?q=${encodeURIComponent(word)}`);
    setText("");
    box.current?.blur();
  }
  return (
    <form role="search" className="search" onSubmit={(e) => { e.preventDefault(); follow(); }}>
      <input
        ref={box}
        id="search"
        type="search"
        placeholder="Search jobs and screens   /"
        aria-label="Search jobs and screens"
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => e.key === "Escape" && box.current?.blur()}
      />
    </form>
  );
}
