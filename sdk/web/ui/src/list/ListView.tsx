import { useVirtualizer } from "@tanstack/react-virtual";
import { useQueryClient } from "@tanstack/react-query";
import { Button, CloseButton } from "@mantine/core";
import { ArrowDown, ArrowUp } from "lucide-react";
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { followLink } from "../followLink.ts";
import { inSight, useFocus, useNarrow } from "../inSight.ts";
import { keep } from "../keep.ts";
import { useKeys, type Keys } from "../keys.ts";
import { useReadAhead } from "../record/ahead.ts";
import { Failed, NoMatch, Waiting } from "../states.tsx";
import { Text } from "../Text.tsx";
import { useUi } from "../ui.tsx";
import { ListBar } from "./ListBar.tsx";
import type { Order } from "./pages.ts";
import { countSelected, isSelected, NONE, type Column, type List } from "./useList.ts";
import { viewParameters, type SavedView } from "./view.ts";
import { useFitted, widthOf } from "./widths.ts";
import classes from "./list.module.css";

/** What stands around the rows. */
export interface ListViewProps<Row> {
  readonly list: List<Row>;
  /** Shown where there is nothing at all, without search and filters. */
  readonly empty: ReactNode;
  /** What can be done with the selected ones; `all` is the filter, not ids. */
  readonly actions?: (list: List<Row>) => ReactNode;
  /** Keys of the page that act on the selected rows; where there are none, on the one with the focus, which is selected then. */
  readonly keys?: readonly { readonly key: string; readonly label: string; readonly act: () => void }[];
  /** Buttons of the list itself, as "New contact". */
  readonly tools?: ReactNode;
  /** A look at a row without leaving the list, by Space. */
  readonly peek?: (row: Row) => ReactNode;
  /** Saved views of the person, and how they are kept; absent: none. */
  readonly views?: { readonly list: readonly SavedView[]; readonly save: (list: readonly SavedView[]) => void };
}

/**
 * Rows of a list, virtualised, with search, filters, sorting, columns, views and selection; cards at phone width. It fills the height that it is given,
 * else the window's below it (`--ui-top`: how much stands above).
 *
 * Keys: `/` searches, arrows, `J`, `K`, Home, End, Page walk, Enter opens, Space looks, `X` and Shift + arrows select, Escape leaves.
 *
 * @example
 * const Contacts = ({ list }: { list: List<{ id: string }> }) => <ListView list={list} empty={<Empty title="No contacts yet" />} />;
 * console.log(Contacts.name);
 */
