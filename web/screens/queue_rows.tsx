// The rows of the queue.
import { memo, type CSSProperties } from "react";
import type { Zone } from "../model/prefs";
import type { JobBrief } from "../model/types";
import type { Column } from "./columns";

export const ROW_PX = 28;
/** What a click on a row does; the same object as long as the list is on the page. */
export interface Hands {
  open: (j: JobBrief, index: number, keys: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }) => void;
  mark: (j: JobBrief, index: number) => void;
}

interface RowProps {
  job: JobBrief;
  index: number; // in the whole list
  cursor: boolean;
  open: boolean;
  marked: boolean;
  marks: boolean; // there is a box to mark it by
  columns: Column[];
  across: CSSProperties;
  now: number;
  zone: Zone;
  hands: Hands;
}

export const Row = memo(function Row({ job, index, cursor, open, marked, marks, columns, across, now, zone, hands }: RowProps) {
  const chosen = open || marked;
  return (
    <div
      role="row"
      id={`row-${index}`}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      className={`q-row${cursor ? " q-cursor" : ""}${chosen ? " q-chosen" : ""}`}
      style={{ ...across, transform: `translateY(${index * ROW_PX}px)` }}
      onClick={(e: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }) => hands.open(job, index, e)}
    >
      {marks && (
        <span role="gridcell">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Choose job ${job.id}`}
            checked={marked}
            onClick={(e: { stopPropagation(): void }) => e.stopPropagation()}
            onChange={() => hands.mark(job, index)}
          />
        </span>
      )}
      {columns.map((c) => (
        <span key={c.key} role="gridcell" className={c.number ? "number" : ""}>{c.show(job, now, zone)}</span>
      ))}
    </div>
  );
});
