import { useEffect, useState } from "react";
import { localPath } from "@portico/auth-client";
import { Problem, problemOf } from "@portico/api";
import { homeOf, useShell } from "../core.tsx";
import { loadApps } from "../apps.ts";
import { match, navigate, usePlace } from "../router.tsx";
import { Splash } from "../splash.tsx";
import { Card } from "./Card.tsx";

/** `/auth/launch/{service}`: leads to another app, signed in there by a one-time code. The address holds nothing else, and not for long. */
export default function LaunchPage() {
  const { app, auth, sender, texts } = useShell();
  const { t, has } = texts;
  const { path, search } = usePlace();
  const service = match("/auth/launch/:service", path)?.["service"] ?? "";
  const [code, setCode] = useState("");

  useEffect(() => {
    let current = true;
    const launch = async () => {
      const returnTo = localPath(new URLSearchParams(search).get("return_to"), "");
      if (app.native) {
        app.native.launch(service, returnTo);
        navigate(homeOf(app), { replace: true });
        return;
      }
      if (app.launch) {
        const url = await app.launch(service, returnTo, sender.fetch);
        if (current) location.replace(url);
        return;
      }
      const entry = (await loadApps(sender, auth)).find((each) => each.serviceId === service);
      if (!entry) throw new Problem("not_launchable");
      const body = { service_id: service, redirect_uri: `${new URL(entry.launchUrl).origin}/auth/callback`, ...(returnTo && { returnTo }) };
      const response = await sender.fetch("/api/auth/sso/handoff-code", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json" },
      });
      const answer = (await response.json()) as { callback_url?: string; code?: string };
      if (!response.ok || !answer.callback_url) throw new Problem(answer.code ?? "unavailable", response.status);
      if (current) location.replace(answer.callback_url);
    };
    launch().catch((error: unknown) => current && setCode(problemOf(error).code));
    return () => void (current = false);
  }, [app, auth, sender, service, search]);

  if (!code) return <Splash />;
  return (
    <Card title={t("launch.title")}>
      <p>{t(has(`launch.${code}`) ? `launch.${code}` : "launch.text")}</p>
      <button type="button" className="p-button p-large" onClick={() => navigate(homeOf(app), { replace: true })}>
        {t("launch.back", { app: app.title })}
      </button>
    </Card>
  );
}
