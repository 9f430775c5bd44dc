// What was done, at the foot of the page.
import { useState } from "react";
import { plain } from "../model/format";
import { dropNotice, useNotices, type Notice } from "../model/notices";

function Line({ n }: { n: Notice }) {
  const [busy, setBusy] = useState(false);
  async function undo() {
    setBusy(true);
    await n.undo?.();
    dropNotice(n.id);
  }
  return (
    <div className={`notice notice-${n.kind}`} role={n.kind === "wrong" ? "alert" : "status"}>
      <div className="notice-text">
        {plain(n.text)}
        {n.more.length > 0 && (
          <ul>
            {n.more.slice(0, 5).map((line, i) => <li key={i}>{plain(line)}</li>)}
            {n.more.length > 5 && <li>and {n.more.length - 5} more</li>}
          </ul>
        )}
      </div>
      {n.undo && <button className="notice-undo" disabled={busy} onClick={() => void undo()} title="u">Undo</button>}
      <button className="notice-close" aria-label="Take this notice away" onClick={() => dropNotice(n.id)}>✕</button>
    </div>
  );
}

export function Notices() {
  const all = useNotices();
  return <div className="notices">{all.map((n) => <Line key={n.id} n={n} />)}</div>;
}
