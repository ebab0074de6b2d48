import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Range } from "@tanstack/react-virtual";

// What lists and boards have in common, of whose rows and cards only those in sight are in the page.

const NARROW_PX = 640;

/** Whether a part is as narrow as a phone. */
export function useNarrow(root: RefObject<HTMLElement | null>): boolean {
  const [narrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    if (!root.current) return;
    setNarrow(root.current.offsetWidth < NARROW_PX);
    const watch = new ResizeObserver(([entry]) => setNarrow((entry?.contentRect.width ?? NARROW_PX) < NARROW_PX));
    watch.observe(root.current);
    return () => watch.disconnect();
  }, [root]);
  return narrow;
}

/** The indexes in sight, those around them, and some that stay in the page however far one scrolls: what has the focus, what is carried. */
export function inSight({ startIndex, endIndex, overscan, count }: Range, ...kept: readonly number[]): number[] {
  const [from, to] = [Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan)];
  const far = kept.filter((at) => at >= 0 && at < count && (at < from || at > to));
  return [...new Set([...far, ...Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)])].sort((a, b) => a - b);
}

/** Gives the focus to what a selector finds within a part, as soon as it is in the page. A board's column comes into sight with it. */
export function useFocus(root: RefObject<HTMLElement | null>): (selector: string) => void {
  const wanted = useRef("");
  const [, again] = useState(0);
  useLayoutEffect(() => {
    const part = wanted.current && root.current?.querySelector<HTMLElement>(wanted.current);
    if (!part) return;
    part.focus({ preventScroll: true });
    part.closest("[data-column]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    part.scrollIntoView({ block: "nearest", inline: "nearest" });
    wanted.current = "";
  });
  return (selector) => {
    wanted.current = selector;
    again((count) => count + 1);
  };
}
