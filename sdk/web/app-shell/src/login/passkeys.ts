import { Problem, type Auth } from "@portico/auth-client";

type Json = Record<string, unknown>;

/** Whether this browser can use passkeys at all. */
export const mayUsePasskeys = () =>
  typeof PublicKeyCredential !== "undefined" && typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function";

interface Ceremony {
  readonly challengeId: string;
  readonly credential: Json;
}

/**
 * Asks the browser for a passkey of this origin. Null where browsers refuse that (identity's passkeys are for its own host): go there instead. Rejects
 * with `passkey_cancelled` when the person, or the browser, ends it.
 */
async function ceremony(auth: Auth, identifier: string): Promise<Ceremony | null> {
  const options = await auth.signInBy("passkeys/authenticate/options", identifier ? { identifier } : {});
  if (typeof options["ceremonyUrl"] === "string") return null;
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options["publicKey"] as PublicKeyCredentialRequestOptionsJSON);
    const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
    if (!credential) throw new Error("none");
    return { challengeId: String(options["challengeId"]), credential: { ...credential.toJSON() } };
  } catch (error) {
    if (error instanceof DOMException && error.name === "SecurityError") return null;
    throw new Problem("passkey_cancelled");
  }
}

/** Signs in with a passkey, here or by way of identity's page. */
export async function signInWithPasskey(
  auth: Auth,
  { service, identifier, rememberMe, returnTo }: { service: string; identifier: string; rememberMe: boolean; returnTo: string },
): Promise<void> {
  const done = await ceremony(auth, identifier);
  if (done) await auth.signInBy("passkeys/authenticate/verify", { ...done, service_id: service, rememberMe });
  else location.assign(await auth.authorizeUrl({ returnTo, ...(identifier && { loginHint: identifier }) }));
}

/** The second factor of a sign-in that has begun. */
export async function proveWithPasskey(auth: Auth, mfaToken: string, identifier: string): Promise<void> {
  const done = await ceremony(auth, identifier);
  if (!done) throw new Problem("passkey_elsewhere");
  await auth.signInBy("mfa/verify", { mfaToken, factor: "passkey", credential: done.credential });
}

export async function stepUpWith(auth: Auth): Promise<void> {
  const done = await ceremony(auth, "");
  if (!done) throw new Problem("passkey_elsewhere");
  await auth.stepUp({ factor: "passkey", credential: done.credential });
}
