// Of long lists the rows in sight are on the page, and few more: a frame of a scroll moves
// what is there.
import { useEffect, useRef, useState, type ReactNode } from "react";

const STEP = 8; // rows come and go by so many: most frames change none
const AHEAD = 30; // rows on both sides that are asked for before they are in sight
const BLOCK = 50; // windows begin at multiples, so that scrolling asks seldom

/** Which rows are on the page, [first, last), and which window of a list that the server
    has is asked for. */
export function useWindow(rowPx: number) {
  const [step, setStep] = useState(0);
  const [height, setHeight] = useState(600);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const see = () => box.current && setHeight(box.current.clientHeight);
    see();
    window.addEventListener("resize", see);
    return () => window.removeEventListener("resize", see);
  }, []);
  const seen = Math.ceil(height / rowPx);
  const first = Math.max(0, (step - 1) * STEP);
  return {
    box,
    first,
    last: (step + 2) * STEP + seen,
    offset: Math.max(0, Math.floor((step * STEP - AHEAD) / BLOCK) * BLOCK),
    limit: (Math.ceil((seen + STEP + 2 * AHEAD) / BLOCK) + 1) * BLOCK,
    see: () => setStep(Math.floor((box.current?.scrollTop ?? 0) / rowPx / STEP)),
  };
}

const LINE_PX = 32; // of .in-sight tbody tr

/** A table of rows of one line each, of which those in sight are drawn. */
export function LongTable<T>(props: { all: T[]; className?: string; head: ReactNode; row: (one: T, index: number) => ReactNode; children?: ReactNode }) {
  const { all } = props;
  const { box, first, last, see } = useWindow(LINE_PX);
  const from = Math.min(first, Math.max(0, all.length - 1));
  const to = Math.min(last, all.length);
  const gap = (rows: number) => rows > 0 && <tr aria-hidden="true" style={{ height: `${rows * LINE_PX}px` }} />;
  return (
    <div className="q-box c-box" ref={box} onScroll={see}>
      <table className={`list in-sight ${props.className ?? ""}`} aria-rowcount={all.length + 1}>
        <thead>{props.head}</thead>
        <tbody>
          {gap(from)}
          {all.slice(from, to).map((one, i) => props.row(one, from + i))}
          {gap(all.length - to)}
        </tbody>
      </table>
      {props.children}
    </div>
  );
}
