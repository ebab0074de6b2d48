/** Asks before something is left: true keeps the person there, and it goes on by itself with `leave`. */
export type Asks = (leave: () => void) => boolean;

/**
 * Where a page is, and how it goes elsewhere. The shell's router gives it.
 *
 * @example
 * const search = (address: Address, q: string): void => address.go(`/contacts?q=${q}`, { replace: true });
 * console.log(search.name);
 */
export interface Address {
  /** Path and query of now: `/contacts?q=ada`. */
  readonly current: () => string;
  readonly subscribe: (told: () => void) => () => void;
  /** Goes to a path of this app. Guards are asked before, unless only the query changes. */
  readonly go: (to: string, how?: { readonly replace?: boolean }) => void;
  /** Goes back to where one came from within this app; false: nowhere, as the page was opened by its address. */
  readonly back: () => void | false;
  /** Keeps the person here while `asks` answers true, after having asked in a dialog of its own: it goes on by itself with `leave`. */
  readonly guard: (asks: Asks) => () => void;
}
