import { ActionIcon } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Ellipsis, Lock, Plus } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { followLink } from "../followLink.ts";
import { inSight, useFocus, useNarrow } from "../inSight.ts";
import { keep } from "../keep.ts";
import { useKeys } from "../keys.ts";
import { Menu, MenuItem, MenuLine, type OpenerProps } from "../Menu.tsx";
import { useUi } from "../ui.tsx";
import { carryCards } from "./drag.ts";
import { moved, placeOf, step, type Cards, type Place } from "./model.ts";
import classes from "./board.module.css";

/**
 * A column of a board; `count` and `sum` are the server's, for the whole column and not only for what is loaded.
 *
 * @example
 * const column: BoardColumn = { id: "stg_1", label: "Lead", count: 120, sum: "€12,500", more: true };
 * console.log(column.label);
 */
export interface BoardColumn {
  readonly id: string;
  readonly label: string;
  readonly count: number;
  /** In words: "€12,500". */
  readonly sum?: string;
  /** More cards of it can be read. */
  readonly more?: boolean;
  /** Makes a card in this column; without it the column has no button for that. */
  readonly onAdd?: () => void;
}

/** A board: its columns, its cards, and what moving one does. */
export interface BoardProps<Card> {
  readonly label: string;
  readonly columns: readonly BoardColumn[];
  readonly cards: Cards<Card>;
  readonly id: (card: Card) => string;
  readonly name: (card: Card) => string;
  /** The inside of a card; its height is fixed (`height`, px), what is longer is cut. */
  readonly render: (card: Card) => ReactNode;
  readonly height?: number;
  readonly href?: (card: Card) => string;
  /**
   * Without it cards are looked at only. The board has painted the move; when this throws, it paints it back and says why. `from` is the column in which a card
   * stood when it was lifted: what others have done with it since must not be overwritten unseen.
   */
  readonly onMove?: (cards: readonly Card[], to: Place, from: (card: Card) => string) => Promise<unknown>;
  /** Why a card may not go to a column; undefined: it may. */
  readonly closed?: (card: Card, column: string) => string | undefined;
  /** More cards of a column are wanted, because its end is near. */
  readonly onMore?: (column: string) => void;
  /** Text of the buttons that make a card, for example "New contact". */
  readonly addLabel?: string;
}

interface Carried {
  readonly ids: ReadonlySet<string>;
  readonly lead: string;
  readonly from: Place;
  /** Where each of them stood when they were lifted. */
  readonly seen: ReadonlyMap<string, string>;
  readonly to: Place;
  readonly by: "keys" | "pointer";
}

const GAP_PX = 8;

/**
 * Columns of cards that are moved by mouse, touch and pen, by keys (arrows walk; Space lifts, arrows carry, Enter drops, Escape returns, `X` takes several), and
 * by a menu (`M`); every step is said to screen readers. Columns are virtualised. At phone width one column is seen at a time.
 *
 * @example
 * const board = (
 *   <Board label="Sales" columns={[{ id: "lead", label: "Lead", count: 1 }]} cards={new Map([["lead", [{ id: "con_1", name: "Ada" }]]])}
 *     id={(card) => card.id} name={(card) => card.name} render={(card) => card.name} onMove={async (cards, to) => console.log(cards.length, to.column)} />
 * );
 * console.log(board.type);
 */
