import type { Command } from "./commands.ts";

/**
 * The commands that have every word of a text: first those whose label begins with the text, then those whose label has words that begin with each of its
 * words, then the rest. Commands of one rank keep their order.
 */
export function matches(all: readonly Command[], text: string): readonly Command[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (label: string): number => {
    if (label.startsWith(typed.join(" "))) return 0;
    const words = label.split(/[^\p{L}\p{N}]+/u);
    return typed.every((each) => words.some((word) => word.startsWith(each))) ? 1 : 2;
  };
  return all
    .filter(({ keyOnly, label, group = "", words = "" }) => {
      const searched = `${label} ${group} ${words}`.toLowerCase();
      return !keyOnly && typed.every((word) => searched.includes(word));
    })
    .map((command) => ({ command, rank: rank(command.label.toLowerCase()) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}
