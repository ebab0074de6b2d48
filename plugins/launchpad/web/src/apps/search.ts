/** Lower case without diacritics, as the search of the store compares. */
export const fold = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Words of fewer letters must be typed as they are. */
const shortest = 4;

/** Whether a folded text contains a word, or a word of the text begins with it but for one typo: a letter that is wrong, missing, too many, or swapped. */
export const finds = (text: string, word: string): boolean =>
  text.includes(word) || (word.length >= shortest && text.split(/[^\p{L}\p{N}]+/u).some((each) => beginsLike(each, word)));

function beginsLike(text: string, word: string): boolean {
  let at = 0;
  while (at < word.length && text[at] === word[at]) ++at;
  const rest = word.slice(at + 1);
  const swapped = text[at] === word[at + 1] && text[at + 1] === word[at];
  return (
    text.startsWith(rest, at + 1) ||
    text.startsWith(rest, at) ||
    text.startsWith(word.slice(at), at + 1) ||
    (swapped && text.startsWith(word.slice(at + 2), at + 2))
  );
}
