import { startTransition, StrictMode, useEffect, useLayoutEffect, useMemo, useState, type ComponentType } from "react";
import { createRoot } from "react-dom/client";
import { createAuth, localPath, type Auth } from "@portico/auth-client";
import { later, prepare } from "@portico/ui";
import "@portico/tokens/tokens.css";
import "./base.css";
import { apiOf, homeOf, ShellContext, useSession, useShell, type AppOptions, type Shell } from "./core.tsx";
import { Failed, PageError } from "./errors.tsx";
import { loadTexts, localeFor, type Texts } from "./i18n.ts";
import { coverKeptPage } from "./kept.ts";
import { launchNatively, askNativeApp } from "./native.ts";
import { match, navigate, usePlace } from "./router.tsx";
import { createSender } from "./sender.ts";
import { Splash } from "./splash.tsx";

const SignInPage = later(() => import("./login/SignInPage.tsx"), Splash);
const CallbackPage = later(() => import("./login/CallbackPage.tsx"), Splash);
const LaunchPage = later(() => import("./login/LaunchPage.tsx"), Splash);
const loadWorkspace = () => import("./workspace.tsx");
const Workspace = later(loadWorkspace, Splash);

/** Paths that are shown to who is not signed in. */
const open: readonly (readonly [string, ComponentType])[] = [
  ["/login", SignInPage],
  ["/auth/callback", CallbackPage],
];

/**
 * Starts an app in the `#root` of its page: sign-in, sidebar, palette, toasts, languages, themes, and what is done when something goes wrong. Pages of
 * its sections are loaded when they are opened.
 *
 * @example
 * if (typeof document !== "undefined") startApp({ service: "notes", title: "Notes", catalog: { en: {} }, sections: [] });
 */
export function startApp(app: AppOptions): void {
  const identity = identityOrigin();
  const auth = createAuth({ serviceId: app.service, authUrl: identity });
  coverKeptPage(auth);
  keepPage();
  if (app.native) launchNatively(app.native);
  if (location.pathname === "/") navigate(homeOf(app), { replace: true });
  if (!open.some(([path]) => path === location.pathname)) {
    void auth.start({ silent: app.silent ?? true });
    prepare(loadWorkspace);
    app.sections
      .filter((each) => match(each.path, location.pathname))
      .slice(0, 1)
      .forEach(({ page }) => prepare(page));
  }
  const root = document.getElementById("root");
  if (!root) throw new Error("the page has no #root");
  createRoot(root).render(
    <StrictMode>
      <App app={app} auth={auth} identity={identity} />
    </StrictMode>,
  );
}

/** A file that is dropped beside what takes it is not opened by the browser, in place of the page and of what was typed. */
function keepPage(): void {
  const stay = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files") || (event.target as Element).closest("input[type=file]"))
      return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  };
  addEventListener("dragover", stay);
  addEventListener("drop", stay);
}

/** The sign-in service of this installation, which the host writes into the page; `identity` beside the app's own name where none does (`sdk/web/dev`). */
function identityOrigin(): string {
  const said = document.querySelector<HTMLMetaElement>('meta[name="portico-auth-url"]')?.content;
  if (said?.startsWith("http")) return said;
  const { protocol, host } = location;
  return `${protocol}//${host.replace(/^[^.]+(?=\.)/, "identity")}`;
}

function App({ app, auth, identity }: { app: AppOptions; auth: Auth; identity: string }) {
  const [texts, setTexts] = useState<Texts | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const sender = useMemo(() => createSender(auth), [auth]);
  // Not of the texts: what pages read does not depend on the language.
  const api = useMemo(() => apiOf(sender), [sender]);
  const [[locale, zone], setLocale] = useState<[string, string]>(() => ["", Intl.DateTimeFormat().resolvedOptions().timeZone]);

  useEffect(() => {
    let current = true;
    const wished = locale ? [locale] : [...navigator.languages];
    if (texts?.locale === localeFor(wished) && texts.zone === zone) return undefined;
    loadTexts(wished, zone, app.catalog).then(
      (loaded) => current && setTexts({ ...loaded, relative: (value, now = auth.now()) => loaded.relative(value, now) }),
      (error: unknown) => current && setFailure(error),
    );
    return () => void (current = false);
  }, [app, locale, zone]);

  useEffect(() => {
    if (texts) Object.assign(document.documentElement, { lang: texts.locale, dir: texts.direction });
  }, [texts]);

  const shell = useMemo<Shell | null>(
    () =>
      texts && {
        app,
        auth,
        sender,
        api,
        texts,
        identity,
        setLocale: (wanted, where) => setLocale((now) => (now[0] === wanted && now[1] === where ? now : [wanted, where])),
      },
    [api, app, auth, identity, sender, texts],
  );
  if (failure) return <Failed />;
  if (!shell) return null;
  return (
    <ShellContext value={shell}>
      <PageError>
        <Route />
      </PageError>
    </ShellContext>
  );
}

function Route() {
  const { path } = usePlace();
  const Open = open.find(([pattern]) => pattern === path)?.[1];
  if (Open) return <Open />;
  return <SignedIn />;
}

/**
 * Who is not signed in goes to the sign-in page, and comes back from there. Who was, and is no longer, stays: the workspace asks in place. It begins in the
 * person's language, not in the browser's.
 */
function SignedIn() {
  const { app, setLocale, texts } = useShell();
  const session = useSession();
  const { path, search, hash } = usePlace();
  const [was, setWas] = useState(false);
  const user = session.status === "signedIn" ? session.me?.user : undefined;
  const [locale, zone] = [user?.locale || texts.locale, user?.timezone || texts.zone];
  useLayoutEffect(() => {
    if (!user || was) return;
    // In steps, between which the browser can answer: this is all of the page.
    if (texts.locale === localeFor([locale]) && texts.zone === zone) startTransition(() => setWas(true));
    else setLocale(locale, zone);
  }, [user, was, locale, zone, texts]);
  const away = session.status === "signedOut" && !was;
  useEffect(() => {
    if (!away) return;
    if (app.native) askNativeApp(path + search + hash);
    else navigate(`/login?return_to=${encodeURIComponent(localPath(path + search + hash))}`, { replace: true, force: true });
  }, [app, away, path, search, hash]);

  if (was) return match("/auth/launch/:service", path) ? <LaunchPage /> : <Workspace />;
  return <Splash unreachable={session.status === "unavailable"} />;
}
