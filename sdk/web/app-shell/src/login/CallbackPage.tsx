import { useEffect, useState } from "react";
import { AuthError } from "@portico/auth-client";
import { useShell } from "../core.tsx";
import { Answers } from "../dialog.tsx";
import { navigate } from "../router.tsx";
import { Splash } from "../splash.tsx";
import { Brand } from "./Brand.tsx";
import styles from "./login.module.css";

/** Where identity sends the browser back to. The code is traded once; whoever refuses it gets a sentence and a way on, and no loop. */
export default function CallbackPage() {
  const { app, auth, texts } = useShell();
  const { t, has } = texts;
  const [error, setError] = useState<AuthError | null>(null);
  const home = app.sections.find((each) => each.icon)?.path ?? "/";

  const complete = (confirmAccountSwitch: boolean) =>
    auth.completeCallback({ confirmAccountSwitch }).then(
      ({ returnTo }) => navigate(returnTo === "/" ? home : returnTo, { replace: true }),
      (thrown: unknown) => {
        const problem = thrown instanceof AuthError ? thrown : new AuthError("unavailable");
        const returnTo = problem.details["returnTo"];
        // The silent look found nobody: the sign-in page, without a word.
        if (problem.code === "login_required" || problem.code === "interaction_required")
          navigate(`/login?return_to=${encodeURIComponent(typeof returnTo === "string" ? returnTo : home)}`, { replace: true });
        else setError(problem);
      },
    );
  useEffect(() => void complete(false), [auth]);

  if (!error) return <Splash />;
  const named = (who: unknown) => (typeof who === "object" && who !== null && "displayName" in who ? String(who.displayName) : "");
  const other = error.code === "account_switch_confirmation_required";
  return (
    <div className={styles["page"]}>
      <main className={styles["card"]}>
        <Brand />
        <h1>{t(other ? "callback.other" : "callback.title")}</h1>
        <p>
          {other
            ? t("callback.otherText", { current: named(error.details["current"]), incoming: named(error.details["incoming"]) })
            : t(has(`callback.${error.code}`) ? `callback.${error.code}` : "callback.text")}
        </p>
        <Answers>
          {other && (
            <button type="button" className="p-button p-quiet" onClick={() => navigate(home, { replace: true })}>
              {t("callback.stay", { current: named(error.details["current"]) })}
            </button>
          )}
          <button type="button" className="p-button" onClick={() => (other ? (setError(null), void complete(true)) : navigate("/login", { replace: true }))}>
            {other ? t("callback.switch", { incoming: named(error.details["incoming"]) }) : t("login.title")}
          </button>
        </Answers>
      </main>
    </div>
  );
}
