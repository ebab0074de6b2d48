import { useState } from "react";
import type { Problem } from "@portico/api";

/**
 * The `Idempotency-Key` of what a form sends: the same entry has the same key, however often it is sent.
 *
 * @example
 * const send = (key: RequestKey, text: string) => console.log(key.of(text));
 * send(makeRequestKey(), "note");
 */
export interface RequestKey {
  /** The key for this entry, given as text. */
  of(entry: string): string;
  /** The server stopped while it carried this out, and closes the key: who has looked and sends again has another. */
  refused(problem: Problem): void;
}

/**
 * A key that lives as long as the form does.
 *
 * @example
 * const key = makeRequestKey();
 * console.log(key.of("one") === key.of("one")); // true
 */
export function makeRequestKey(): RequestKey {
  let [last, key] = ["", ""];
  return {
    of(entry) {
      // Not randomUUID, which there is on secure origins only.
      if (!key || last !== entry) [last, key] = [entry, crypto.getRandomValues(new Uint32Array(5)).join("-")];
      return key;
    },
    refused({ code }) {
      if (code === "request_in_progress") key = "";
    },
  };
}

/**
 * As `makeRequestKey`, for a component.
 *
 * @example
 * const Save = () => <button type="button" data-key={useRequestKey().of("text")} />;
 * console.log(Save.name);
 */
export const useRequestKey = (): RequestKey => useState(makeRequestKey)[0];
