// The screens that there are, in the order of the rail; `key` goes there after "g".
export interface Screen {
  path: string;
  name: string;
  key: string;
  icon: string; // of 20 by 20
  is: (path: string) => boolean;
}

export const SCREENS: Screen[] = [
  {
    path: "/ui/",
    name: "Now",
    key: "n",
    icon: "M3 17V9h3v8zM8.5 17V3h3v14zM14 17v-6h3v6z",
    is: (path) => path === "/ui/" || path === "/ui",
  },
  {
    path: "/ui/timeline",
    name: "Timeline",
    key: "t",
    icon: "M2 3h9v3H2zM6 8.5h10v3H6zM10 14h8v3h-8z",
    is: (path) => path.startsWith("/ui/timeline"),
  },
  {
    path: "/ui/jobs",
    name: "Queue",
    key: "j",
    icon: "M3 4h14v2.2H3zM3 8.9h14v2.2H3zM3 13.8h9v2.2H3z",
    is: (path) => path.startsWith("/ui/jobs"),
  },
];
