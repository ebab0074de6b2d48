import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { GripVertical } from "lucide-react";
import { carryCards } from "./board/drag.ts";
import { useUi } from "./ui.tsx";
import classes from "./parts.module.css";

/** A list that is put in order. */
export interface Order {
  /** Of the list whose children are the items, in their order. */
  readonly root: RefObject<HTMLOListElement | null>;
  /** What an item is carried by. */
  readonly grip: (index: number) => ReactNode;
  /** Says each step to screen readers; stands beside the list. */
  readonly voice: ReactNode;
}

/**
 * Puts the items of a list in order by mouse, touch and pen, and by keyboard: Space lifts, arrows carry, Enter drops, Escape returns. `move` gets each step,
 * while an item is carried; `dropped` is called once at the end, with the same index
 * twice where the item returned. With `grid` the items stand beside each other, too: the arrows to
 * the sides carry by one item, the others by one row.
 *
 * @example
 * const Stages = ({ names, move }: { names: string[]; move: (from: number, to: number) => void }) => {
 *   const { root, grip, voice } = useOrder(names, move);
 *   return <>{voice}<ol ref={root}>{names.map((name, at) => <li key={name}>{grip(at)}</li>)}</ol></>;
 * };
 * console.log(Stages.name);
 */
export function useOrder(
  names: readonly string[],
  move: (from: number, to: number) => void,
  { grid = false, dropped }: { grid?: boolean; dropped?: (from: number, to: number) => void } = {},
): Order {
  const { say } = useUi();
  const root = useRef<HTMLOListElement>(null);
  // What is carried is known at once: the pointer moves on before the page is painted.
  const carried = useRef<{ at: number; from: number; keys: boolean; name: string } | null>(null);
  const [shown, setShown] = useState({ at: -1, said: "" });
  const tell = (how: string, { at, name }: { at: number; name: string }): void =>
    setShown({ at: carried.current?.at ?? -1, said: say("order.said", { how, name, position: at + 1, count: names.length }) });
  const lift = (at: number, keys: boolean): void => {
    carried.current = { at, from: at, keys, name: names[at] ?? "" };
    tell("lifted", carried.current);
  };
  const to = (wanted: number): void => {
    const hand = carried.current;
    const at = Math.max(0, Math.min(names.length - 1, wanted));
    if (!hand || at === hand.at) return;
    move(hand.at, at);
    carried.current = { ...hand, at };
    tell("carried", carried.current);
  };
  const end = (back: boolean): void => {
    const hand = carried.current;
    if (!hand) return;
    if (back && hand.at !== hand.from) move(hand.at, hand.from);
    carried.current = null;
    dropped?.(hand.from, back ? hand.from : hand.at);
    tell(back ? "returned" : "dropped", back ? { ...hand, at: hand.from } : hand);
  };
  // An element that moves in the page loses the focus.
  const focused = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (focused.current !== null) root.current?.children[focused.current]?.querySelector<HTMLElement>("[data-card]")?.focus();
    focused.current = null;
  });
  const press =
    (at: number) =>
    (event: KeyboardEvent): void => {
      const hand = carried.current;
      const next = hand && nextOf(event.key, hand.at, grid ? root.current : null);
      if (hand && next !== null) {
        focused.current = Math.max(0, Math.min(names.length - 1, next));
        to(focused.current);
      } else if (hand && event.key === "Escape") {
        focused.current = hand.from;
        end(true);
      } else if (event.key !== " " && event.key !== "Enter") return;
      else if (hand) end(false);
      else lift(at, true);
      event.preventDefault();
      event.stopPropagation();
    };

  const now = useRef({ lift, to, end });
  now.current = { lift, to, end };
  useEffect(() => {
    const list = root.current;
    if (!list) return undefined;
    const rows = (): Element[] => [...list.children];
    return carryCards(list, {
      lift: (card) => (
        now.current.lift(
          rows().findIndex((each) => each.contains(card)),
          false,
        ),
        true
      ),
      over: (x, y) => {
        const boxes = rows().map((each) => each.getBoundingClientRect());
        const under = boxes.findIndex(({ left, right, top, bottom }) =>
          grid ? x >= left && x < right && y >= top && y < bottom : y < bottom,
        );
        if (under >= 0) now.current.to(under);
        else if (!grid) now.current.to(boxes.length - 1);
      },
      drop: () => now.current.end(false),
      cancel: () => now.current.end(true),
    });
  }, []);
  return {
    root,
    grip: (at) => (
      <span
        role="button"
        tabIndex={0}
        data-card
        className={classes["grip"]}
        aria-pressed={shown.at === at}
        aria-label={say("board.moveName", { name: names[at] ?? "" })}
        title={say("order.keys")}
        onKeyDown={press(at)}
        onBlur={() => focused.current === null && carried.current?.keys && end(false)}
      >
        <GripVertical size={16} aria-hidden />
      </span>
    ),
    voice: (
      <span className="ui-hidden" role="status" data-said>
        {shown.said}
      </span>
    ),
  };
}

/** Where an arrow carries an item; null for other keys. A `grid` is asked which item is above or below. */
function nextOf(key: string, at: number, grid: HTMLElement | null): number | null {
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!grid) return step ? at + step : null;
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (side) return at + (getComputedStyle(grid).direction === "rtl" ? -side : side);
  if (!step) return null;
  const boxes = [...grid.children].map((each) => each.getBoundingClientRect());
  const from = boxes[at];
  if (!from) return at;
  const beyond = boxes.flatMap((box, index) =>
    (step > 0 ? box.top >= from.bottom : box.bottom <= from.top)
      ? [[index, Math.hypot(box.left - from.left, box.top - from.top)] as const]
      : [],
  );
  return beyond.sort((a, b) => a[1] - b[1])[0]?.[0] ?? at;
}
