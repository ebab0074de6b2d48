import type { Auth } from "@portico/auth-client";
import { giveUp } from "./router.tsx";

/**
 * A browser keeps pages as they are left, and Back shows them again. Whoever has signed in meanwhile must not see what was on them: such a page is
 * covered when it is left, and shown once the server has said that the same person is still signed in; else it is loaded anew. Where the server
 * cannot be reached the sign-in stays, as it does elsewhere.
 */
export function coverKeptPage(auth: Auth): void {
  const { style } = document.documentElement;
  let left: string | null = null;
  addEventListener("pagehide", ({ persisted }) => {
    left = persisted && auth.state.status === "signedIn" ? auth.state.userId : null;
    if (left) style.opacity = "0";
  });
  addEventListener("pageshow", async ({ persisted }) => {
    if (!persisted || !left) return;
    await auth.readMe().catch(() => undefined);
    if (auth.state.status === "signedIn" && auth.state.userId === left) style.removeProperty("opacity");
    else {
      giveUp();
      location.reload();
    }
  });
}
