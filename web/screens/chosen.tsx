// Several jobs that were chosen in the queue, beside it: what can be done with all of them.
import { useEffect, useRef } from "react";
import { count, plain } from "../model/format";
import type { Subject } from "../model/orders";
import { Actions } from "../parts/actions";

const LISTED = 40;

/** What an order needs to know of a job, besides what the list shows. */
export const NEEDED = ["user", "section", "state", "shown_state", "holds", "qos", "system_priority", "wclimit_s"];

export type Chosen = ReadonlyMap<string, Subject>;

export function ChosenPanel(props: { chosen: Chosen; onClear: () => void; onDrop: (id: string) => void }) {
  const jobs = [...props.chosen.values()];
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => () => document.getElementById("rows")?.focus(), []);
  return (
    <aside
      className="panel"
      aria-label="Chosen jobs"
      onKeyDown={(e) => {
        if (e.key === "Escape") props.onClear();
      }}
    >
      <button className="panel-close" onClick={props.onClear} aria-label="Choose none">✕</button>
      <h2 ref={title} tabIndex={-1}>{count(jobs.length)} {jobs.length === 1 ? "job" : "jobs"} chosen</h2>
      <Actions jobs={jobs} onDone={props.onClear} />
      <ul className="places chosen-list">
        {jobs.slice(0, LISTED).map((j) => (
          <li key={j.id}>
            {plain(j.id)} <span className="quiet">{plain(j.user)}</span>{" "}
            <button className="chosen-drop" aria-label={`Leave out job ${j.id}`} onClick={() => props.onDrop(j.id)}>✕</button>
          </li>
        ))}
        {jobs.length > LISTED && <li className="quiet">and {count(jobs.length - LISTED)} more</li>}
      </ul>
    </aside>
  );
}
