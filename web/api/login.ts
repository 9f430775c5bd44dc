// How a tab comes by its session: by a login in the address, from itself before a reload,
// or from another tab of this page.
import type { Session } from "../model/types";
import { ask, keepSession, session } from "./client";

const CHANNEL = "maui-session";
const OTHERS_MS = 250;

/** Takes the login out of the address before anything else sees it. */
export function takeLogin(): string | null {
  const found = /^#login=([\w-]+)$/.exec(location.hash);
  if (location.hash.startsWith("#login="))
    history.replaceState(null, "", location.pathname + location.search);
  return found ? found[1] : null;
}

export async function exchange(login: string): Promise<void> {
  keepSession(null);
  keepSession(JSON.parse(await ask("POST", "/v1/session", { login })) as Session);
}

/** Other tabs of this origin may have it. */
export function askOthers(): Promise<boolean> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    const timer = setTimeout(() => end(false), OTHERS_MS);
    function end(found: boolean) {
      clearTimeout(timer);
      channel.close();
      resolve(found);
    }
    channel.onmessage = (e: MessageEvent) => {
      if (!e.data?.give) return;
      keepSession(e.data.give as Session);
      end(true);
    };
    channel.postMessage({ ask: true });
  });
}

/** Give it to tabs that ask; tell who logs out in another, and which session one of them has. */
export function serveOthers(told: (other: Session | null) => void): BroadcastChannel {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (e: MessageEvent) => {
    if (e.data?.ask && session()) channel.postMessage({ give: session() });
    if (e.data?.end && session()) told(null);
    if (e.data?.give && !session()) told(e.data.give as Session);
  };
  return channel;
}
