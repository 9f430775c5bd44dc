// The screens that there are, in the order of the rail; `key` goes there after "g".
export interface Screen {
  path: string;
  name: string;
  key: string;
  icon: string; // of 20 by 20
  is: (path: string) => boolean;
  admin?: boolean; // administrators and operators only
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
  {
    path: "/ui/reservations",
    name: "Reservations",
    key: "r",
    icon: "M5 2h2v2h6V2h2v2h3v14H2V4h3zM4 8v8h12V8zM6 10h3v2H6zM10 13h4v2h-4z",
    is: (path) => path === "/ui/reservations",
  },
  {
    path: "/ui/nodes",
    name: "Nodes",
    key: "d",
    icon: "M3 3h4v4H3zM8 3h4v4H8zM13 3h4v4h-4zM3 8h4v4H3zM8 8h4v4H8zM13 8h4v4h-4zM3 13h4v4H3zM8 13h4v4H8zM13 13h4v4h-4z",
    is: (path) => path === "/ui/nodes",
    admin: true,
  },
  {
    path: "/ui/promises",
    name: "Promises",
    key: "m",
    icon: "M10 2a8 8 0 110 16 8 8 0 010-16zM10 4a6 6 0 100 12 6 6 0 000-12zM9 5.5h2v4.2l3 1.8-1 1.7-4-2.4z",
    is: (path) => path === "/ui/promises",
  },
  {
    path: "/ui/credentials",
    name: "Credentials",
    key: "c",
    icon: "M7 3a3 3 0 110 6 3 3 0 010-6zM2 16c0-3.5 2.2-5.5 5-5.5s5 2 5 5.5zM13 4h5v2h-5zM14 8h4v2h-4zM14 12h4v2h-4z",
    is: (path) => path.startsWith("/ui/credentials"),
  },
  {
    path: "/ui/fairshare",
    name: "Fairshare",
    key: "f",
    icon: "M9 2h2v3l6 1.5-.5 2L14 8l2.5 6h-5L14 8l-3-.8V16h4v2H5v-2h4V6.7L6 6l2.5 6h-5L6 6l-3-.7.5-2L9 4.7z",
    is: (path) => path === "/ui/fairshare",
    admin: true,
  },
  {
    path: "/ui/priorities",
    name: "Priorities",
    key: "o",
    icon: "M3 4h5v3H3zM8 4h7v3H8zM3 8.5h7v3H3zM10 8.5h2v3h-2zM3 13h3v3H3z",
    is: (path) => path.startsWith("/ui/priorities"),
    admin: true,
  },
  {
    path: "/ui/statistics",
    name: "Statistics",
    key: "s",
    icon: "M3 3h2v12h12v2H3zM7 12l3-4 3 2 4-6v3l-4 6-3-2-2 3z",
    is: (path) => path.startsWith("/ui/statistics"),
  },
  {
    path: "/ui/parameters",
    name: "Parameters",
    key: "p",
    icon: "M3 5h8v2H3zM13 3h2v6h-2zM15 5h2v2h-2zM3 13h2v2H3zM6 11h2v6H6zM8 13h9v2H8z",
    is: (path) => path === "/ui/parameters",
    admin: true,
  },
  {
    path: "/ui/events",
    name: "Events",
    key: "e",
    icon: "M3 3h3v3H3zM8 3.5h9v2H8zM3 8.5h3v3H3zM8 9h9v2H8zM3 14h3v3H3zM8 14.5h6v2H8z",
    is: (path) => path.startsWith("/ui/events"),
    admin: true,
  },
];
