// What is different in the scheduler, told as it comes about. The tabs of a session have
// one stream together: the one that holds the lock reads, and tells the others.
import { readStream, session } from "../api/client";

export interface News {
  kinds: string[]; // of what changed: job, node, reservation
  plan: boolean; // promises and reasons may be others
  all: boolean; // what was missed is not known
  revision: number;
}

type Hear = (news: News) => void;

interface End {
  revision: number;
  plan: number;
}
interface Line extends Partial<End> {
  kind?: string;
  event?: string;
}

let last: End | null = null;

const SILENT_MS = 45000; // a sign of life comes every 15 s

/** Until it ends; tells what came. */
async function readChanges(stop: AbortSignal, hear: Hear): Promise<void> {
  const since = last ? `&since=${last.revision}` : "";
  const answer = await fetch(`/v1/changes?kinds=job,node,reservation${since}`, {
    headers: { Authorization: `Session ${session()?.secret ?? ""}` },
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    signal: stop,
  });
  if (!answer.ok) throw new Error(String(answer.status));
  let kinds = new Set<string>();
  let all = last === null;
  for await (const line of readStream<Line>(answer, SILENT_MS)) {
    if (line.kind) kinds.add(line.kind);
    if (line.event === "RESET") all = true;
    if (line.revision === undefined) continue;
    const plan = last?.plan !== line.plan;
    last = { revision: line.revision, plan: line.plan ?? 0 };
    hear({ kinds: [...kinds], plan, all, revision: line.revision });
    kinds = new Set();
    all = false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((then) => window.setTimeout(then, ms));
}

/** While the session lasts; again when the stream breaks off. */
async function keepReading(stop: AbortSignal, hear: Hear, lost: () => void): Promise<void> {
  for (let failures = 0; !stop.aborted; failures += 1) {
    const began = Date.now();
    try {
      await readChanges(stop, hear);
    } catch {
      if (!stop.aborted) lost(); // what is wrong the requests of the page find out, and say
    }
    if (Date.now() - began > 30000) failures = 0;
    if (!stop.aborted) await pause(Math.min(30, 2 ** failures) * 1000 * (0.75 + Math.random() / 2));
  }
}

/** Hear of changes from now on, or that there is no stream now, until the function that is
    returned is called. */
export function followChanges(hear: Hear, lost: () => void): () => void {
  const name = `maui.changes.${session()?.id ?? ""}`;
  const others = new BroadcastChannel(name);
  const stop = new AbortController();
  const tell = (news: News) => {
    others.postMessage(news);
    hear(news);
  };
  others.onmessage = (e) => hear(e.data as News);
  const read = () => keepReading(stop.signal, tell, lost);
  if (navigator.locks) navigator.locks.request(name, { signal: stop.signal }, read).catch(() => undefined);
  else void read();
  return () => {
    stop.abort();
    others.close();
    last = null;
  };
}