export function Board<Card>(props: BoardProps<Card>): ReactNode {
  const { columns, id, name, render, closed, onMove, height = 76 } = props;
  const { say, sentence, notices, address } = useUi();
  const root = useRef<HTMLElement>(null);
  const ghost = useRef<HTMLDivElement>(null);
  const hint = useId();
  const [active, setActive] = useState("");
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [carried, setCarried] = useState<Carried | null>(null);
  const [painted, setPainted] = useState<readonly { ids: ReadonlySet<string>; to: Place }[]>([]);
  const [menu, setMenu] = useState("");
  const [said, setSaid] = useState("");
  const [seen, setSeen] = useState(0);
  const narrow = useNarrow(root);

  const settled = useMemo(() => painted.reduce((cards, { ids, to }) => moved(cards, id, ids, to), props.cards), [props.cards, painted, id]);
  const cards = carried?.by === "keys" ? moved(settled, id, carried.ids, carried.to) : settled;
  const columnIds = columns.map((column) => column.id);
  const columnOf = (wanted: string): BoardColumn | undefined => columns.find((column) => column.id === wanted);
  const cardOf = (wanted: string): Card | undefined => [...settled.values()].flat().find((card) => id(card) === wanted);
  const cardsOf = (ids: ReadonlySet<string>): Card[] => [...settled.values()].flat().filter((card) => ids.has(id(card)));
  const reasonFor = (ids: ReadonlySet<string>, column: string): string | undefined =>
    cardsOf(ids)
      .flatMap((card) => (placeOf(settled, id, id(card))?.column === column ? [] : (closed?.(card, column) ?? [])))
      .find(Boolean);
  const nameOf = (ids: ReadonlySet<string>): string => {
    const [first, ...rest] = cardsOf(ids);
    return first === undefined || rest.length ? say("board.count", { count: ids.size }) : name(first);
  };
  const words = (ids: ReadonlySet<string>, { column, index }: Place): { name: string; stage: string; position: number; count: number } => {
    const from = [...ids].filter((each) => placeOf(props.cards, id, each)?.column !== column).length;
    return { name: nameOf(ids), stage: columnOf(column)?.label ?? "", position: index + 1, count: (columnOf(column)?.count ?? 0) + from };
  };
  const meant = (lead: string): ReadonlySet<string> => (picked.has(lead) ? picked : new Set([lead]));
  const first =
    active && cardOf(active) !== undefined
      ? active
      : (columns.flatMap((column) => cards.get(column.id)?.slice(0, 1) ?? []).map(id)[0] ?? "");

  const columnsOf = (ids: ReadonlySet<string>): ReadonlyMap<string, string> =>
    new Map([...ids].map((each) => [each, placeOf(settled, id, each)?.column ?? ""]));
  const put = async (ids: ReadonlySet<string>, to: Place, stood = columnsOf(ids)): Promise<void> => {
    const what = cardsOf(ids);
    const reason = reasonFor(ids, to.column);
    const from = columnOf(what[0] === undefined ? "" : (placeOf(settled, id, id(what[0]))?.column ?? ""))?.label ?? "";
    setCarried(null);
    if (!onMove || what.length === 0) return;
    const refuse = (text: string): void => (setSaid(text), notices.tell({ kind: "refused", text }));
    if (reason) return refuse(say("board.closed", { name: nameOf(ids), stage: columnOf(to.column)?.label ?? "", reason }));
    const move = { ids, to };
    setPainted((before) => [...before, move]);
    setSaid(say("board.dropped", words(ids, to)));
    setPicked(new Set());
    try {
      await onMove(what, to, (card) => stood.get(id(card)) ?? "");
    } catch (error) {
      refuse(say("board.refused", { name: nameOf(ids), stage: from, reason: sentence(error) }));
    } finally {
      setPainted((before) => before.filter((each) => each !== move));
    }
  };
  const giveBack = (back: Carried): void => {
    setCarried(null);
    if (back.by === "keys") focus(back.lead);
    setSaid(say("board.returned", { name: nameOf(back.ids), stage: columnOf(back.from.column)?.label ?? "" }));
  };
  const lift = (lead: string, by: Carried["by"]): boolean => {
    const from = placeOf(settled, id, lead);
    if (!onMove || !from) return false;
    setActive(lead);
    setCarried({ ids: meant(lead), lead, from, seen: columnsOf(meant(lead)), to: from, by });
    setSaid(say("board.lifted", words(meant(lead), from)));
    return true;
  };

  const focused = (): string => (root.current?.contains(document.activeElement) ? active : "");
  // The focus follows the card, which is made anew in the column that it is carried to.
  const focusOn = useFocus(root);
  const focus = (card: string): void => {
    setActive(card);
    focusOn(`[data-card="${CSS.escape(card)}"]`);
  };
  // Whoever comes back from a card is where they were.
  const client = useQueryClient();
  const [here] = useState(() => ["board", address.current().split("?")[0], "left"]);
  const latest = useRef(focused);
  latest.current = focused;
  useLayoutEffect(() => () => keep(client, here, latest.current()), [client, here]);
  useEffect(() => {
    const card = client.getQueryData<string>(here);
    if (card && cardOf(card) !== undefined) focus(card);
  }, [first === ""]);
  const carriedTo = carried?.by === "keys" ? `${carried.to.column} ${carried.to.index}` : "";
  useLayoutEffect(() => {
    if (carried?.by === "keys") focus(carried.lead);
  }, [carriedTo]);

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const lead = (event.target as HTMLElement).closest<HTMLElement>("[data-card]")?.dataset["card"];
    if (!lead || menu) return;
    const rtl = getComputedStyle(event.currentTarget).direction === "rtl";
    const lengthOf = (column: string): number => cards.get(column)?.length ?? 0;
    const arrow = /^(Arrow(Up|Down|Left|Right)|Home|End)$/.test(event.key);
    if (carried) {
      if (event.key === "Escape") giveBack(carried);
      else if (event.key === "Enter" || event.key === " ") void put(carried.ids, carried.to, carried.seen).then(() => focus(lead));
      else if (arrow) {
        const near = step(columnIds, (column) => lengthOf(column) + (column === carried.to.column ? 0 : 1), carried.to, event.key, rtl);
        setCarried({ ...carried, to: near });
        const reason = reasonFor(carried.ids, near.column);
        setSaid(
          reason
            ? say("board.closed", { name: nameOf(carried.ids), stage: columnOf(near.column)?.label ?? "", reason })
            : say("board.over", words(carried.ids, near)),
        );
      } else return;
    } else if (arrow) {
      const from = placeOf(cards, id, lead);
      if (!from) return;
      let to = step(columnIds, lengthOf, from, event.key, rtl);
      // Empty columns are stepped over.
      while (lengthOf(to.column) === 0) {
        const next = step(columnIds, lengthOf, to, event.key, rtl);
        if (next.column === to.column) return;
        to = { ...next, index: Math.max(0, Math.min(from.index, lengthOf(next.column) - 1)) };
      }
      const card = cards.get(to.column)?.[to.index];
      if (card !== undefined) focus(id(card));
    } else if (event.key === " " && onMove) lift(lead, "keys");
    else if (event.key === "Enter" && event.target === event.currentTarget.querySelector(":focus") && props.href) {
      const card = cardOf(lead);
      if (card !== undefined) address.go(props.href(card));
    } else return;
    event.preventDefault();
  };
  const pick = (which: string): void => {
    const next = new Set(picked);
    if (!next.delete(which)) next.add(which);
    setPicked(next);
    setSaid(say("list.selected", { count: next.size }));
  };
  useKeys(
    {
      m: () => (focused() && onMove && !carried ? setMenu(focused()) : false),
      x: () => (focused() && onMove && !carried ? pick(focused()) : false),
      Escape: () => (picked.size && !carried ? setPicked(new Set()) : false),
    },
    true,
    onMove ? { [say("board.key.space")]: say("board.key.lift"), m: say("board.move"), x: say("list.key.select") } : {},
  );

  const now = useRef({ lift, put, giveBack, carried });
  now.current = { lift, put, giveBack, carried };
  const target = useRef<Place | null>(null);
  useEffect(() => {
    if (!root.current || !onMove) return undefined;
    return carryCards(root.current, {
      lift: (card) => {
        target.current = null;
        return now.current.lift(card.dataset["card"] ?? "", "pointer");
      },
      over: (x, y) => {
        if (ghost.current) ghost.current.style.transform = `translate(${x}px, ${y}px)`;
        const list = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-column]")?.querySelector<HTMLElement>("[data-rows]");
        const current = now.current.carried;
        if (!list || !current) return;
        const column = list.dataset["rows"] ?? "";
        const last = Number(list.dataset["length"]);
        const index = Math.max(0, Math.min(last, Math.round((y - list.getBoundingClientRect().top) / (height + GAP_PX))));
        if (target.current?.column === column && target.current.index === index) return;
        target.current = { column, index };
        setCarried({ ...current, to: target.current });
      },
      drop: () => {
        const { carried: current, put: drop, giveBack: back } = now.current;
        if (!current) return;
        const to = target.current;
        // Below itself in its own column, the card leaves the place that is counted.
        const index = to && to.column === current.from.column && to.index > current.from.index ? to.index - current.ids.size : to?.index;
        if (!to || index === undefined || (to.column === current.from.column && index === current.from.index)) back(current);
        else void drop(current.ids, { column: to.column, index: Math.max(0, index) }, current.seen);
      },
      cancel: () => now.current.carried && now.current.giveBack(now.current.carried),
    });
  }, [onMove !== undefined, height]);

  const lead = carried?.by === "pointer" ? cardOf(carried.lead) : undefined;
  return (
    <section
      ref={root}
      className={classes["board"]}
      aria-label={props.label}
      data-narrow={narrow || undefined}
      data-carrying={carried?.by}
      onKeyDown={press}
    >
      <p id={hint} hidden>
        {say("board.keys")}
      </p>
      <div role="status" aria-live="assertive" className="ui-hidden" data-said>
        {said}
      </div>
      {narrow && (
        <label className={classes["picker"]}>
          <span className="ui-hidden">{say("board.stage")}</span>
          <select
            value={columns[seen]?.id}
            onChange={(event) =>
              root.current?.querySelectorAll("[data-column]")[event.currentTarget.selectedIndex]?.scrollIntoView({ block: "nearest" })
            }
          >
            {columns.map((column) => (
              <option key={column.id} value={column.id}>
                {column.label} ({column.count})
              </option>
            ))}
          </select>
        </label>
      )}
      <div
        className={classes["columns"]}
        onScroll={({ currentTarget: { scrollLeft, scrollWidth } }) =>
          setSeen(Math.round((Math.abs(scrollLeft) / scrollWidth) * columns.length))
        }
      >
        {columns.map((column) => (
          <Column
            key={column.id}
            {...{ column, picked, carried, hint, menu }}
            board={props}
            cards={cards.get(column.id) ?? []}
            pitch={height + GAP_PX}
            active={first}
            pending={painted}
            reason={carried ? reasonFor(carried.ids, column.id) : undefined}
            onFocus={setActive}
            onPick={pick}
            onMenu={setMenu}
            onMenuClosed={(which) => (setMenu(""), focus(which))}
            onPut={(which, to, next) => void put(meant(which), { column: to, index: 0 }).then(() => focus(narrow ? next : which))}
            closedFor={(which, to) => reasonFor(meant(which), to)}
          />
        ))}
      </div>
      {lead !== undefined && (
        <div ref={ghost} className={classes["ghost"]} aria-hidden>
          <div className={classes["card"]}>
            <div className={classes["inside"]}>{render(lead)}</div>
          </div>
          {carried && carried.ids.size > 1 && <span>{carried.ids.size}</span>}
        </div>
      )}
    </section>
  );
}

