import type { ReactNode } from "react";
import classes from "./page.module.css";

/**
 * A line of numbers in the height of a text; `label` says what it shows to who does not see it. What is no number is a gap of its own width at the
 * bottom. No numbers: nothing.
 */
export function Sparkline({
  values,
  label,
  width = 120,
  height = 28,
}: {
  values: readonly number[];
  label: string;
  width?: number;
  height?: number;
}): ReactNode {
  const numbers = values.map((value) => (Number.isFinite(value) ? value : 0));
  if (numbers.length === 0) return null;
  const most = Math.max(...numbers);
  const least = Math.min(...numbers, 0);
  const x = (at: number): number => (numbers.length === 1 ? width / 2 : 2 + (at * (width - 4)) / (numbers.length - 1));
  const y = (value: number): number => (most === least ? height - 2 : height - 2 - ((value - least) * (height - 4)) / (most - least));
  const points = numbers.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const last = points.at(-1)?.split(",") ?? [];
  return (
    <svg className={classes["sparkline"]} role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <polygon points={[`${x(0)},${height}`, ...points, `${x(numbers.length - 1)},${height}`].join(" ")} />
      <polyline points={points.join(" ")} />
      <circle cx={last[0]} cy={last[1]} r={2} />
    </svg>
  );
}
