// Screens that nobody looks at first: a file of their own (scripts/bundle), fetched once the
// first picture stands. It shares all that main.tsx has, so that the page is these two files.
import "./main";

export { Credentials } from "./screens/credentials";
export { Events } from "./screens/events";
export { Fairshare } from "./screens/fairshare";
export { Parameters } from "./screens/parameters";
export { Priorities } from "./screens/priorities";
export { Promises } from "./screens/promises";
export { Statistics } from "./screens/statistics";
