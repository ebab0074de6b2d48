import { useRef } from "react";
import type { Column, List } from "./useList.ts";

const usual = 160;
/** Rows whose texts decide. */
const sampledRows = 50;
/** Padding of a cell, and room for the arrow of a sorted heading. */
const [paddingPixels, arrowPixels] = [26, 18];

export const widthOf = ({ width = usual }: { width?: number }): number => width;

let pen: CanvasRenderingContext2D | null | undefined;

/** Width of a text as cells show it, in px; 0 where the browser cannot say. */
function measured(text: string, weight: number): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return 0;
  pen.font = `${weight} 14px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** The width in px that fits the texts of rows, between a third and twice the column's own. */
export function fitted<Row>(
  column: Column<Row>,
  rows: readonly Row[],
  weight = 400,
  measure: (text: string, weight: number) => number = measured,
): number {
  const { text, label, sort } = column;
  const own = widthOf(column);
  if (!text || rows.length === 0) return own;
  const widest = Math.max(measure(label, 600) + (sort ? arrowPixels : 0), ...rows.map((row) => measure(text(row), weight)));
  return Math.round(Math.min(2 * own, Math.max(own / 3, widest + paddingPixels)));
}

/** The columns with widths that fit the first rows. They stay while the same query and columns are shown. */
export function useFitted<Row>({ pages, query, stale }: List<Row>, columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const kept = useRef({ key: "", widths: new Map<string, number>() });
  const rows = Array.from({ length: sampledRows }, (_, at) => pages?.row(at)).filter((row) => row !== undefined);
  const key = `${query} ${columns.map((column) => `${column.key} ${column.label}`).join()}`;
  if (rows.length > 0 && !stale && kept.current.key !== key)
    kept.current = { key, widths: new Map(columns.map((column, at) => [column.key, fitted(column, rows, at === 0 ? 550 : 400)])) };
  return columns.map((column) => (column.text ? { ...column, width: kept.current.widths.get(column.key) ?? widthOf(column) } : column));
}
