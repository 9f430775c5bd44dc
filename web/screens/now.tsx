// What is going on: the screen that the page begins with.
import { useLive } from "../model/live";
import { plain } from "../model/format";

export function Now() {
  const who = useLive((s) => s.who);
  return (
    <>
      <h1>Now</h1>
      {who && <p>You are {plain(who.user)}, level {who.level}.</p>}
    </>
  );
}
