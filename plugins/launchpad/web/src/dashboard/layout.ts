import type { PlacedWidget, Size, WidgetOffer } from "../types.ts";

/** Columns of the grid where the window is wide. */
export const columns = 4;
const spans: Readonly<Record<Size, readonly [width: number, height: number]>> = { s: [1, 1], m: [2, 1], l: [2, 2] };

export const keyOf = ({ service_id, widgetId }: { service_id: string; widgetId: string }): string => `${service_id} ${widgetId}`;

/**
 * The tiles of a dashboard in their order: the stored ones, then those that apps have added since. Of a new app the first widget is visible. Stored tiles whose widget
 * is not offered any more are left out.
 */
export function tilesOf(stored: readonly PlacedWidget[], offers: readonly WidgetOffer[]): PlacedWidget[] {
  const offered = new Map(offers.map((each) => [keyOf(each), each]));
  const known = [...stored].sort((a, b) => a.row - b.row || a.column - b.column).filter((each) => offered.has(keyOf(each)));
  const seen = new Set(known.map(keyOf));
  const apps = new Set(stored.map(({ service_id }) => service_id));
  const added = offers
    .filter((each) => !seen.has(keyOf(each)))
    .map((each) => {
      const first = !apps.has(each.service_id);
      apps.add(each.service_id);
      return {
        service_id: each.service_id,
        widgetId: each.widgetId,
        size: sizesOf(each).includes("m") ? "m" : (sizesOf(each)[0] ?? "m"),
        column: 0,
        row: 0,
        visible: first,
      } satisfies PlacedWidget;
    });
  return placed([...known, ...added]);
}

export const sizesOf = (offer: WidgetOffer | undefined): readonly Size[] =>
  offer?.sizes.length ? (offer.sizes as Size[]) : ["s", "m", "l"];

/** Puts tiles into the grid in their order, as the style sheet does: each at the first free place behind the one before. Hidden tiles follow at the end. */
export function placed(tiles: readonly PlacedWidget[]): PlacedWidget[] {
  const taken = new Set<string>();
  let [row, column] = [0, 0];
  const put = (tile: PlacedWidget): PlacedWidget => {
    const [width, height] = spans[tile.size];
    const cells = () => Array.from({ length: width * height }, (_, at) => `${row + Math.floor(at / width)} ${column + (at % width)}`);
    while (column + width > columns || cells().some((cell) => taken.has(cell)))
      [row, column] = column + width >= columns ? [row + 1, 0] : [row, column + 1];
    for (const cell of cells()) taken.add(cell);
    return { ...tile, row, column };
  };
  const visible = tiles.filter((each) => each.visible).map(put);
  const last = visible.reduce((end, { row: at, size }) => Math.max(end, at + spans[size][1]), 0);
  return [...visible, ...tiles.filter((each) => !each.visible).map((tile, at) => ({ ...tile, row: last + at, column: 0 }))];
}

/** Moves a visible tile before or behind another one. */
export function moved(tiles: readonly PlacedWidget[], from: string, to: string): PlacedWidget[] {
  const [at, target] = [from, to].map((key) => tiles.findIndex((each) => keyOf(each) === key)) as [number, number];
  const tile = tiles[at];
  if (!tile || target < 0) return placed(tiles);
  const rest = tiles.filter((_, index) => index !== at);
  rest.splice(target, 0, tile);
  return placed(rest);
}

/** Changes one tile: its size, or whether it is visible. */
export const changed = (tiles: readonly PlacedWidget[], key: string, change: Partial<PlacedWidget>): PlacedWidget[] =>
  placed(tiles.map((each) => (keyOf(each) === key ? { ...each, ...change } : each)));

/** Shows a hidden tile again as the visible one at an index. */
export function shownAt(tiles: readonly PlacedWidget[], key: string, index: number): PlacedWidget[] {
  const shown = changed(tiles, key, { visible: true });
  const target = shown.filter((each) => each.visible)[index];
  return moved(shown, key, target ? keyOf(target) : key);
}
