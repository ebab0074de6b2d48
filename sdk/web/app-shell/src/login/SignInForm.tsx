import { useEffect, useRef, useState, type FormEvent } from "react";
import { KeyRound } from "lucide-react";
import { problemOf } from "@portico/auth-client";
import { useShell } from "../core.tsx";
import { useSeconds } from "../time.ts";
import { mayUsePasskeys, proveWithPasskey, signInWithPasskey } from "./passkeys.ts";
import styles from "./login.module.css";

/** A second step that the server asks for. */
interface SecondStep {
  readonly mfaToken: string;
  readonly factors: readonly string[];
}

/** What went wrong, by code, and until when to wait (epoch milliseconds; 0: not). */
interface Wrong {
  readonly code: string;
  readonly until: number;
}

const waits = new Set(["too_many_attempts", "overloaded", "rate_limited"]);

/**
 * Signing in with a password, a passkey and a second factor, each in place. `identifier` is whose it has to be, where that is known. `identity` is where
 * identity's own pages are, for what is done there.
 */
export default function SignInForm({
  identifier = "",
  returnTo = "/",
  onDone,
}: {
  identifier?: string;
  returnTo?: string;
  onDone: () => void;
}) {
  const { app, auth, texts } = useShell();
  const { t } = texts;
  const [name, setName] = useState(identifier);
  const [password, setPassword] = useState("");
  const [shown, setShown] = useState(false);
  const [remember, setRemember] = useState(true);
  const [step, setStep] = useState<SecondStep | null>(null);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);
  const seconds = useSeconds(wrong?.until ?? 0);
  const field = useRef<HTMLInputElement>(null);

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setWrong(null);
    setSent(false);
    try {
      await work();
      onDone();
    } catch (thrown) {
      const error = problemOf(thrown);
      if (error.code === "mfa_required") {
        const factors = Array.isArray(error.details["factors"]) ? error.details["factors"].map(String) : [];
        return setStep({ mfaToken: String(error.details["mfaToken"]), factors });
      }
      if (error.code === "mfa_expired") setStep(null);
      if (error.code === "passkey_elsewhere") return void location.assign(await auth.authorizeUrl({ returnTo, loginHint: name }));
      setWrong({ code: error.code, until: waits.has(error.code) && error.retryAfter ? Date.now() + error.retryAfter * 1_000 : 0 });
      if (error.code === "invalid_credentials") field.current?.select();
    } finally {
      setBusy(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && !seconds) void attempt(() => auth.signIn({ identifier: name.trim(), password, rememberMe: remember }));
  };
  const again = async () => {
    await auth.signInBy("email/verification", { email: name.trim() }).catch(() => undefined);
    setSent(true);
  };

  if (step)
    return (
      <SecondFactor
        step={step}
        wrong={wrong}
        busy={busy}
        seconds={seconds}
        onBack={() => (setStep(null), setWrong(null))}
        onCode={(factor, code) =>
          void attempt(async () => void (await auth.signInBy("mfa/verify", { mfaToken: step.mfaToken, factor, code })))
        }
        onPasskey={() => void attempt(() => proveWithPasskey(auth, step.mfaToken, name.trim()))}
      />
    );
  return (
    <form className="p-form" onSubmit={submit} noValidate={false}>
      <Told wrong={wrong} seconds={seconds} />
      {wrong?.code === "email_not_verified" && (
        <button type="button" className="p-link" disabled={sent} onClick={() => void again()}>
          {t(sent ? "login.sent" : "login.sendAgain")}
        </button>
      )}
      {(wrong?.code === "human_verification_required" || wrong?.code === "org_policy_mfa_required") && (
        <button
          type="button"
          className="p-link"
          onClick={() => void auth.authorizeUrl({ returnTo, loginHint: name }).then((url) => location.assign(url))}
        >
          {t("login.elsewhere")}
        </button>
      )}
      <label className="p-field">
        {t("login.identifier")}
        <input
          data-first={!identifier || undefined}
          name="identifier"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
          value={name}
          readOnly={Boolean(identifier)}
          autoFocus={!identifier}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <div className="p-field">
        <label htmlFor="password">{t("login.password")}</label>
        <span className={styles["password"]}>
          <input
            ref={field}
            id="password"
            data-first={identifier ? true : undefined}
            name="password"
            type={shown ? "text" : "password"}
            autoComplete="current-password"
            required
            maxLength={1024}
            value={password}
            aria-invalid={wrong?.code === "invalid_credentials"}
            aria-describedby={wrong ? "login-problem" : undefined}
            onChange={(event) => setPassword(event.target.value)}
          />
          <button type="button" className="p-link" aria-pressed={shown} onClick={() => setShown(!shown)}>
            {t(shown ? "login.hide" : "login.show")}
          </button>
        </span>
      </div>
      {!identifier && (
        <label className="p-check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} /> {t("login.remember")}
        </label>
      )}
      <button className="p-button p-large" disabled={busy || seconds > 0}>
        {t(busy ? "login.busy" : "login.submit")}
      </button>
      {mayUsePasskeys() && (
        <button
          type="button"
          className="p-button p-quiet p-large"
          disabled={busy}
          onClick={() =>
            void attempt(() => signInWithPasskey(auth, { service: app.service, identifier: name.trim(), rememberMe: remember, returnTo }))
          }
        >
          <KeyRound size={16} aria-hidden /> {t("login.passkey")}
        </button>
      )}
    </form>
  );
}

