// React, as far as this page uses it: Debian has the library without its types.
declare module "react" {
  export type ReactNode = unknown;
  export type CSSProperties = Record<string, string | number | undefined>;
  export interface KeyboardEvent {
    key: string;
    target: unknown;
    currentTarget: unknown;
    preventDefault(): void;
  }
  export function useState<T>(first: T | (() => T)): [T, (next: T | ((old: T) => T)) => void];
  export function useEffect(run: () => unknown, needs?: unknown[]): void;
  export function useMemo<T>(make: () => T, needs: unknown[]): T;
  export function memo<P>(draw: (props: P) => ReactNode): (props: P) => ReactNode;
  export function useRef<T>(first?: T | null): { current: T | null | undefined };
  export function useSyncExternalStore<T>(subscribe: (read: () => void) => () => void, pick: () => T): T;
}
declare module "react-dom/client" {
  export function createRoot(at: Element): { render(what: unknown): void };
}
interface DecompressionStream extends ReadableWritablePair<Uint8Array, BufferSource> {}
declare const DecompressionStream: { new (format: string): DecompressionStream };
declare module "*.css";
declare namespace JSX {
  type Element = unknown;
  interface IntrinsicElements {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    [name: string]: any;
  }
  interface IntrinsicAttributes {
    key?: unknown;
  }
  interface ElementChildrenAttribute {
    children: unknown;
  }
}
