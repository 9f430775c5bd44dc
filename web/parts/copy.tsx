// A command line that does the same, to copy.
import { useState } from "react";

export function Command({ line }: { line: string }) {
  const [done, setDone] = useState(false);
  return (
    <p className="command">
      <code>{line}</code>
      <button
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
