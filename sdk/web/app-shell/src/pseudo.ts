import type { Catalog } from "./catalog.ts";

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const marked = "àƀćďéƒğĥíĵķłḿñöþɋŕšťúṽŵẋýžÀƁĆĎÉƑĞĤÍĴĶŁḾÑÖÞɊŔŠŤÚṼŴẊÝŽ";

/** A catalog in a language that nobody speaks: accented and half as long again (`en-XA`), or read from right to left (`ar-XB`). */
export function accented(catalog: Catalog, locale: "en-XA" | "ar-XB"): Catalog {
  return Object.fromEntries(
    Object.entries(catalog).map(([key, text]) => [key, locale === "ar-XB" ? `\u202e${text}\u202c` : `[${stretched(text)}]`]),
  );
}

/** What stands in braces are names and forms, and stays. */
function stretched(text: string): string {
  let letters = 0;
  const changed = text.replace(/\{\w+(?:, (?:plural|select),[^]*)?\}|\p{L}/gu, (part) => {
    const at = plain.indexOf(part);
    if (part.length > 1 || at < 0) return part;
    ++letters;
    return marked[at] ?? part;
  });
  return changed + "·".repeat(Math.ceil(letters / 2));
}
