/**
 * Where a card is: its column and its place in it, from 0.
 *
 * @example
 * const place: Place = { column: "stg_1", index: 0 };
 * console.log(place.column);
 */
export interface Place {
  readonly column: string;
  readonly index: number;
}

/**
 * Cards by column, in the order in which they are seen.
 *
 * @example
 * const cards: Cards<{ id: string }> = new Map([["stg_1", [{ id: "con_1" }]]]);
 * console.log(cards.get("stg_1")?.length);
 */
export type Cards<Card> = ReadonlyMap<string, readonly Card[]>;

/** Where a card is; undefined: nowhere. */
export function placeOf<Card>(cards: Cards<Card>, id: (card: Card) => string, wanted: string): Place | undefined {
  for (const [column, list] of cards) {
    const index = list.findIndex((card) => id(card) === wanted);
    if (index >= 0) return { column, index };
  }
  return undefined;
}

/** The cards after some of them, in their order, have been put to a place. A place behind the end is the end. */
export function moved<Card>(cards: Cards<Card>, id: (card: Card) => string, ids: ReadonlySet<string>, to: Place): Cards<Card> {
  const carried = [...cards.values()].flat().filter((card) => ids.has(id(card)));
  const next = new Map([...cards].map(([column, list]) => [column, list.filter((card) => !ids.has(id(card)))] as [string, Card[]]));
  next.get(to.column)?.splice(to.index, 0, ...carried);
  return next;
}

/** The place one step away in a board of these columns; the same where there is none. Sideways it keeps the height as far as the column goes. */
export function step(columns: readonly string[], lengthOf: (column: string) => number, from: Place, key: string, rtl: boolean): Place {
  const at = columns.indexOf(from.column);
  const sideways = key === "ArrowLeft" ? (rtl ? 1 : -1) : key === "ArrowRight" ? (rtl ? -1 : 1) : 0;
  if (sideways) {
    const column = columns[at + sideways];
    return column === undefined ? from : { column, index: Math.max(0, Math.min(from.index, lengthOf(column) - 1)) };
  }
  const last = Math.max(0, lengthOf(from.column) - 1);
  const index =
    key === "ArrowDown" ? from.index + 1 : key === "ArrowUp" ? from.index - 1 : key === "Home" ? 0 : key === "End" ? last : from.index;
  return { column: from.column, index: Math.max(0, Math.min(last, index)) };
}