interface ColumnProps<Card> {
  readonly board: BoardProps<Card>;
  readonly column: BoardColumn;
  readonly cards: readonly Card[];
  readonly pitch: number;
  readonly active: string;
  readonly picked: ReadonlySet<string>;
  readonly carried: Carried | null;
  readonly pending: readonly { ids: ReadonlySet<string> }[];
  readonly reason: string | undefined;
  readonly hint: string;
  readonly menu: string;
  readonly onFocus: (id: string) => void;
  readonly onPick: (id: string) => void;
  readonly onMenu: (id: string) => void;
  readonly onMenuClosed: (id: string) => void;
  /** `next`: what stands beside it, where one goes on that sees one column only. */
  readonly onPut: (id: string, column: string, next: string) => void;
  readonly closedFor: (id: string, column: string) => string | undefined;
}

function Column<Card>({
  board,
  column,
  cards,
  pitch,
  active,
  picked,
  carried,
  pending,
  reason,
  hint,
  menu,
  onFocus,
  onPick,
  onMenu,
  onMenuClosed,
  onPut,
  closedFor,
}: ColumnProps<Card>): ReactNode {
  const { say, address } = useUi();
  const { id, name, render, href, onMove, onMore } = board;
  const scroller = useRef<HTMLDivElement>(null);
  const activeAt = cards.findIndex((card) => id(card) === active);
  const liftedAt = carried ? cards.findIndex((card) => id(card) === carried.lead) : -1;
  const virtual = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => pitch,
    overscan: 3,
    rangeExtractor: (range) => inSight(range, activeAt, liftedAt),
  });
  useEffect(() => virtual.measure(), [pitch, virtual]);
  useLayoutEffect(() => {
    if (activeAt >= 0 && (carried?.by === "keys" || scroller.current?.closest("section")?.contains(document.activeElement)))
      virtual.scrollToIndex(activeAt);
  }, [activeAt, carried?.to.column, virtual]);
  const end = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (column.more && onMore && end + 20 >= cards.length) onMore(column.id);
  }, [column.more, column.id, end, cards.length, onMore]);
  const count = say("board.count", { count: column.count });
  const here = carried?.by === "pointer" && carried.to.column === column.id;
  return (
    <div
      className={classes["column"]}
      data-column={column.id}
      data-over={(here && !reason) || undefined}
      data-closed={reason ? true : undefined}
      role="group"
      aria-label={[column.label, count, column.sum].filter(Boolean).join(", ")}
    >
      <header className={classes["head"]}>
        <h2>
          <bdi>{column.label}</bdi>
        </h2>
        <span className={classes["count"]}>{column.count}</span>
        <span className={classes["sum"]}>{column.sum}</span>
      </header>
      {reason && (
        <p className={classes["reason"]}>
          <Lock size={14} aria-hidden /> {reason}
        </p>
      )}
      <div ref={scroller} className={classes["scroller"]}>
        <div
          role="list"
          aria-label={column.label}
          className={classes["rows"]}
          style={{ height: virtual.getTotalSize() }}
          data-rows={column.id}
          data-length={cards.length}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const card = cards[index];
            if (card === undefined) return null;
            const own = id(card);
            const dots = (props?: OpenerProps) =>
              onMove && (
                <ActionIcon
                  {...props}
                  className={classes["dots"] ?? ""}
                  size={24}
                  tabIndex={own === active ? 0 : -1}
                  aria-label={say("board.moveName", { name: name(card) })}
                  onClick={props?.onClick ?? (() => onMenu(own))}
                >
                  <Ellipsis size={16} aria-hidden />
                </ActionIcon>
              );
            return (
              <div
                key={own}
                role="listitem"
                aria-setsize={column.count}
                aria-posinset={index + 1}
                aria-describedby={onMove ? hint : undefined}
                className={classes["card"]}
                data-card={own}
                data-picked={picked.has(own) || undefined}
                data-lifted={carried?.ids.has(own) ? carried.by : undefined}
                data-pending={pending.some(({ ids }) => ids.has(own)) || undefined}
                tabIndex={own === active ? 0 : -1}
                style={{ transform: `translateY(${start}px)`, height: pitch - GAP_PX }}
                onFocus={() => onFocus(own)}
                onClick={(event) => {
                  if ((event.target as HTMLElement).closest("a, button, [role=menu]")) return;
                  // Where some are selected, a tap selects more.
                  if (picked.size) onPick(own);
                  else if (href) followLink(event, () => address.go(href(card)));
                }}
              >
                <div className={classes["inside"]}>{render(card)}</div>
                {menu === own ? (
                  <Menu initiallyOpen end label={say("board.move")} onClose={() => onMenuClosed(own)} opener={dots}>
                    {(close) => [
                      ...board.columns
                        .filter((each) => each.id !== column.id)
                        .map((each) => (
                          <MenuItem
                            key={each.id}
                            off={closedFor(own, each.id)}
                            onClick={() => (close(), onPut(own, each.id, id(cards[index + 1] ?? cards[index - 1] ?? card)))}
                          >
                            {each.label}
                          </MenuItem>
                        )),
                      <MenuLine key="line" />,
                      <MenuItem key="select" checked={picked.has(own)} onClick={() => (close(), onPick(own))}>
                        {say("list.select", { name: name(card) })}
                      </MenuItem>,
                    ]}
                  </Menu>
                ) : (
                  dots()
                )}
              </div>
            );
          })}
          {here && !reason && (
            <div className={classes["line"]} style={{ transform: `translateY(${carried.to.index * pitch - GAP_PX / 2 - 1}px)` }} />
          )}
        </div>
        {cards.length === 0 && <p className={classes["empty"]}>{say("board.empty")}</p>}
      </div>
      {column.onAdd && board.addLabel && (
        <button type="button" className={classes["add"]} aria-label={`${board.addLabel}: ${column.label}`} onClick={column.onAdd}>
          <Plus size={16} aria-hidden /> {board.addLabel}
        </button>
      )}
    </div>
  );
}
