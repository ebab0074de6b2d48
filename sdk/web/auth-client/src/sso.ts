import { Problem } from "./problem.ts";
import type { Memory } from "./memory.ts";
import { localPath } from "./paths.ts";
import { base64url, isRecord, parsed, randomText, textOf } from "./values.ts";

/**
 * How to ask identity for a sign-in that the browser may have already.
 *
 * @example
 * const wish: AuthorizeOptions = { prompt: "none", returnTo: "/contacts" };
 * console.log(wish.prompt);
 */
export interface AuthorizeOptions {
  /** `none`: without a page; `login`: sign in again; `select_account`: choose. */
  prompt?: "none" | "login" | "select_account";
  /** Path of this app to go on at. */
  returnTo?: string;
  organizationId?: string;
  loginHint?: string;
}

/**
 * Where a callback page goes on.
 *
 * @example
 * const done: CallbackResult = { returnTo: "/contacts" };
 * console.log(done.returnTo);
 */
export interface CallbackResult {
  /** A path of this app; `/` when none was asked for. */
  readonly returnTo: string;
}

export interface SsoParts {
  readonly authUrl: string;
  readonly serviceId: string;
  readonly redirectUri: string;
  readonly memory: Memory;
  /** Trades a code for a sign-in; its answer. */
  exchange(body: Record<string, unknown>): Promise<Record<string, unknown>>;
}

export function createSso({ authUrl, serviceId, redirectUri, memory, exchange }: SsoParts) {
  let last: { query: URLSearchParams; result: Promise<CallbackResult> } | null = null;
  const keyOf = (query: URLSearchParams) => query.get("sso_code") ?? query.get("error");

  const pending = () => {
    const entry = parsed(memory.read("sso") ?? "");
    return isRecord(entry)
      ? { state: textOf(entry["state"]), verifier: textOf(entry["verifier"]), returnTo: textOf(entry["returnTo"]) }
      : null;
  };

  const finish = async (query: URLSearchParams, confirmAccountSwitch: boolean): Promise<CallbackResult> => {
    const started = pending();
    const state = query.get("state");
    // A launcher's code comes without a state; all others answer what this tab has asked for.
    const ours = state !== null && state === started?.state && (query.get("iss") ?? authUrl) === authUrl;
    const returnTo = localPath(ours ? started?.returnTo : "");
    if (state !== null && !ours) throw new Problem("state_mismatch", 0, { detail: "This sign-in was not started here." });
    const error = query.get("error");
    if (error !== null) {
      memory.write("sso", "");
      throw new Problem(error, 0, { details: { returnTo } });
    }
    const body = { sso_code: query.get("sso_code") ?? "", service_id: serviceId, redirect_uri: redirectUri };
    const answer = await exchange({
      ...body,
      ...(ours && { code_verifier: started?.verifier }),
      ...(confirmAccountSwitch && { confirmAccountSwitch }),
    });
    memory.write("sso", "");
    return { returnTo: ours ? returnTo : localPath(textOf(answer["returnTo"])) };
  };

  return {
    async authorizeUrl({ prompt, returnTo, organizationId, loginHint }: AuthorizeOptions = {}): Promise<string> {
      const [state, verifier] = [randomText(24), randomText(48)];
      if (!memory.write("sso", JSON.stringify({ state, verifier, returnTo: localPath(returnTo) })))
        throw new Problem("storage_forbidden", 0, { detail: "The browser keeps nothing over a visit to the sign-in page: sign in here." });
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
      const wanted = { prompt, organization_id: organizationId, login_hint: loginHint };
      const query = new URLSearchParams({
        service_id: serviceId,
        redirect_uri: redirectUri,
        state,
        code_challenge: base64url(new Uint8Array(digest)),
        code_challenge_method: "S256",
        ...Object.fromEntries(Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined)),
      });
      return `${authUrl}/sso/authorize?${query}`;
    },

    completeCallback({
      url,
      confirmAccountSwitch = false,
    }: { url?: string; confirmAccountSwitch?: boolean } = {}): Promise<CallbackResult> {
      const found = new URL(url ?? location.href).searchParams;
      if (url === undefined && keyOf(found) !== null) history.replaceState(history.state, "", location.pathname);
      // The second mount finds the address without the code.
      const again = last !== null && (keyOf(found) === null || keyOf(found) === keyOf(last.query));
      if (last && again && !confirmAccountSwitch) return last.result;
      const query = last && again ? last.query : found;
      if (keyOf(query) === null) return Promise.reject(new Problem("sso_code_invalid", 0, { detail: "There is no code in the address." }));
      last = { query, result: finish(query, confirmAccountSwitch) };
      return last.result;
    },
  };
}
