// A command line that does the same, to copy.
import { useState } from "react";
import { plain } from "../model/format";

export function Command({ line: raw }: { line: string }) {
  const line = plain(raw);
  const [done, setDone] = useState(false);
  return (
    <p className="command">
      <code>{line}</code>
      <button
        type="button"
        onClick={() => {
          void navigator.clipboard?.writeText(line).then(() => setDone(true));
          window.setTimeout(() => setDone(false), 1500);
        }}
      >
        {done ? "Copied" : "Copy"}
      </button>
    </p>
  );
}
