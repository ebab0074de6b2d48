import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { keep } from "../keep.ts";
import { useAddress, useUi } from "../ui.tsx";
import { Pages, UNREAD, type ListPage, type PagesState } from "./pages.ts";
import { readView, viewParameters, writeView, type View } from "./view.ts";

/**
 * A column of a list.
 *
 * @example
 * const column: Column<{ name: string }> = { key: "name", label: "Name", sort: "name", width: 220 };
 * console.log(column.label);
 */
export interface Column<Row> {
  /** Name in the address, and the member that is shown unless there is a `cell`. */
  readonly key: string;
  /** Heading. */
  readonly label: string;
  /** Content of a cell. */
  readonly cell?: (row: Row) => ReactNode;
  /** Width in px; the user may change it. */
  readonly width?: number;
  /** Text of a cell: the column fits the longest of the first rows, between a third and twice its `width`, until the user changes it. */
  readonly text?: (row: Row) => string;
  /** Name for `sort` of the route (default: the column is not sorted). */
  readonly sort?: string;
  /** Aligns numbers and money at the end. */
  readonly end?: boolean;
  /** Hidden until the user chooses it. */
  readonly optional?: boolean;
}

/**
 * A value that a filter or a field can have, and its name.
 *
 * @example
 * const option: Option = { value: "stg_1", label: "Lead" };
 * console.log(option.label);
 */
export interface Option {
  /** Value for the API. */
  readonly value: string;
  /** Text for people. */
  readonly label: string;
}

/**
 * A filter: a parameter of the service, and how a person sets it.
 *
 * @example
 * const filter: Filter = { key: "stage", label: "Stage", kind: "choice", options: [{ value: "stg_1", label: "Lead" }] };
 * console.log(filter.key);
 */
export interface Filter {
  /** Query parameter of the route. */
  readonly key: string;
  /** Text for people. */
  readonly label: string;
  /** `choice`: one or more of `options`; `yes`: `true` or `false`; `date`: a day, sent as the instant at which it begins in the zone of the list; `text`: any text. */
  readonly kind: "choice" | "yes" | "date" | "text";
  readonly options?: readonly Option[] | (() => Promise<readonly Option[]>);
}

/**
 * What a list is of. Keep it outside of the component, or in `useMemo`.
 *
 * @example
 * const options: ListOptions<{ id: string; name: string }> = {
 *   label: "Contacts", path: "/api/contacts", id: (row) => row.id, name: (row) => row.name, columns: [{ key: "name", label: "Name" }],
 * };
 * console.log(options.path);
 */
export interface ListOptions<Row> {
  /** The list's name for screen readers: "Contacts". */
  readonly label: string;
  /** The route that is read, `/api/contacts`; also the key by which a change invalidates it: `invalidateQueries({ queryKey: [path] })`. */
  readonly path: string;
  /** Parameters that are always sent and never shown in the address. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly id: (row: Row) => string;
  /** Name of the row, for its first column and for screen readers. */
  readonly name: (row: Row) => string;
  /** Address that opens the row (default: none). */
  readonly href?: (row: Row) => string;
  /** The route of the record that is opened (`useRecord`): read as soon as the row has the focus, so that it is there when it is opened. */
  readonly record?: (row: Row) => string;
  /** The first one is the name and has the link. */
  readonly columns: readonly Column<Row>[];
  readonly filters?: readonly Filter[];
  /** Time zone in which the days of date filters begin (default: the user's). Set it to the zone that the columns use. */
  readonly zone?: string;
  /** The route takes `q` (default: true). */
  readonly search?: boolean;
  /** Rows can be selected (default: false). */
  readonly selects?: boolean;
  /** Parameters of the address that belong to the page and not to the list. */
  readonly others?: readonly string[];
  /** Rows on a page, at most 200 (default: 100). */
  readonly limit?: number;
}

/**
 * Which rows are meant: some, or all that match but some. The second is the filter, not a list of ids.
 *
 * @example
 * const selection: Selection = { all: true, except: new Set(), parameters: { stage: "stg_1" } };
 * console.log(isSelected(selection, "con_1")); // true
 */
export type Selection =
  | { readonly all: false; readonly ids: ReadonlySet<string> }
  | { readonly all: true; readonly except: ReadonlySet<string>; readonly parameters: Readonly<Record<string, string>> };

/**
 * No row.
 *
 * @example
 * console.log(isSelected(NONE, "con_1")); // false
 */
export const NONE: Selection = { all: false, ids: new Set() };

/**
 * Whether a row is selected.
 *
 * @example
 * console.log(isSelected({ all: false, ids: new Set(["con_1"]) }, "con_1")); // true
 */
export const isSelected = (selection: Selection, id: string): boolean =>
  selection.all ? !selection.except.has(id) : selection.ids.has(id);

/**
 * How many are selected; undefined: all of a list whose number is not known.
 *
 * @example
 * console.log(countSelected({ all: true, except: new Set(["con_1"]), parameters: {} }, 12345)); // 12344
 */
export function countSelected(selection: Selection, total: number | undefined): number | undefined {
  if (!selection.all) return selection.ids.size;
  return total === undefined ? undefined : total - selection.except.size;
}

