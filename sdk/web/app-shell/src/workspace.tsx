import "@mantine/core/styles/baseline.css";
import "@portico/ui/style.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ArrowLeftRight, Keyboard, LogOut, MessageSquareWarning, Moon, Undo2, UserRound } from "lucide-react";
import type { Me } from "@portico/auth-client";
import { clearDrafts, createUndo, later, prepare, UiProvider, useUi, type UiServices, type Undo } from "@portico/ui";
import { keysOpen, nameKeys, paletteOpen, useCommandKeys, useCommands, type Command } from "./commands.ts";
import { MeContext, mayOf, useSession, useShell, type Section } from "./core.tsx";
import { useMaySee } from "./elsewhere.ts";
import { Panel } from "./errors.tsx";
import { Bare, Frame, namePage } from "./frame.tsx";
import { useLive } from "./live.ts";
import { leave } from "./native.ts";
import { SectionPage } from "./page.tsx";
import { loadPreferences, usePreference, useThemeChoice } from "./preferences.ts";
import { address, loadElsewhere, match, navigate, unsaved, usePlace } from "./router.tsx";
import { usePasteLimit } from "./pasteLimit.ts";
import { useStore } from "./store.ts";
import { takeBack, tell, toasts, Toasts, Recent, useUndoToasts } from "./toasts.tsx";
import { useTheme } from "./theme.ts";
import {
  Bars,
  ContextChanged,
  NoAccess,
  Notice,
  rememberEmail,
  SessionEnded,
  StepUp,
  SwitchedOff,
  Why,
  type Question,
} from "./trouble.tsx";

const loadPalette = () => import("./palette.tsx");
const Palette = later(loadPalette);
const KeyOverlay = later(async () => ({ default: (await loadPalette()).KeyOverlay }));
const Report = later(() => import("./report.tsx"));

const preparedAfterMilliseconds = 100;

/** An organization, or one's own. */
const contextOf = (me: Me) => me.organizationId ?? "personal";
const keyOf = (me: Me) => `${me.user.id} ${contextOf(me)}`;

/** The app of somebody who is signed in. Nothing of a person or a workspace outlives it: all is made anew for the next. */
export default function Workspace() {
  const { auth, sender, texts } = useShell();
  const session = useSession();
  const [question, setQuestion] = useState<Question | null>(null);
  // A new token publishes `me: null` until `/api/auth/me` answers. The question below must stay until then: without it, an open field saves itself.
  const latest = useRef<Me | null>(null);
  const known = session.status === "signedIn" && session.userId === latest.current?.user.id ? latest.current : null;
  const me = session.status === "signedIn" ? (session.me ?? known) : null;
  latest.current = me ?? latest.current;
  // Not in an effect: pages ask, and dialogs look, before those run.
  const taken = (now: Me) => (rememberEmail(now), (sender.context = contextOf(now)), now);
  const [shown, setShown] = useState(() => me && taken(me));
  const other = me !== null && shown !== null && contextOf(me) !== contextOf(shown) && me.user.id === shown.user.id;
  // What is unsaved belongs to the workspace that is shown: the person decides.
  const asks = other && unsaved();

  useEffect(() => {
    if (!me || asks) return;
    if (shown && keyOf(shown) !== keyOf(me)) toasts.set([]);
    if (other) tell({ kind: "info", text: texts.t("context.followed", { now: nameOf(me, texts.t("workspace.personal")) }) });
    setShown(taken(me));
  }, [me, asks]);
  useEffect(() => {
    const ask = () => new Promise<boolean>((done) => setQuestion({ answer: (yes) => (setQuestion(null), done(yes)) }));
    sender.questions = {
      stepUp: ask,
      // The state follows the server's word, and with it what is asked above.
      contextChanged: () =>
        auth.readMe().then(
          () => false,
          () => false,
        ),
    };
  }, [auth, sender]);

  if (!shown) return null;
  const back = () =>
    shown.organizationId
      ? auth.switchContext({ kind: "organization", organizationId: shown.organizationId })
      : auth.switchContext({ kind: "personal" });
  return (
    <>
      <Inside key={keyOf(shown)} me={shown} />
      <SessionEnded />
      {question && <StepUp question={question} />}
      {asks && me && (
        <ContextChanged
          shown={nameOf(shown, texts.t("workspace.personal"))}
          now={nameOf(me, texts.t("workspace.personal"))}
          onAdopt={() => setShown(taken(me))}
          onBack={() => void back()}
        />
      )}
    </>
  );
}