export function ListView<Row>({ list, empty, actions, keys = [], tools, peek, views }: ListViewProps<Row>): ReactNode {
  const { say, address } = useUi();
  const client = useQueryClient();
  const { options, view, state, pages, selection } = list;
  const root = useRef<HTMLElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useNarrow(root);
  const height = useRowHeight(root, narrow);
  const [active, setActive] = useState(0);
  const [peeked, setPeeked] = useState<number | null>(null);
  const anchor = useRef(0);
  const focusOn = useFocus(scroller);
  const readAhead = useReadAhead();
  const columns = useFitted(list, shownColumns(options.columns, list));
  const waiting = state.more && !state.error && !state.paused ? 8 : 0;
  const count = state.count + waiting;

  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 6,
    rangeExtractor: (range) => inSight(range, active),
    scrollPaddingStart: narrow ? 0 : 40,
  });
  useEffect(() => virtual.measure(), [height, virtual]);
  const range = virtual.range;
  useEffect(() => {
    // Not the list's beginning where it has just been scrolled to where one was.
    if (range && !list.stale && (virtual.scrollOffset || !scroller.current?.scrollTop)) pages?.want(range.startIndex, range.endIndex + 1);
  }, [range?.startIndex, range?.endIndex, pages, list.stale, state.count]);
  const latest = useRef(active);
  latest.current = active;
  useLayoutEffect(() => () => void (pages && (pages.at = { row: latest.current, top: virtual.scrollOffset ?? 0 })), [pages, virtual]);
  useLayoutEffect(() => {
    setActive(pages?.at.row ?? 0);
    setPeeked(null);
    scroller.current?.scrollTo({ top: pages?.at.top ?? 0 });
  }, [pages]);
  useEffect(() => {
    const order = client.getQueryData<Order>([options.path, "order"]);
    if (!pages || !order?.shown) return;
    keep<Order>(client, [options.path, "order"], { ...order, shown: null });
    const shown = [...pages.kept()].find(([, row]) => options.id(row) === order.shown)?.[0] ?? pages.at.row;
    if (shown === pages.at.row) focusOn(`[data-index="${shown}"]`);
    else focus(shown);
  }, [pages]);

  const focus = (index: number): void => {
    const to = Math.max(0, Math.min(state.count - 1, index));
    setActive(to);
    if (peeked !== null) setPeeked(to);
    virtual.scrollToIndex(to);
    focusOn(`[data-index="${to}"]`);
  };
  const setSelected = (from: number, to: number, on: boolean): void => {
    const ids = Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => pages?.row(Math.min(from, to) + at)).flatMap((row) =>
      row ? [options.id(row)] : [],
    );
    const before = selection.all ? selection.except : selection.ids;
    const next = on === selection.all ? [...before].filter((id) => !ids.includes(id)) : [...before, ...ids];
    list.select(selection.all ? { ...selection, except: new Set(next) } : { all: false, ids: new Set(next) });
  };
  const toggle = (index: number, extend: boolean): void => {
    const row = pages?.row(index);
    if (!options.selects || !row) return;
    setSelected(extend ? anchor.current : index, index, extend || !isSelected(selection, options.id(row)));
    anchor.current = index;
  };
  const open = (index: number): void => {
    const row = pages?.row(index);
    if (!row || !options.href) return;
    // The record's neighbours are those of this list.
    keep<Order>(client, [options.path, "order"], {
      ids: [...(pages?.kept() ?? [])].map(([, each]) => options.id(each)),
      shown: options.id(row),
    });
    address.go(options.href(row));
  };
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? height) / height) - 2);
  const leave = (): void | false => {
    if (peeked !== null) return setPeeked(null);
    if (selection !== NONE) return list.select(NONE);
    return false;
  };
  const walk = (by: number, extend: boolean): void => {
    if (extend && options.selects) {
      setSelected(active, Math.max(0, Math.min(state.count - 1, active + by)), true);
      anchor.current = active + by;
    }
    focus(active + by);
  };
  const press = (event: KeyboardEvent): void => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target instanceof HTMLInputElement ||
      (event.target as HTMLElement).closest("[role='columnheader']")
    )
      return;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -active,
      End: state.count - 1 - active,
    };
    const step = steps[event.key];
    if (step !== undefined) walk(step, event.shiftKey);
    else if (event.key === "Enter") open(active);
    else if (event.key === " " && peek) setPeeked(peeked === active ? null : active);
    else if (event.key !== "Escape" || leave() === false) return;
    event.preventDefault();
  };
  const actOnSelected = (act: () => void) => (): void | false => {
    const row = pages?.row(active);
    if (countSelected(selection, state.total) === 0) {
      if (!row || list.stale) return false;
      list.select({ all: false, ids: new Set([options.id(row)]) });
    }
    act();
  };
  const acts: Keys = {
    j: () => focus(isInside(scroller.current) ? active + 1 : active),
    k: () => focus(isInside(scroller.current) ? active - 1 : active),
    x: (event) => (options.selects ? toggle(active, event.shiftKey) : false),
    "/": () => root.current?.querySelector<HTMLElement>("input[type='search']")?.focus(),
    ...Object.fromEntries(keys.map(({ key, act }) => [key, actOnSelected(act)])),
  };
  useKeys(acts, true, {
    "/": say("list.search"),
    ...(options.selects && { x: say("list.key.select") }),
    ...Object.fromEntries(keys.map(({ key, label }) => [key, label])),
  });

  const widths = columns.map((column, at) => (at === 0 ? `minmax(${widthOf(column)}px, 1fr)` : `${widthOf(column)}px`)).join(" ");
  const least = columns.reduce((sum, column) => sum + widthOf(column), options.selects ? 40 : 0);
  const peekedRow = peeked === null ? undefined : pages?.row(peeked);
  const nothing = !state.first && state.count === 0 && !state.more;
  const filtered = view.q !== "" || Object.values(view.filters).some((values) => values.length > 0);
  return (
    <section
      ref={root}
      className={classes["list"]}
      aria-label={options.label}
      data-narrow={narrow || undefined}
      style={{ "--cols": `${options.selects ? "40px " : ""}${widths}`, "--min": `${least}px` } as CSSProperties}
    >
      <ListBar list={list} narrow={narrow} tools={tools} views={views} shown={columns} />
      {state.first && state.error ? (
        <Failed error={state.error} retry={() => pages?.further()} />
      ) : state.first ? (
        <Waiting skeleton={<Bones height={height} />} retry={() => pages?.further()} />
      ) : nothing ? (
        filtered ? (
          <NoMatch clear={() => list.show({ q: "", filters: {} })} />
        ) : (
          empty
        )
      ) : (
        <div className={classes["body"]}>
          <div
            ref={scroller}
            className={classes["scroller"]}
            role="grid"
            aria-label={options.label}
            aria-rowcount={state.total === undefined ? -1 : state.total + 1}
            aria-multiselectable={options.selects || undefined}
            aria-busy={list.stale}
            onKeyDown={press}
          >
            <div role="rowgroup" className={narrow ? "ui-hidden" : classes["head"]}>
              <div role="row" aria-rowindex={1} className={classes["row"]}>
                {options.selects && (
                  <div role="columnheader" className={classes["check"]}>
                    <span className="ui-hidden">{say("list.select", { name: "" })}</span>
                  </div>
                )}
                {columns.map((column) => (
                  <Header key={column.key} column={column} list={list} quiet={narrow} />
                ))}
              </div>
            </div>
            <div role="rowgroup" className={classes["rows"]} style={{ height: virtual.getTotalSize() }}>
              {virtual.getVirtualItems().map(({ index, start }) => {
                const row = pages?.row(index);
                const place = { transform: `translateY(${start}px)`, height };
                if (!row)
                  return (
                    <div key={index} role="row" aria-rowindex={index + 2} className={classes["row"]} data-placed style={place}>
                      <div role="gridcell" className={classes["wait"]} aria-label={say("state.waiting")} />
                    </div>
                  );
                const selected = options.selects && isSelected(selection, options.id(row));
                return (
                  <div
                    key={index}
                    role="row"
                    aria-rowindex={index + 2}
                    aria-selected={options.selects ? selected : undefined}
                    className={classes["row"]}
                    data-placed
                    data-index={index}
                    data-peeked={peeked === index || undefined}
                    tabIndex={index === active ? 0 : -1}
                    style={place}
                    onFocus={() => (setActive(index), options.record && readAhead(options.record(row)))}
                    onClick={(event) => {
                      if ((event.target as HTMLElement).closest("a, button, input, label")) return;
                      if (event.shiftKey) toggle(index, true);
                      else if (peek) setPeeked(index);
                    }}
                  >
                    {options.selects && (
                      <div role="gridcell" className={classes["check"]}>
                        <input
                          type="checkbox"
                          tabIndex={-1}
                          checked={selected}
                          aria-label={say("list.select", { name: options.name(row) })}
                          onChange={(event) => toggle(index, (event.nativeEvent as globalThis.MouseEvent).shiftKey)}
                        />
                      </div>
                    )}
                    {(narrow ? columns.slice(0, 4) : columns).map((column, at) => (
                      <div
                        key={column.key}
                        role="gridcell"
                        dir="auto"
                        className={classes["cell"]}
                        data-end={column.end ? column.label : undefined}
                        data-name={at === 0 || undefined}
                      >
                        {at === 0 ? (
                          <Name list={list} row={row} column={column} onOpen={() => open(index)} />
                        ) : (
                          (column.cell?.(row) ?? textOf((row as Record<string, unknown>)[column.key]))
                        )}
                      </div>
                    ))}
                  </div>
                );
              })}
            </div>
            {(state.error || state.paused) && (
              <div className={classes["tail"]}>
                {state.error ? (
                  <Failed error={state.error} retry={() => pages?.further()} />
                ) : (
                  <p>
                    {say("list.further.text")}{" "}
                    <Button size="compact-sm" onClick={() => pages?.further()}>
                      {say("list.further")}
                    </Button>
                  </p>
                )}
              </div>
            )}
          </div>
          {peek && peekedRow && (
            <aside className={classes["peek"]} aria-label={options.name(peekedRow)}>
              <header>
                <Text>{options.name(peekedRow)}</Text>
                {options.href && (
                  <a href={options.href(peekedRow)} onClick={(event) => followLink(event, () => open(peeked ?? 0))}>
                    {say("act.open")}
                  </a>
                )}
                <CloseButton aria-label={say("act.close")} onClick={() => (setPeeked(null), focus(active))} />
              </header>
              <div>{peek(peekedRow)}</div>
            </aside>
          )}
        </div>
      )}
      {options.selects && countSelected(selection, state.total) !== 0 && <SelectionBar list={list}>{actions?.(list)}</SelectionBar>}
    </section>
  );
}

