// Off the page's thread: it reads windows, paints tiles and looks things up.
import { Window, type Heading, type Named, type Seen } from "./data";
import { TILE, covers, huesOf, paintTile, type Scale } from "./paint";

export type Ask =
  | { type: "rows"; procs: Uint32Array; folded: Uint8Array }
  | { type: "window"; generation: number; answer: ArrayBuffer }
  | { type: "tile"; key: string; color: string; scale: Scale; tx: number; ty: number }
  | { type: "at"; number: number; instant: number; row: number; share: number }
  | { type: "list"; number: number; from: number; to: number; first: number; last: number; most: number }
  | { type: "of"; number: number; id: string };

export type Told =
  | { type: "window"; generation: number; heading: Heading; reserved: Seen[]; named: Named[]; pieces: number }
  | { type: "wrong"; generation: number }
  // without a bitmap, of a window that was there: it could not be painted
  | { type: "tile"; key: string; generation: number; bitmap: ImageBitmap | null; covered: boolean; ms: number }
  | { type: "at"; number: number; seen: Seen | null }
  | { type: "list"; number: number; all: Seen[]; more: number }
  | { type: "of"; number: number; all: Seen[] };

const FRAMES_MAX = 400;
const NAMES_MAX = 600; // more than are in sight: it is panned
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const page = self as any as { postMessage(m: Told, move?: Transferable[]): void; onmessage: unknown };
let procs = new Uint32Array(0);
let folded = new Uint8Array(0);
let shown: Window | null = null;
let generation = 0;
let hues: { color: string; found: ReturnType<typeof huesOf> } | null = null;

async function takeWindow(ask: Ask & { type: "window" }): Promise<void> {
  try {
    const read = await Window.read(ask.answer, procs, folded);
    if (ask.generation < generation) return;
    shown = read;
    generation = ask.generation;
    hues = null;
    page.postMessage({ type: "window", generation, heading: read.heading, reserved: read.reserved(FRAMES_MAX), named: read.named(NAMES_MAX), pieces: read.pieces });
  } catch {
    page.postMessage({ type: "wrong", generation: ask.generation });
  }
}

async function makeTile(ask: Ask & { type: "tile" }): Promise<void> {
  const begin = performance.now();
  let bitmap: ImageBitmap | null = null;
  let covered = false;
  const made = generation;
  try {
    if (shown) {
      if (hues?.color !== ask.color) hues = { color: ask.color, found: huesOf(shown, ask.color) };
      const whole = covers(shown, ask.scale, ask.tx, ask.ty);
      const px = paintTile(shown, hues.found, ask.scale, ask.tx, ask.ty);
      bitmap = await createImageBitmap(new ImageData(new Uint8ClampedArray(px.buffer as ArrayBuffer), TILE, TILE));
      covered = whole;
    }
  } catch {
    bitmap = null; // it is empty until there is another window: the others go on
  }
  page.postMessage({ type: "tile", key: ask.key, generation: made, bitmap, covered, ms: performance.now() - begin }, bitmap ? [bitmap] : []);
}

page.onmessage = (e: MessageEvent<Ask>) => {
  const ask = e.data;
  if (ask.type === "rows") ({ procs, folded } = ask);
  else if (ask.type === "window") void takeWindow(ask);
  else if (ask.type === "tile") void makeTile(ask);
  else if (ask.type === "at") page.postMessage({ type: "at", number: ask.number, seen: shown?.at(ask.instant, ask.row, ask.share) ?? null });
  else if (ask.type === "of") page.postMessage({ type: "of", number: ask.number, all: shown?.of(ask.id) ?? [] });
  else {
    const found = shown?.list(ask.from, ask.to, ask.first, ask.last, ask.most) ?? { all: [], more: 0 };
    page.postMessage({ type: "list", number: ask.number, ...found });
  }
};