/**
 * A list as it is now, and what can be done with it.
 *
 * @example
 * const Total = ({ list }: { list: List<{ id: string }> }) => <output>{list.state.total}</output>;
 * console.log(Total.name);
 */
export interface List<Row> {
  readonly options: ListOptions<Row>;
  readonly view: View;
  /** Changes what is seen; it stands in the address then. */
  readonly show: (change: Partial<View>) => void;
  /** Opens a saved view, or nothing but the list with "". */
  readonly open: (view: string) => void;
  /** The view as a part of an address, to save it. */
  readonly query: string;
  /** Parameters of the address that were left out, because nobody here knows them. */
  readonly dropped: readonly string[];
  readonly state: PagesState;
  readonly pages: Pages<Row> | null;
  /** The rows are those of an older view until the answer comes. */
  readonly stale: boolean;
  readonly selection: Selection;
  readonly select: (selection: Selection) => void;
  readonly refresh: () => Promise<void>;
}

/**
 * The state of a list: view, rows, selection. Its address is the page's query: `q`, `sort`, `columns` and the keys of the filters.
 *
 * @example
 * const options: ListOptions<{ id: string; name: string }> = {
 *   label: "Contacts", path: "/api/contacts", id: (row) => row.id, name: (row) => row.name, columns: [{ key: "name", label: "Name", sort: "name" }],
 * };
 * const Contacts = () => <ListView list={useList(options)} empty={<Empty title="No contacts yet" />} />;
 * console.log(Contacts.name);
 */
export function useList<Row>(options: ListOptions<Row>): List<Row> {
  const { address, send } = useUi();
  const client = useQueryClient();
  const [path, query] = useAddress();
  const others = options.others ?? NOTHING;
  const { view, unknown } = useMemo(
    () =>
      readView(
        query,
        (options.filters ?? []).map(({ key }) => key),
        options.columns.map(({ key }) => key),
        others,
        options.columns.flatMap(({ sort }) => sort ?? []),
      ),
    [query, options, others],
  );
  const parameters = JSON.stringify({ ...viewParameters(view), ...options.fixed });
  const limit = options.limit ?? 100;

  const [pages, setPages] = useState<Pages<Row> | null>(null);
  const [shown, setShown] = useState<Pages<Row> | null>(null);
  const [selection, select] = useState<Selection>(NONE);
  // Before the frame is painted: the answer is waited for.
  useLayoutEffect(() => {
    const wanted = JSON.parse(parameters) as Record<string, string>;
    const next = new Pages<Row>(
      (cursor, withTotal, signal) =>
        send<ListPage<Row>>({
          method: "GET",
          path: options.path,
          query: { ...wanted, limit, ...(cursor ? { cursor } : {}), ...(withTotal ? { include: "total" } : {}) },
          signal,
        }),
      limit,
    );
    const swap = (): unknown => (!next.state.first || next.state.error) && setShown(next);
    const end = next.subscribe(swap);
    setPages(next);
    setShown((before) => before ?? next);
    select(NONE);
    // Whoever comes back, from a record or another page, is where they were.
    const left = client.getQueryState<Left<Row>>([options.path, "list", "left"]);
    if (left?.data?.parameters === parameters) void next.resume(left.data.pages, left.isInvalidated);
    else next.want(0, 1);
    return () => {
      end();
      next.stop();
      keep<Left<Row> | null>(client, [options.path, "list", "left"], next.state.first ? null : { parameters, pages: next });
    };
    // Not `options`: other labels or choices of the same list are no reason to read it again.
  }, [parameters, options.path, limit, send, client]);

  // Invalidating the path reads what is seen again; nothing else does.
  useQuery({
    queryKey: [options.path, "list"],
    initialData: 0,
    staleTime: Infinity,
    queryFn: async () => (await pages?.reload(), Date.now()),
  });

  const state = useSyncExternalStore(shown?.subscribe ?? noSubscription, shown?.current ?? empty);
  const unknownNow = unknown.join();
  const [dropped, setDropped] = useState<readonly string[]>([]);
  const latest = useRef({ view, query });
  latest.current = { view, query };
  const show = useCallback(
    (change: Partial<View>) => {
      const to = writeView({ ...latest.current.view, ...change }, latest.current.query, others);
      address.go(to ? `${path}?${to}` : path, { replace: true });
    },
    [address, path, others],
  );
  useEffect(() => {
    if (!unknownNow) return;
    setDropped(unknownNow.split(","));
    show({});
  }, [unknownNow, show]);

  return {
    options,
    view,
    show,
    open: (to) => address.go(to ? `${path}?${to}` : path),
    query: writeView(view, "", []),
    dropped,
    state,
    pages: shown,
    stale: shown !== pages,
    selection,
    select,
    refresh: async () => pages?.reload(),
  };
}

interface Left<Row> {
  readonly parameters: string;
  readonly pages: Pages<Row>;
}
const NOTHING: readonly string[] = [];
const noSubscription = (): (() => void) => () => undefined;
const empty = (): PagesState => UNREAD;
