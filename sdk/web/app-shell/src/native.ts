import { localPath } from "@portico/auth-client";
import type { NativeApp, Shell } from "./core.tsx";
import { address, giveUp, match } from "./router.tsx";

/** Has the native app open what a link to `/auth/launch/{service}` names. Listens before the page does, so that no handler follows the link. */
export function launchNatively(native: NativeApp): void {
  document.addEventListener(
    "click",
    (event) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
      const url = link && new URL(link.href);
      const service = url?.origin === location.origin && match("/auth/launch/:service", url.pathname)?.["service"];
      if (!url || !service) return;
      event.preventDefault();
      native.launch(service, localPath(url.searchParams.get("return_to"), ""));
    },
    { capture: true },
  );
}

/**
 * Signs out and leaves: to the sign-in page, or to the native app. A field that is open saves itself first, and the user is asked about what is unsaved.
 * Nothing changes where the server does not respond.
 */
export async function leave({ app, auth, sender }: Shell, scope: "browser" | "everywhere" = "browser"): Promise<void> {
  const go = async (asked: boolean): Promise<void> => {
    await sender.settled();
    try {
      await auth.signOut({ scope });
    } catch {
      return;
    }
    if (asked) giveUp();
    if (app.native) app.native.signedOut(scope);
    else location.replace("/login");
  };
  if (!address.held(() => void go(true))) await go(false);
}

/** Goes to the sign-in page by a navigation that a native app can see and answer with a new sign-in. */
export const askNativeApp = (path: string): void => location.replace(`/login?return_to=${encodeURIComponent(localPath(path))}`);
