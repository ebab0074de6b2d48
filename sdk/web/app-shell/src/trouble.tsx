import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { CloudOff, Hourglass, RadioTower, ShieldQuestion, Sparkles, type LucideIcon } from "lucide-react";
import type { Me } from "@portico/auth-client";
import { later, permissionOf } from "@portico/ui";
import { newBuild } from "./build.ts";
import { useSession, useShell } from "./core.tsx";
import { Answers, Dialog } from "./dialog.tsx";
import { stepUpWith } from "./login/passkeys.ts";
import { askNativeApp, leave } from "./native.ts";
import { usePlace } from "./router.tsx";
import { useStore } from "./store.ts";
import { useSeconds } from "./time.ts";
import styles from "./trouble.module.css";

const SignInForm = later(() => import("./login/SignInForm.tsx"));

const Bar = ({ icon: Icon, words, children }: { icon: LucideIcon; words: string; children: ReactNode }) => (
  <div className={styles["bar"]}>
    <Icon size={16} aria-hidden />
    <span>{words}</span>
    {children}
  </div>
);

/** Leads to what decides about a permission, in the administration. */
export function Why({ permission }: { permission: string }) {
  return (
    <a href={`/auth/launch/admin?return_to=${encodeURIComponent(`/permissions?permission=${permission}`)}`}>
      {useShell().texts.t("bar.why")}
    </a>
  );
}

/** What stands between the page and the server, in one line above it. */
export function Bars({ live }: { live: boolean }) {
  const { sender, texts } = useShell();
  const { offlineSince, busy, unsent, held, denied } = useStore(sender.trouble);
  const { t } = texts;
  const { path } = usePlace();
  const missing = denied && permissionOf(denied, texts.locale);
  const newer = useStore(newBuild);
  const calm = () => sender.trouble.set((value) => ({ ...value, denied: null }));
  useEffect(() => calm, [path]);
  const again = (
    <button type="button" onClick={sender.tryAgain}>
      {t("shell.tryAgain")}
    </button>
  );
  return (
    <div className={styles["bars"]} role="status">
      {offlineSince !== null && (
        <Bar
          icon={CloudOff}
          words={`${t("bar.offline", { time: texts.time(offlineSince) })} ${unsent > 0 ? t("bar.unsent", { count: unsent }) : ""}`}
        >
          {again}
        </Bar>
      )}
      {offlineSince === null && busy && (
        <Bar icon={Hourglass} words={t("bar.busy")}>
          {again}
        </Bar>
      )}
      {held && <HeldBar {...held} />}
      {missing && (
        <Bar icon={ShieldQuestion} words={t("bar.denied", { permission: missing.title })}>
          <Why permission={missing.name} />
          <button type="button" onClick={calm}>
            {t("shell.close")}
          </button>
        </Bar>
      )}
      {newer && (
        <Bar icon={Sparkles} words={t("error.newBuild")}>
          <button type="button" onClick={() => location.reload()}>
            {t("error.load")}
          </button>
        </Bar>
      )}
      {!live && offlineSince === null && !busy && (
        <div className={styles["quiet"]}>
          <RadioTower size={14} aria-hidden />
          <span>{t("bar.notLive")}</span>
        </div>
      )}
    </div>
  );
}

/** Too many requests: what writes waits for the person. */
function HeldBar({ until, go, cancel }: { until: number; go: () => void; cancel: () => void }) {
  const { t } = useShell().texts;
  const seconds = useSeconds(until);
  return (
    <Bar icon={Hourglass} words={seconds ? t("bar.tooMany", { seconds }) : t("bar.tooManyOver")}>
      <button type="button" disabled={seconds > 0} onClick={go}>
        {t("bar.send")}
      </button>
      <button type="button" onClick={cancel}>
        {t("shell.cancel")}
      </button>
    </Bar>
  );
}

/** The sign-in is over. The page stays; the same person goes on, anybody else gets an empty app. */
export function SessionEnded() {
  const { app, texts } = useShell();
  const session = useSession();
  const [identifier] = useState(() => email);
  const asksNative = app.native !== undefined && session.status === "signedOut" && session.reason !== "signed_out";
  useEffect(() => {
    if (asksNative) askNativeApp(location.pathname + location.search);
  }, [asksNative]);
  if (session.status !== "signedOut" || app.native) return null;
  const why = `ended.${session.reason || "refresh_missing"}`;
  return (
    <Dialog title={texts.t("ended.title")}>
      <p>{texts.t(texts.has(why) ? why : "ended.refresh_missing")}</p>
      <SignInForm identifier={identifier} onDone={() => undefined} />
      <p className="p-muted">
        <button type="button" className="p-link" onClick={() => location.assign("/login")}>
          {texts.t("ended.leave")}
        </button>
      </p>
    </Dialog>
  );
}

let email = "";
/** Kept in memory only, for signing in again in place. */
export const rememberEmail = (me: Me | null) => void (me && ({ email } = me.user));

/** A question over the page that a call waits for. True: it is sent again. */
export interface Question {
  answer(yes: boolean): void;
}