function Name<Row>({
  list: { options },
  row,
  column,
  onOpen,
}: {
  list: List<Row>;
  row: Row;
  column: Column<Row>;
  onOpen: () => void;
}): ReactNode {
  const content = column.cell?.(row) ?? options.name(row);
  const href = options.href?.(row);
  if (!href) return content;
  return (
    <a href={href} tabIndex={-1} onClick={(event) => followLink(event, onOpen)}>
      {content}
    </a>
  );
}

function Header<Row>({
  column,
  list: { view, show, options },
  quiet,
}: {
  column: Column<Row>;
  list: List<Row>;
  quiet: boolean;
}): ReactNode {
  const { say } = useUi();
  const resize = resizing((width) =>
    show({
      columns: shownColumns(options.columns, { view }).map(({ key, width: own }) =>
        key === column.key ? { key, width } : own ? { key, width: own } : { key },
      ),
    }),
  );
  const direction = view.sort === column.sort ? "ascending" : view.sort === `-${column.sort}` ? "descending" : "none";
  return (
    <div
      role="columnheader"
      className={classes["cell"]}
      data-end={column.end ? column.label : undefined}
      aria-sort={column.sort ? direction : undefined}
    >
      {column.sort && !quiet ? (
        <button
          type="button"
          title={say("list.sort", { label: column.label })}
          onClick={() => show({ sort: direction === "ascending" ? `-${column.sort}` : (column.sort ?? "") })}
        >
          {column.label}
          {direction === "ascending" && <ArrowUp size={14} aria-hidden />}
          {direction === "descending" && <ArrowDown size={14} aria-hidden />}
        </button>
      ) : (
        column.label
      )}
      {!quiet && <span className={classes["edge"]} aria-hidden onPointerDown={resize} />}
    </div>
  );
}

