// The rows of the queue. Of as many as there are jobs those in sight are on the page, and
// somewhat more than these are asked for: a frame of a scroll moves what is there.
import { memo, useEffect, useRef, useState, type CSSProperties } from "react";
import type { Zone } from "../model/prefs";
import type { JobBrief } from "../model/types";
import type { Column } from "./columns";

export const ROW_PX = 28;
const STEP = 8; // rows come and go by so many: most frames change none
const AHEAD = 30; // rows on both sides that are asked for before they are in sight
const BLOCK = 50; // windows begin at multiples, so that scrolling asks seldom

/** Which rows are on the page, [first, last), and which window of the list has them. */
export function useWindow() {
  const [step, setStep] = useState(0);
  const [height, setHeight] = useState(600);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const see = () => box.current && setHeight(box.current.clientHeight);
    see();
    window.addEventListener("resize", see);
    return () => window.removeEventListener("resize", see);
  }, []);
  const seen = Math.ceil(height / ROW_PX);
  const first = Math.max(0, (step - 1) * STEP);
  return {
    box,
    first,
    last: (step + 2) * STEP + seen,
    offset: Math.max(0, Math.floor((step * STEP - AHEAD) / BLOCK) * BLOCK),
    limit: (Math.ceil((seen + STEP + 2 * AHEAD) / BLOCK) + 1) * BLOCK,
    see: () => setStep(Math.floor((box.current?.scrollTop ?? 0) / ROW_PX / STEP)),
  };
}

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