const nameOf = (me: Me, personal: string) => me.organizations.find((each) => each.id === me.organizationId)?.name ?? personal;

function Inside({ me }: { me: Me }) {
  const { api, app, auth, sender, setLocale, texts } = useShell();
  const { offlineSince, off: isOff } = useStore(sender.trouble);
  const waits = offlineSince !== null || isOff !== null;
  const [undo] = useState(() => createUndo());
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: { retry: false, staleTime: 30_000, networkMode: "always" },
          mutations: { retry: false, networkMode: "always" },
        },
      }),
  );
  const [locale] = usePreference("locale", "", { shared: true });
  const [keys] = usePreference("singleKeys", true, { shared: true });

  useEffect(() => void loadPreferences(auth), [auth]);
  useEffect(
    () => setLocale(locale || me.user.locale || texts.locale, me.user.timezone || texts.zone),
    [locale, me.user.locale, me.user.timezone],
  );
  // Drafts outlive a reload of the page, and nobody's workspace.
  useEffect(() => () => (client.clear(), clearDrafts()), [client]);

  // The same one for as long as the app is open: a list reads again when it has another.
  const send = useCallback<UiServices["send"]>(
    async ({ method, path, query, body, version, key, signal }) => {
      const call = api[method.toLowerCase() as "get"] as unknown as (path: string, options: object) => Promise<never>;
      return call(path, {
        query,
        body,
        signal,
        ...(version !== undefined && { version }),
        ...(key !== undefined && { idempotencyKey: key }),
      });
    },
    [api],
  );
  const services = useMemo<UiServices>(
    () => ({
      texts,
      address,
      undo,
      notices: { tell },
      send,
      may: (permission) => mayOf(me, app.service, permission),
      keys,
      nameKeys,
      namePage,
      waits,
    }),
    [app, keys, send, texts, undo, waits, me.permissions],
  );
  const live = useLive(client);
  return (
    <QueryClientProvider client={client}>
      <MeContext value={me}>
        <UiProvider services={services}>
          <Pages me={me} undo={undo} live={live} />
        </UiProvider>
      </MeContext>
    </QueryClientProvider>
  );
}

