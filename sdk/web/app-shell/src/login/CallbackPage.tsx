import { useEffect, useState } from "react";
import { problemOf, type Problem } from "@portico/auth-client";
import { homeOf, useShell } from "../core.tsx";
import { Answers } from "../dialog.tsx";
import { navigate } from "../router.tsx";
import { Splash } from "../splash.tsx";
import { Card } from "./Card.tsx";

/** Where identity sends the browser back to. The code is traded once; whoever refuses it gets a sentence and a way on, and no loop. */
export default function CallbackPage() {
  const { app, auth, texts } = useShell();
  const { t, has } = texts;
  const [error, setError] = useState<Problem | null>(null);
  const home = homeOf(app);

  const complete = (confirmAccountSwitch: boolean) =>
    auth.completeCallback({ confirmAccountSwitch }).then(
      ({ returnTo }) => navigate(returnTo === "/" ? home : returnTo, { replace: true }),
      (thrown: unknown) => {
        const problem = problemOf(thrown);
        const returnTo = problem.details["returnTo"];
        // The silent look found nobody: the sign-in page, without a word.
        if (problem.code === "login_required" || problem.code === "interaction_required")
          navigate(`/login?return_to=${encodeURIComponent(typeof returnTo === "string" ? returnTo : home)}`, { replace: true });
        else setError(problem);
      },
    );
  useEffect(() => void complete(false), [auth]);

  if (!error) return <Splash />;
  const [current = "", incoming = ""] = ["current", "incoming"].map(
    (each) => (error.details[each] as { displayName?: string } | undefined)?.displayName,
  );
  const other = error.code === "account_switch_confirmation_required";
  return (
    <Card title={t(other ? "callback.other" : "callback.title")}>
      <p>
        {other
          ? t("callback.otherText", { current, incoming })
          : t(has(`callback.${error.code}`) ? `callback.${error.code}` : "callback.text")}
      </p>
      <Answers>
        {other && (
          <button type="button" className="p-button p-quiet" onClick={() => navigate(home, { replace: true })}>
            {t("callback.stay", { current })}
          </button>
        )}
        <button
          type="button"
          className="p-button"
          onClick={() => (other ? (setError(null), void complete(true)) : navigate("/login", { replace: true }))}
        >
          {other ? t("callback.switch", { incoming }) : t("login.title")}
        </button>
      </Answers>
    </Card>
  );
}
