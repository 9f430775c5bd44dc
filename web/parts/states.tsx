// What stands in place of the page, or above it, when not all is well.
import { askNow, useLive } from "../model/live";
import { instant, plain, sentence } from "../model/format";
import { usePast } from "../model/past";
import { usePrefs } from "../model/prefs";
import { Link, useNow } from "./frame";

function inCode(message: string) {
  return sentence(message).split("`").map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}

/** Instead of the page: there is no session. */
export function Door() {
  const phase = useLive((s) => s.phase);
  const message = useLive((s) => s.message);
  const ended = phase === "ended";
  return (
    <main className="door">
      <h1>Maui</h1>
      <p className="door-what" role={ended ? "alert" : undefined}>
        {phase === "starting" ? "The page is starting …"
          : ended && message ? inCode(message)
          : "You are not logged in."}
      </p>
      {phase !== "starting" && (
        <>
          <p>On a machine where the commands of the scheduler work, run</p>
          <pre className="door-how">maui dashboard</pre>
          <p>
            and open the address that it prints, in this tab if you like: this view comes back.
            There is no password, and no account besides yours on that machine.
          </p>
        </>
      )}
    </main>
  );
}

/** In place of a screen that is not for users, who may have its address from somebody. */
export function Closed({ name }: { name: string }) {
  return (
    <>
      <h1>{name}</h1>
      <p>{name} {name.endsWith("s") ? "are" : "is"} shown to administrators, operators and the help desk of this scheduler.</p>
      <p>
        Of your own you see <Link to="/ui/credentials">your limits, your share and your use</Link>, <Link to="/ui/statistics">your waits</Link>,{" "}
        <Link to="/ui/promises">what you were promised</Link> and <Link to="/ui/jobs">your jobs</Link>.
      </p>
    </>
  );
}

/** Nothing is started, and what the queue tells is of the last iteration. */
function Stopped() {
  const who = useLive((s) => s.who);
  const { at } = usePast();
  const now = useNow();
  const { zone } = usePrefs();
  if (!who?.paused || at !== null) return null;
  return (
    <p className="banner banner-warn" role="status">
      <span>
        Scheduling is stopped{who.resume_at ? ` until ${instant(who.resume_at, now, zone)}` : ""}: nothing is started, and what keeps jobs, and their order, are as of the last iteration.{" "}
        {who.level === 1 && <><code>schedctl -r</code> resumes it.</>}
      </span>
    </p>
  );
}

/** Above the page: what it shows may be old. */
export function Banner() {
  const phase = useLive((s) => s.phase);
  const message = useLive((s) => s.message);
  const mode = useLive((s) => s.who?.mode);
  const readOnly = useLive((s) => s.session?.read_only);
  const putOff = useLive((s) => s.putOff);
  return (
    <>
      {mode === "SIMULATION" && (
        <p className="banner banner-info">Simulation: the clock, the jobs and the nodes are not those of the site.</p>
      )}
      {mode === "TEST" && <p className="banner banner-info">Test mode: the scheduler decides, and does nothing.</p>}
      <Stopped />
      {readOnly && <p className="banner banner-quiet">This session is to look only.</p>}
      {phase === "stale" && (
        <p className="banner banner-warn" role="status">What you see is more than 20 seconds old.</p>
      )}
      {(phase === "reconnecting" || phase === "stopping") && (
        <p className="banner banner-warn" role="status">
          {inCode(message)} <button onClick={askNow}>Ask now</button>
        </p>
      )}
      {phase === "live" && putOff && (
        <p className="banner banner-quiet" role="status">Not all of this is new: {plain(putOff)}. It is asked for again by itself.</p>
      )}
      {phase === "refused" && <p className="banner banner-bad" role="alert">{inCode(message)}</p>}
      {phase === "updated" && (
        <p className="banner banner-warn" role="status">
          The scheduler was updated, and this page is of before. <button onClick={() => location.reload()}>Reload</button>
        </p>
      )}
    </>
  );
}
