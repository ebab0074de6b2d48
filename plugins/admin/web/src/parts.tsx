import { Link, useCan, usePlace, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import {
  Act,
  Bones,
  copyText,
  Dialog,
  Failed as FailedOfAll,
  Note,
  Page as PageOfAll,
  problemOf,
  saveAs,
  Text,
  Unsaved,
  Waiting,
} from "@portico/ui";
import { useIsFetching, useQueryClient, type Query } from "@tanstack/react-query";
import { Check, Copy, Download, Printer } from "lucide-react";
import { useEffect, useId, useRef, useState, type ComponentProps, type ReactNode } from "react";
import { logOf } from "./log.ts";
import page from "@portico/ui/page.module.css";
import classes from "./page.module.css";

/** More pages than this stand as a list at the side. */
const mostInRow = 6;

/** A page's head and body, with links to the pages of the same part. */
export function Page({ tabs = [], wide = false, children, ...rest }: ComponentProps<typeof PageOfAll> & { tabs?: readonly Tab[] }) {
  const beside = tabs.length > mostInRow;
  // The elements stay when the number of tabs changes: what is typed in the page stays with them.
  return (
    <PageOfAll {...rest} wide={wide || beside}>
      <div className={classes[beside ? "beside" : "stacked"]}>
        {tabs.length > 1 && <Tabs tabs={tabs} />}
        <div className={beside ? page["page"] : classes["stacked"]} data-width={wide ? "wide" : "text"}>
          {children}
        </div>
      </div>
    </PageOfAll>
  );
}

/** A page beside others, by its address. */
export interface Tab {
  readonly to: string;
  readonly label: string;
}

function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const { path } = usePlace();
  const { t } = useTexts();
  const current = tabs.filter(({ to }) => path === to || path.startsWith(`${to}/`)).at(-1);
  const here = useRef<HTMLElement>(null);
  // In braces: newer browsers answer with a promise, which is no way to clean up.
  useEffect(() => {
    here.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current?.to]);
  return (
    <nav ref={here} className={classes["tabs"]} aria-label={t("tabs.label")}>
      {tabs.map((each) => (
        <Link key={each.to} to={each.to} aria-current={each === current ? "page" : undefined}>
          {each.label}
        </Link>
      ))}
    </nav>
  );
}

/** Something went wrong where a part of the page should be. Operators are led to what the log says of it, where the server is to blame. */
export function Failed({ error, retry }: { error: unknown; retry: () => void }) {
  const { t } = useTexts();
  const sees = useCan("system:read");
  const { status, requestId } = problemOf(error);
  return (
    <>
      <FailedOfAll error={error} retry={retry} />
      {sees && status >= 500 && requestId && (
        <p className={page["lead"]}>
          <Link to={logOf(requestId)}>{t("log.ofFailure")}</Link>
        </p>
      )}
    </>
  );
}

