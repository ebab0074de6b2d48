import type { Command } from "./commands.ts";

/**
 * The commands that have every word of a text: first those whose label begins with the text, then those whose label has words that begin with each of its
 * words, then the rest. Commands of one rank keep their order.
 */
export function matches(all: readonly Command[], text: string): readonly Command[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (label: string) => (label.startsWith(typed.join(" ")) ? 0 : typed.every((word) => ` ${label}`.includes(` ${word}`)) ? 1 : 2);
  const found = ({ keyOnly, label, group = "", words = "" }: Command) =>
    !keyOnly && typed.every((word) => `${label} ${group} ${words}`.toLowerCase().includes(word));
  return all.filter(found).toSorted((a, b) => rank(a.label.toLowerCase()) - rank(b.label.toLowerCase()));
}
