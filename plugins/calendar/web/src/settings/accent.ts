/** How a colour stands on the pages of guests, which make it readable: as `src/pages/Accent.cpp` of the service does. */
type Parts = readonly [number, number, number];

const readable = 4.5;
/** The surfaces on which it stands as text, the worse one of each theme. */
const surfaces = { light: { on: "#eef0f4", toward: 0 }, dark: { on: "#262a33", toward: 255 } } as const;
const colour = /^#[0-9a-f]{6}$/i;

const parsed = (text: string): Parts => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as unknown as Parts;
const written = (parts: readonly number[]): string => `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

function luminance(text: string): number {
  const [red, green, blue] = parsed(text).map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  ) as unknown as Parts;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, contrast ratio: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** What guests see of it in a theme; nothing for what is no colour. */
export function shownAs(text: string, theme: keyof typeof surfaces): { readonly color: string; readonly ratio: number } | null {
  if (!colour.test(text)) return null;
  const { on, toward } = surfaces[theme];
  for (let share = 0; share < 1; share += 0.04) {
    const tried = written(parsed(text).map((part) => part + (toward - part) * share));
    if (contrast(tried, on) >= readable) return { color: tried, ratio: contrast(tried, on) };
  }
  const end = written([toward, toward, toward]);
  return { color: end, ratio: contrast(end, on) };
}