/** What is worth a look, where there is something. */
export function Remarks({ title, list }: { title: string; list: readonly string[] }) {
  if (list.length === 0) return null;
  return (
    <Note kind="warn">
      <p>{title}</p>
      <ul>
        {list.map((each) => (
          <li key={each}>
            <bdi>{each}</bdi>
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** What is read, while it is read, where it failed, where there is none, and as rows. */
export function Rows<T>({
  query,
  empty,
  lines = 3,
  children,
}: {
  query: { data: readonly T[] | undefined; error: unknown; refetch: () => unknown };
  empty: ReactNode;
  lines?: number;
  children: (row: T) => ReactNode;
}) {
  const retry = () => void query.refetch();
  if (query.data === undefined)
    return query.error ? <Failed error={query.error} retry={retry} /> : <Waiting skeleton={<Bones lines={lines} />} retry={retry} />;
  if (query.data.length === 0) return typeof empty === "string" ? <p className={page["muted"]}>{empty}</p> : empty;
  return <ul className={page["plain"]}>{query.data.map(children)}</ul>;
}

/** Milliseconds after which parts are shown that have not all read. */
const mostTogether = 10_000;

/**
 * Parts that read each for itself, seen at once when all have read: none pushes another away. `below` stands under them and begins to read when it comes into sight. Who has
 * waited long sees what there is.
 */
export function Together({ children, below }: { children: ReactNode; below: ReactNode }) {
  const client = useQueryClient();
  const unread = { predicate: ({ state }: Query) => state.data === undefined };
  const reading = useIsFetching(unread);
  const [seen, setSeen] = useState(false);
  // The parts have begun to read by now: effects of children run first. What they have read is told to them in a task of its own, before this one's.
  useEffect(() => {
    if (client.isFetching(unread) > 0) return undefined;
    const told = setTimeout(() => setSeen(true));
    return () => clearTimeout(told);
  }, [client, reading]);
  useEffect(() => {
    const late = setTimeout(() => setSeen(true), mostTogether);
    return () => clearTimeout(late);
  }, []);
  return (
    <>
      {!seen && <Waiting skeleton={<Bones lines={8} />} />}
      <div hidden={!seen} className={seen ? page["page"] : undefined}>
        {children}
      </div>
      {seen && <Below>{below}</Below>}
    </>
  );
}

/** Milliseconds after which parts below the first screen are read though they are out of sight: searches in the page find them. */
const belowAfter = 6_000;

/** Parts below the first screen: they are read when they come into sight, or when the person begins to use the page. */
export function Below({ children }: { children: ReactNode }) {
  const mark = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!mark.current) return undefined;
    const show = () => setShown(true);
    const watch = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && show());
    watch.observe(mark.current);
    const late = setTimeout(show, belowAfter);
    const signs = ["keydown", "scroll", "wheel"] as const;
    for (const sign of signs) addEventListener(sign, show, { capture: true, once: true, passive: true });
    return () => {
      watch.disconnect();
      clearTimeout(late);
      for (const sign of signs) removeEventListener(sign, show, { capture: true });
    };
  }, []);
  return shown ? children : <div ref={mark} />;
}

/** A row: what it is, a line that says more, what can be done with it. */
export function Row({ name, more, sign, children }: { name: ReactNode; more?: ReactNode; sign?: ReactNode; children?: ReactNode }) {
  return (
    <li>
      <span className={page["grow"]}>
        <span className={classes["rowName"]}>
          {typeof name === "string" ? <Text>{name}</Text> : name} {sign}
        </span>
        {more && <span className={page["more"]}>{more}</span>}
      </span>
      {children && <span className={classes["acts"]}>{children}</span>}
    </li>
  );
}

/** A point in time as people say it, with the exact one at hand. */
export function When({ at }: { at: string | null | undefined }) {
  const { relative, dateTime, t } = useTexts();
  if (!at) return <>{t("when.never")}</>;
  return (
    <time dateTime={at} title={dateTime(at)}>
      {relative(at)}
    </time>
  );
}

/** When something was last used, or that it never was. */
export function Used({ at }: { at: string | null | undefined }) {
  const { t } = useTexts();
  if (!at) return <>{t("passkeys.neverUsed")}</>;
  return (
    <>
      {t("passkeys.used")} <When at={at} />
    </>
  );
}

/** What is wrong with what stands above it; `id` is for the field's `aria-describedby`. */
export const Wrong = ({ id, text }: { id?: string; text: string | undefined }) =>
  text ? (
    <span id={id} className={classes["wrong"]} role="alert">
      {text}
    </span>
  ) : null;

/** Something that is shown this once. It is left by saying that it is kept, and by nothing else of the dialog's; leaving the page asks before. */
export function ShownOnce({
  title,
  text,
  file,
  value,
  onClose,
  children,
}: {
  title: string;
  text: string;
  file: string;
  value: string;
  onClose: () => void;
  children?: ReactNode;
}) {
  const { t } = useTexts();
  const [kept, setKept] = useState(false);
  const [copied, setCopied] = useState<boolean | null>(null);
  const shown = useRef<HTMLPreElement>(null);
  const copy = async () => setCopied(await copyText(value, shown.current));
  return (
    <>
      <Dialog
        open
        wide
        title={title}
        onClose={() => kept && onClose()}
        actions={
          <Act variant="filled" off={kept ? undefined : t("once.first")} onClick={onClose}>
            {t("act.done")}
          </Act>
        }
      >
        <div className={classes["stack"]}>
          <p>{text}</p>
          <pre ref={shown} className={classes["secret"]} tabIndex={0} aria-label={title}>
            {value}
          </pre>
          <div className={`${page["row"]} ${classes["once"]}`}>
            <Button leftSection={copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />} onClick={() => void copy()}>
              {t(copied ? "act.copied" : "act.copy")}
            </Button>
            <Button
              leftSection={<Download size={16} aria-hidden />}
              onClick={() => saveAs(new Blob([`${value}\n`], { type: "text/plain" }), file)}
            >
              {t("act.download")}
            </Button>
            <Button leftSection={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
              {t("act.print")}
            </Button>
          </div>
          {copied === false && (
            <Note kind="warn" alert>
              {t("once.byHand")}
            </Note>
          )}
          {children}
          <label className={`${page["check"]} ${classes["once"]}`}>
            <input type="checkbox" checked={kept} onChange={(event) => setKept(event.currentTarget.checked)} />
            <span>{t("once.kept")}</span>
          </label>
        </div>
      </Dialog>
      <Unsaved when={!kept} words={{ title: t("once.leave"), text: t("once.leaveText"), act: t("once.lose"), keep: t("once.stay") }} />
    </>
  );
}

/** The first word that fits is the browser or the system: others call themselves by those, too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** "Firefox on Linux". What is no browser keeps the name that it gives itself. */
export function deviceOf({ userAgent }: { userAgent: string }, t: (key: string, values?: Record<string, string>) => string): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser && system) return t("sessions.device", { browser, system });
  return userAgent.startsWith("Mozilla") ? t("sessions.unknown") : userAgent || t("sessions.program");
}

/** The network of a sign-in in words. Loopback and unspecified addresses are local. */
export function networkOf({ ipPrefix }: { ipPrefix: string }, t: (key: string, values?: Record<string, string>) => string): string {
  return /^(::1?|127\..*|0\.0\.0\.0)(\/|$)/.test(ipPrefix) ? t("sessions.local") : t("sessions.network", { network: ipPrefix });
}

/** How a risk is marked. */
export const risks = { low: "plain", medium: "warn", high: "bad" } as const;

/** A field that narrows what is shown below it while a person types. */
export function Filter({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <input
      type="search"
      className={classes["filter"]}
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={100}
      onChange={(event) => onChange(event.currentTarget.value)}
      // Enter would send the form around it.
      onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
    />
  );
}

/** A choice among few; the browser's own, which every phone knows. `off`: why it cannot be changed now; the third of an option: it cannot be chosen. */
export function Choice({
  label,
  value,
  options,
  off,
  hint,
  bare = false,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly (readonly [string, string, boolean?])[];
  off?: string | undefined;
  hint?: string | undefined;
  bare?: boolean;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const told = off ?? hint;
  return (
    <div className={classes["choice"]}>
      <label htmlFor={id} className={bare ? "ui-hidden" : undefined}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={off !== undefined}
        aria-describedby={told === undefined ? undefined : `${id}-told`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([key, name, never]) => (
          <option key={key} value={key} disabled={never}>
            {name}
          </option>
        ))}
      </select>
      {told !== undefined && <small id={`${id}-told`}>{told}</small>}
    </div>
  );
}
