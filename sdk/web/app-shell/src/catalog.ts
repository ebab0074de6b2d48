/**
 * Texts of one language by key. A text has `{name}` for a value, `{count, plural, one {# row} other {# rows}}` and
 * `{kind, select, file {…} other {…}}`; `#` is the number of the plural around it.
 *
 * @example
 * const catalog: Catalog = { "notes.count": "{count, plural, one {# note} other {# notes}}" };
 * console.log(Object.keys(catalog).length);
 */
export type Catalog = Readonly<Record<string, string>>;
