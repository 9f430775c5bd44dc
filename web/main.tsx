import { createRoot } from "react-dom/client";
import { begin, useLive } from "./model/live";
import { usePath } from "./model/route";
import { Frame } from "./parts/frame";
import { Keys } from "./parts/keys";
import { Door } from "./parts/states";
import { Now } from "./screens/now";
import "./style/page.css";

function Page() {
  const phase = useLive((s) => s.phase);
  const path = usePath();
  if (phase === "starting" || phase === "login" || phase === "ended") return <Door />;
  return (
    <Frame>
      {path === "/ui/" ? <Now /> : <p>There is no such screen. The first one is <a href="/ui/">Now</a>.</p>}
      <Keys />
    </Frame>
  );
}

createRoot(document.getElementById("page")!).render(<Page />);
void begin();
