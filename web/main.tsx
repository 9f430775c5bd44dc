import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { begin, useLive } from "./model/live";
import { usePast } from "./model/past";
import { usePath } from "./model/route";
import { Frame } from "./parts/frame";
import { Keys } from "./parts/keys";
import { fetchRest, RestScreen } from "./parts/rest";
import { Closed, Door } from "./parts/states";
import { JobDetails } from "./screens/job";
import { Nodes } from "./screens/nodes";
import { Now } from "./screens/now";
import { Queue } from "./screens/queue";
import { Reservations } from "./screens/reservations";
import { SCREENS } from "./screens/list";
import { Timeline } from "./screens/timeline";
import "./style/page.css";

function View({ path }: { path: string }) {
  const level = useLive((s) => s.who?.level);
  const screen = SCREENS.find((s) => s.is(path));
  const job = /^\/ui\/jobs\/(.+)$/.exec(path);
  if (screen?.admin && !level) return level === 0 ? <Closed name={screen.name} /> : <p className="quiet">Loading …</p>;
  if (path === "/ui/") return <Now />;
  if (path === "/ui/timeline") return <Timeline />;
  if (path.startsWith("/ui/credentials")) return <RestScreen name="Credentials" />;
  if (path === "/ui/events") return <RestScreen name="Events" />;
  if (path === "/ui/priorities") return <RestScreen name="Priorities" />;
  if (path === "/ui/promises") return <RestScreen name="Promises" />;
  if (path === "/ui/reservations") return <Reservations />;
  if (path === "/ui/nodes") return <Nodes />;
  if (path === "/ui/statistics") return <RestScreen name="Statistics" />;
  if (path === "/ui/fairshare") return <RestScreen name="Fairshare" />;
  if (path === "/ui/parameters") return <RestScreen name="Parameters" />;
  if (path === "/ui/jobs") return <Queue />;
  if (job) return <article className="card alone"><JobDetails id={decodeURIComponent(job[1])} alone /></article>;
  return <p>There is no such screen. The first one is <a href="/ui/">Now</a>.</p>;
}

function Page() {
  const phase = useLive((s) => s.phase);
  const path = usePath();
  const past = usePast().at !== null; // what a screen has gathered of one is not of the other
  const open = phase !== "starting" && phase !== "login" && phase !== "ended";
  useEffect(() => { // when the first picture stands
    const timer = open ? setTimeout(() => void fetchRest().catch(() => undefined), 2000) : undefined;
    return () => clearTimeout(timer);
  }, [open]);
  if (!open) return <Door />;
  return (
    <Frame>
      <View key={past ? "past" : "present"} path={path} />
      <Keys />
    </Frame>
  );
}

createRoot(document.getElementById("page")!).render(<Page />);
void begin();