/** Who one is, proven again, before what needs it. */
export function StepUp({ question }: { question: Question }) {
  const { auth, texts } = useShell();
  const { t } = texts;
  const [factors, setFactors] = useState<readonly string[]>(["password"]);
  const [factor, setFactor] = useState("password");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const take = ({ factors: found = [] }: { factors?: { type: string }[] }) =>
      setFactors(["password", "totp", "passkey"].filter((each) => each === "password" || found.some(({ type }) => type === each)));
    auth.fetch("/api/auth/mfa").then(
      async (response) => response.ok && take(await response.json()),
      () => undefined,
    );
  }, [auth]);
  const prove = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const value = String(new FormData(event.currentTarget).get("proof"));
    setBusy(true);
    try {
      await (factor === "passkey" ? stepUpWith(auth) : auth.stepUp({ factor, [factor === "password" ? "password" : "code"]: value }));
      question.answer(true);
    } catch (thrown) {
      const code = (thrown as { code?: string }).code ?? "";
      const key = code === "invalid_code" && factor === "password" ? "stepUp.notPassword" : `login.${code}`;
      setError(t(texts.has(key) ? key : "problem.internal"));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t("stepUp.title")} onClose={() => question.answer(false)}>
      <p>{t("stepUp.text")}</p>
      <form className="p-form" onSubmit={(event) => void prove(event)}>
        {error && (
          <p className="p-error" role="alert">
            {error}
          </p>
        )}
        {factor !== "passkey" && (
          <label className="p-field">
            {t(factor === "password" ? "login.password" : "login.code")}
            <input
              key={factor}
              data-first
              required
              name="proof"
              type={factor === "password" ? "password" : "text"}
              autoComplete={factor === "password" ? "current-password" : "one-time-code"}
              inputMode={factor === "totp" ? "numeric" : undefined}
            />
          </label>
        )}
        <div className={styles["ways"]}>
          {factors
            .filter((each) => each !== factor && texts.has(`stepUp.${each}`))
            .map((each) => (
              <button key={each} type="button" className="p-link" onClick={() => (setFactor(each), setError(""))}>
                {t(`stepUp.${each}`)}
              </button>
            ))}
        </div>
        <Answers>
          <button type="button" className="p-button p-quiet" onClick={() => question.answer(false)}>
            {t("shell.cancel")}
          </button>
          <button className="p-button" disabled={busy}>
            {t(factor === "passkey" ? "stepUp.passkey" : "stepUp.go")}
          </button>
        </Answers>
      </form>
    </Dialog>
  );
}

/** Another workspace was switched to in another tab, and here is something that belongs to the old one. */
export function ContextChanged({ shown, now, onAdopt, onBack }: { shown: string; now: string; onAdopt: () => void; onBack: () => void }) {
  const { t } = useShell().texts;
  return (
    <Dialog title={t("context.title", { now })}>
      <p>{t("context.text", { shown, now })}</p>
      <Answers>
        <button type="button" className="p-button p-quiet" onClick={onAdopt}>
          {t("context.adopt", { now })}
        </button>
        <button type="button" className="p-button" data-first onClick={onBack}>
          {t("context.back", { shown })}
        </button>
      </Answers>
    </Dialog>
  );
}

/** The whole page says that it does not work now; it comes back by itself, with what was typed. */
export function SwitchedOff({ code }: { code: string }) {
  const { app, sender, texts } = useShell();
  return (
    <Notice
      icon={<Hourglass size={28} aria-hidden />}
      title={texts.t(code === "service_quarantined" ? "off.quarantined" : "off.disabled", { app: app.title })}
      text={texts.t("off.text")}
    >
      <button type="button" className="p-button p-quiet" onClick={sender.tryAgain}>
        {texts.t("shell.tryAgain")}
      </button>
    </Notice>
  );
}

/** The workspace may not use this app: those that may are offered. */
export function NoAccess({ me, onSwitch }: { me: Me | null; onSwitch: (organizationId: string) => void }) {
  const shell = useShell();
  const { app, texts } = shell;
  const current = me?.organizations.find((each) => each.id === me.organizationId);
  const others = me?.organizations.filter((each) => each !== current) ?? [];
  return (
    <Notice
      icon={<ShieldQuestion size={28} aria-hidden />}
      title={texts.t("noAccess.title", { app: app.title, workspace: current?.name ?? texts.t("workspace.personal") })}
      text={texts.t(others.length ? "noAccess.others" : "noAccess.none")}
    >
      {others.map((each) => (
        <button key={each.id} type="button" className="p-button p-quiet" onClick={() => onSwitch(each.id)}>
          <bdi>{each.name}</bdi>
        </button>
      ))}
      <button type="button" className="p-link" onClick={() => void leave(shell)}>
        {texts.t("account.signOut")}
      </button>
    </Notice>
  );
}

/** A page that has one thing to say, and a way on. */
export function Notice({ icon, title, text, children }: { icon: ReactNode; title: string; text: string; children?: ReactNode }) {
  return (
    <div className={styles["notice"]} role="alert">
      {icon && <span className={styles["sign"]}>{icon}</span>}
      <h1>{title}</h1>
      <p>{text}</p>
      {children && <div className={styles["ways"]}>{children}</div>}
    </div>
  );
}