function Pages({ me, undo, live }: { me: Me; undo: Undo; live: boolean }) {
  const shell = useShell();
  const { app, auth, sender, texts } = shell;
  const { t } = texts;
  const { sentence } = useUi();
  const { path } = usePlace();
  const { off, noAccess } = useStore(sender.trouble);
  const [report, setReport] = useState(false);
  const { shown } = useTheme();
  const chooseTheme = useThemeChoice();
  useUndoToasts(undo);
  usePasteLimit();

  const maySee = useMaySee(me);
  const shownPaths = app.sections
    .filter((each) => each.icon && maySee(each))
    .map((each) => each.path)
    .join();
  const sections = useMemo(() => app.sections.filter((each) => each.icon && maySee(each)), [app, me, shownPaths]);
  const [section, params] = useMemo(() => found(app.sections, path), [app, path]);
  useEffect(() => {
    if (!section) loadElsewhere();
  }, [section]);
  useEffect(() => {
    if (!section) return undefined;
    const timer = setInterval(() => {
      if (document.querySelector("#page [aria-busy=true]")) return;
      clearInterval(timer);
      // What a key may open next, once the page itself is here.
      [loadPalette, ...app.sections.filter(({ path: each }) => each.startsWith(`${section.path}/:`)).map(({ page }) => page)].forEach(
        prepare,
      );
    }, preparedAfterMilliseconds);
    return () => clearInterval(timer);
  }, [app, section]);
  const switchTo = useCallback(
    (organizationId: string | null) => {
      const to = organizationId ? ({ kind: "organization", organizationId } as const) : ({ kind: "personal" } as const);
      // A field that is open saves itself first. The server rejects a save that follows the switch.
      const go = () =>
        void sender
          .settled()
          .then(() => auth.switchContext(to))
          .then(
            () => navigate(sections[0]?.path ?? "/", { force: true }),
            (error: unknown) => tell({ kind: "refused", text: sentence(error) }),
          );
      if (!address.held(go)) go();
    },
    [auth, sender, sections, sentence],
  );
  const openReport = useCallback(() => setReport(true), []);
  const openAccount = useCallback(() => location.assign(`${shell.identity}/settings`), [shell]);
  const commands = useMemo<readonly Command[]>(
    () => [
      ...sections.map((each) => ({
        id: `go.${each.path}`,
        label: t(each.label),
        group: t("palette.pages"),
        ...(each.icon && { icon: each.icon }),
        run: () => navigate(each.path),
      })),
      ...me.organizations
        .filter((each) => each.id !== me.organizationId)
        .map((each) => ({
          id: `workspace.${each.id}`,
          label: t("workspace.to", { name: each.name }),
          group: t("workspace.title"),
          icon: ArrowLeftRight,
          run: () => switchTo(each.id),
        })),
      {
        id: "theme",
        label: t("theme.toggle"),
        group: t("palette.app"),
        icon: Moon,
        run: () => chooseTheme(shown === "dark" ? "light" : "dark"),
      },
      { id: "account", label: t("account.settings"), group: t("palette.app"), icon: UserRound, run: openAccount },
      { id: "report", label: t("report.title"), group: t("palette.app"), icon: MessageSquareWarning, run: openReport },
      { id: "keys", label: t("keys.title"), group: t("palette.app"), icon: Keyboard, key: "?", run: () => keysOpen.set(true) },
      {
        id: "apps",
        label: t("apps.title"),
        group: t("palette.app"),
        key: "g",
        keyOnly: true,
        run: () => document.querySelector<HTMLElement>(`[aria-label="${t("apps.title")}"]`)?.click(),
      },
      { id: "undo", label: t("toasts.undo"), group: t("palette.app"), icon: Undo2, key: "z", run: () => void takeBack(undo, sentence) },
      { id: "signOut", label: t("account.signOut"), group: t("palette.app"), icon: LogOut, run: () => void leave(shell) },
    ],
    [sections, me, t, shown, undo, sentence, switchTo, shell, openAccount],
  );
  useCommands(commands);

  const recent = useCallback(
    (close: () => void) => <Recent undo={undo} onUndo={(id) => (close(), void takeBack(undo, sentence, id))} />,
    [undo, sentence],
  );

  // Who loses the right to a page keeps what is typed on it, until they leave it.
  const seen = useRef<Section>(null);
  const allowed = section !== null && (maySee(section) !== false || (seen.current === section && unsaved()));
  seen.current = allowed ? section : null;
  const [, renderAgain] = useState({});
  useEffect(() => {
    // The lost permission may have removed the unsaved control. Render again, so that the page closes.
    if (section && allowed && maySee(section) === false && !unsaved()) renderAgain({});
  });
  const Around = section?.bare ? Bare : Frame;
  return (
    <Around
      me={me}
      section={section}
      sections={sections}
      bars={<Bars live={live} />}
      onSwitch={switchTo}
      onReport={openReport}
      recent={recent}
    >
      {noAccess ? (
        <NoAccess me={me} onSwitch={switchTo} />
      ) : (
        <>
          {off && <SwitchedOff code={off} />}
          <div hidden={off !== null}>
            <Panel key={path}>
              {section && allowed && <SectionPage section={section} params={params} />}
              {section && !allowed && (
                <Notice icon={null} title={t("page.forbidden")} text={t("page.forbiddenText")}>
                  <Why permission={section.permission?.includes(".") ? section.permission : `${app.service}.${section.permission}`} />
                </Notice>
              )}
              {!section && <Notice icon={null} title={t("page.missing")} text={t("page.missingText")} />}
            </Panel>
          </div>
        </>
      )}
      <Toasts undo={undo} sentence={sentence} />
      {report && <Report onClose={() => setReport(false)} />}
      <Overlays />
    </Around>
  );
}

/** What keys do and open, on its own: the page below is not rendered anew for it. */
function Overlays() {
  const [palette, overlay, { path }] = [useStore(paletteOpen), useStore(keysOpen), usePlace()];
  // Of another page nothing stays open: Back leaves it.
  useEffect(() => (paletteOpen.set(false), keysOpen.set(false)), [path]);
  useCommandKeys();
  return [palette && <Palette key="palette" />, overlay && <KeyOverlay key="keys" />];
}

function found(sections: readonly Section[], path: string): readonly [Section | null, Record<string, string>] {
  for (const each of sections) {
    const params = match(each.path, path);
    if (params) return [each, params];
  }
  return [null, {}];
}