function resizing(done: (width: number) => void): (event: PointerEvent<HTMLElement>) => void {
  return (event) => {
    const edge = event.currentTarget;
    const cell = edge.parentElement;
    if (!cell || event.button !== 0) return;
    const [from, width] = [event.clientX, cell.offsetWidth];
    const sign = getComputedStyle(cell).direction === "rtl" ? -1 : 1;
    const to = (clientX: number): number => Math.max(60, Math.min(800, Math.round(width + sign * (clientX - from))));
    edge.setPointerCapture(event.pointerId);
    edge.onpointerup = (up) => {
      edge.onpointerup = null;
      if (up.clientX !== from) done(to(up.clientX));
    };
  };
}

function SelectionBar<Row>({ list, children }: { list: List<Row>; children: ReactNode }): ReactNode {
  const { say } = useUi();
  const { selection, select, state, options, view } = list;
  const count = countSelected(selection, state.total) ?? 0;
  const words =
    selection.all && selection.except.size === 0
      ? say("list.selected.all", { count: state.total ?? state.count })
      : say("list.selected", { count });
  return (
    <div className={classes["selection"]} role="region" aria-label={words} data-foot>
      <strong role="status">{words}</strong>
      {!selection.all && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => select({ all: true, except: new Set(), parameters: { ...viewParameters(view), ...options.fixed } })}
        >
          {state.total === undefined ? say("list.select.every") : say("list.select.all", { count: state.total })}
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" onClick={() => select(NONE)}>
        {say("list.select.none")}
      </Button>
      <span className={classes["spring"]} />
      {children}
    </div>
  );
}

/** The columns that are seen, in their order, with the widths that were chosen. */
function shownColumns<Row>(columns: readonly Column<Row>[], { view }: Pick<List<Row>, "view">): readonly Column<Row>[] {
  if (view.columns.length === 0) return columns.filter(({ optional }) => !optional);
  return view.columns.flatMap(({ key, width }) =>
    columns.filter((each) => each.key === key).map(({ text, ...column }) => ({ ...column, ...(width ? { width } : text && { text }) })),
  );
}

function Bones({ height }: { height: number }): ReactNode {
  return Array.from({ length: 12 }, (_, line) => <div key={line} className={classes["bone"]} style={{ height }} />);
}

/** Height of a row in px, as the style says it for this density. */
function useRowHeight(root: RefObject<HTMLElement | null>, narrow: boolean): number {
  const [height, setHeight] = useState(40);
  useLayoutEffect(() => {
    if (root.current)
      setHeight(Number.parseFloat(getComputedStyle(root.current).getPropertyValue(narrow ? "--ui-card" : "--ui-row")) || 40);
  }, [root, narrow]);
  return height;
}

const isInside = (part: HTMLElement | null): boolean => part !== null && part.contains(document.activeElement);
const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : Array.isArray(value)
      ? value.map(textOf).join(", ")
      : typeof value === "object"
        ? ""
        : String(value);
