/**
 * What of a list is seen, and how: all of it stands in the address, so a link is a view.
 *
 * @example
 * const view: View = { q: "ada", sort: "-updatedAt", filters: { stage: ["stg_1"] }, columns: [] };
 * console.log(view.q);
 */
export interface View {
  readonly q: string;
  /** As the service takes it: `name`, `-updatedAt`; empty: its own order. */
  readonly sort: string;
  /** By the filter's key; several values are an OR. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** Keys of the shown columns in order, with a width where one was chosen; empty: as the list has them. */
  readonly columns: readonly ViewColumn[];
}

/** A shown column, and its width in px. */
export interface ViewColumn {
  readonly key: string;
  readonly width?: number;
}

/**
 * A view with a name; `query` is the part of the address behind `?`.
 *
 * @example
 * const view: SavedView = { name: "Open deals", query: "stage=stg_1&sort=-updatedAt" };
 * console.log(view.name);
 */
export interface SavedView {
  readonly name: string;
  readonly query: string;
}

export const MIN_WIDTH = 60;
export const MAX_WIDTH = 800;

/** Reads a view out of a query. What it does not know is in `unknown`, unless `others` belong to the page. */
export function readView(
  query: string,
  filterKeys: readonly string[],
  columnKeys: readonly string[],
  others: readonly string[],
  sorts: readonly string[],
): { view: View; unknown: string[] } {
  const filters: Record<string, string[]> = {};
  const unknown: string[] = [];
  let [q, sort] = ["", ""];
  let columns: ViewColumn[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === "q") q = value;
    else if (name === "sort" && sorts.includes(value.replace(/^-/, ""))) sort = value;
    else if (name === "columns")
      columns = value
        .split(",")
        .map(readColumn)
        .filter(({ key }) => columnKeys.includes(key));
    else if (filterKeys.includes(name)) filters[name] = value.split(",").filter(Boolean);
    else if (!others.includes(name)) unknown.push(name);
  }
  return {
    view: { q, sort, filters, columns: columns.filter(({ key }, at) => columns.findIndex((each) => each.key === key) === at) },
    unknown,
  };
}

/** Writes a view as a query; what of `query` belongs to the page (`others`) stays. */
export function writeView(view: View, query: string, others: readonly string[]): string {
  const result = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => others.includes(name)));
  if (view.q) result.set("q", view.q);
  for (const [key, values] of Object.entries(view.filters)) if (values.length) result.set(key, values.join(","));
  if (view.sort) result.set("sort", view.sort);
  if (view.columns.length) result.set("columns", view.columns.map(({ key, width }) => (width ? `${key}:${width}` : key)).join(","));
  return result.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
}

/** The part of a view that decides which rows there are and in which order, as parameters of the service. */
export function viewParameters(view: View): Record<string, string> {
  const lists = Object.entries(view.filters).filter(([, values]) => values.length);
  return {
    ...Object.fromEntries(lists.map(([key, values]) => [key, values.join(",")])),
    ...(view.q.trim() ? { q: view.q.trim() } : {}),
    ...(view.sort ? { sort: view.sort } : {}),
  };
}

function readColumn(text: string): ViewColumn {
  const [key = "", width] = text.split(":");
  const px = Math.round(Number(width));
  return px > 0 ? { key, width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, px)) } : { key };
}
