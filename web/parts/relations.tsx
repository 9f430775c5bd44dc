// Relations of one thing as a drawing: who may use it at its left, what it may use at its
// right, each a link. The table beside it says the same.
import { plain } from "../model/format";
import { go } from "../model/route";

export interface Relation {
  what: string;
  name: string;
  how: string;
  to?: string;
  side: "left" | "right";
}

const ROW = 26;
const WIDTH = 560;
const BOX = 170;
const SHOWN = 9; // of a side
const LETTERS = 22;

const short = (text: string) => (text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text);

function Box({ r, x, y }: { r: Relation; x: number; y: number }) {
  const box = (
    <>
      <title>{`${r.what} ${plain(r.name)}: ${r.how}`}</title>
      <rect x={x} y={y} width={BOX} height={ROW - 6} rx={4} className={`n-box n-${r.what}`} />
      <text x={x + 8} y={y + 14} className="n-text">{short(`${r.what === "qos" ? "QOS" : r.what} ${plain(r.name)}`)}</text>
    </>
  );
  if (!r.to) return <g>{box}</g>;
  return <a href={r.to} onClick={(e) => { e.preventDefault(); go(r.to as string); }}>{box}</a>;
}

export function RelationsDrawing({ name, all }: { name: string; all: Relation[] }) {
  const sides = (["left", "right"] as const).map((side) => all.filter((r) => r.side === side));
  const rows = Math.max(1, ...sides.map((s) => Math.min(s.length, SHOWN) + (s.length > SHOWN ? 1 : 0)));
  const height = rows * ROW + 4;
  const middle = height / 2;
  const centre = { x: !sides[0].length ? BOX / 3 : !sides[1].length ? WIDTH - BOX - BOX / 3 : (WIDTH - BOX) / 2, y: middle - (ROW - 6) / 2 };
  return (
    <svg className="n-drawing" viewBox={`0 0 ${WIDTH} ${height}`} role="group" aria-label={`Relations of ${plain(name)}, a drawing; the table says the same`}>
      {sides.map((side, i) => {
        const n = Math.min(side.length, SHOWN) + (side.length > SHOWN ? 1 : 0);
        const top = middle - (n * ROW) / 2;
        const x = i === 0 ? 0 : WIDTH - BOX;
        return side.slice(0, SHOWN).map((r, k) => {
          const y = top + k * ROW + 3;
          const [from, to] = i === 0 ? [BOX, centre.x] : [centre.x + BOX, WIDTH - BOX];
          const [a, b] = i === 0 ? [y + 10, middle] : [middle, y + 10];
          return (
            <g key={`${i} ${k}`}>
              <path d={`M${from},${a}C${(from + to) / 2},${a} ${(from + to) / 2},${b} ${to},${b}`} className={r.how.includes("default") || r.how.includes("where none") || r.how.includes("first") ? "n-line n-strong" : "n-line"} />
              <Box r={r} x={x} y={y} />
            </g>
          );
        }).concat(side.length > SHOWN ? [<text key={`${i} more`} x={x + 8} y={top + SHOWN * ROW + 17} className="n-text n-quiet">and {side.length - SHOWN} more</text>] : []);
      })}
      <rect x={centre.x} y={centre.y} width={BOX} height={ROW - 6} rx={4} className="n-box n-centre" />
      <text x={centre.x + BOX / 2} y={centre.y + 14} textAnchor="middle" className="n-text n-name">{short(plain(name))}</text>
    </svg>
  );
}