function SecondFactor({
  step,
  wrong,
  busy,
  seconds,
  onCode,
  onPasskey,
  onBack,
}: {
  step: SecondStep;
  wrong: Wrong | null;
  busy: boolean;
  seconds: number;
  onCode: (factor: string, code: string) => void;
  onPasskey: () => void;
  onBack: () => void;
}) {
  const { t, has } = useShell().texts;
  const [factor, setFactor] = useState(step.factors.find((each) => has(`factor.${each}`)) ?? "totp");
  const [code, setCode] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // What is typed next takes the place of what was wrong.
  useEffect(() => void (wrong && field.current?.select()), [wrong]);
  const typed = (text: string) => {
    const clean = factor === "totp" ? text.replace(/\D/g, "").slice(0, 6) : text;
    setCode(clean);
    // The same one would be as wrong again: each try counts.
    if (factor === "totp" && clean.length === 6 && clean !== code && !busy && !seconds) onCode(factor, clean);
  };
  return (
    <form
      className="p-form"
      onSubmit={(event) => (event.preventDefault(), factor === "passkey" ? onPasskey() : onCode(factor, code.trim()))}
    >
      <p>{t(`factor.${factor}.text`)}</p>
      <Told wrong={wrong} seconds={seconds} />
      {factor !== "passkey" && (
        <label className="p-field">
          {t(`factor.${factor}`)}
          <input
            ref={field}
            key={factor}
            autoFocus
            data-first
            className={styles["code"]}
            value={code}
            required
            autoComplete="one-time-code"
            inputMode={factor === "totp" ? "numeric" : "text"}
            maxLength={40}
            aria-invalid={wrong?.code === "invalid_code"}
            onChange={(event) => typed(event.target.value)}
          />
        </label>
      )}
      <button className="p-button p-large" disabled={busy || seconds > 0}>
        {t(busy ? "login.busy" : factor === "passkey" ? "login.passkey" : "login.confirm")}
      </button>
      <div className={styles["links"]}>
        {step.factors
          .filter((each) => each !== factor && has(`factor.${each}`))
          .map((each) => (
            <button key={each} type="button" className="p-link" onClick={() => (setFactor(each), setCode(""))}>
              {t(`factor.${each}.choose`)}
            </button>
          ))}
        <button type="button" className="p-link" onClick={onBack}>
          {t("login.back")}
        </button>
      </div>
    </form>
  );
}

function Told({ wrong, seconds }: { wrong: Wrong | null; seconds: number }) {
  const { t, has } = useShell().texts;
  if (!wrong || (wrong.until && !seconds)) return null;
  const key = `login.${wrong.code}`;
  return (
    <p className="p-error" role="alert" id="login-problem">
      {has(key) ? t(key) : t("login.unavailable")} {seconds > 0 && <span aria-live="off">{t("login.wait", { seconds })}</span>}
    </p>
  );
}
