import { useEffect, useState } from "react";
import { localPath } from "@portico/auth-client";
import { homeOf, useSession, useShell } from "../core.tsx";
import { navigate } from "../router.tsx";
import { Card } from "./Card.tsx";
import SignInForm from "./SignInForm.tsx";
import styles from "./login.module.css";

interface LoginConfig {
  readonly displayName?: string;
  readonly registrationEnabled?: boolean;
  readonly hasAccounts?: boolean;
  readonly termsUrl?: string | null;
  readonly privacyUrl?: string | null;
  readonly social?: readonly { readonly id: string; readonly name: string }[];
}

const firstAccount = "porticoctl user create --email you@example.org --operator";

/** The sign-in page. It asks nothing about who is signed in; a sign-in in another tab lets it go on by itself. */
export default function SignInPage() {
  const { app, auth, texts, identity } = useShell();
  const { t } = texts;
  const session = useSession();
  const [config, setConfig] = useState<LoginConfig>({});
  const [query] = useState(() => new URLSearchParams(location.search));
  const returnTo = localPath(query.get("return_to"), "/");
  const target = returnTo === "/" || returnTo.startsWith("/login") ? homeOf(app) : returnTo;

  useEffect(() => {
    const stop = new AbortController();
    fetch(`/api/auth/login-config?service_id=${app.service}`, { signal: stop.signal, cache: "no-cache" })
      .then(async (response) => response.ok && setConfig((await response.json()) as LoginConfig))
      .catch(() => undefined);
    return () => stop.abort();
  }, [app]);
  useEffect(() => void (document.title = `${t("login.title")} · ${app.title}`), [app, t]);
  useEffect(() => {
    if (session.status === "signedIn") navigate(target, { replace: true, force: true });
  }, [session.status, target]);

  const elsewhere = () => void auth.authorizeUrl({ returnTo: target }).then((url) => location.assign(url));
  const back = { return_to: location.origin + target };
  const reason = query.get("error");
  const below = (config.termsUrl || config.privacyUrl) && (
    <footer className={styles["footer"]}>
      {config.termsUrl && <a href={config.termsUrl}>{t("login.terms")}</a>}
      {config.privacyUrl && <a href={config.privacyUrl}>{t("login.privacy")}</a>}
    </footer>
  );
  return (
    <Card title={t("login.heading", { app: config.displayName ?? app.title })} below={below}>
      {reason && (
        <p className="p-error" role="alert">
          {t(reason.includes("_") && texts.has(`login.${reason}`) ? `login.${reason}` : "login.callback")}
        </p>
      )}
      {config.hasAccounts === false && (
        <p role="status">
          {t("login.first")} <code>{firstAccount}</code>
        </p>
      )}
      <SignInForm returnTo={target} onDone={() => undefined} />
      {(config.social?.length ?? 0) > 0 && (
        <button type="button" className="p-button p-quiet p-large" onClick={elsewhere}>
          {t("login.providers", { names: config.social?.map((each) => each.name).join(", ") })}
        </button>
      )}
      <p className={styles["links"]}>
        <a href={`${identity}/forgot-password?${new URLSearchParams({ service_id: app.service, ...back })}`}>{t("login.forgot")}</a>
        {config.registrationEnabled && <a href={`${identity}/register?${new URLSearchParams(back)}`}>{t("login.register")}</a>}
      </p>
    </Card>
  );
}
