import { useTexts } from "@portico/app-shell";
import { ActionIcon } from "@mantine/core";
import { Bones, Failed, problemOf, useUi, Waiting } from "@portico/ui";
import { Check, Copy, ExternalLink } from "lucide-react";
import { lazy, Suspense, useRef, useState, type ReactNode } from "react";
import { useQuery as useAddressQuery } from "@portico/app-shell";
import { useContext, type Host } from "./service.ts";
import classes from "./page.module.css";

const Setup = lazy(() => import("./setup/Setup.tsx"));

/** A page's head and body. `wide` for what has many columns. */
export function Page({ title, text, tools, wide = false, children }: { title: ReactNode; text?: ReactNode; tools?: ReactNode; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? classes["page"] : `${classes["page"]} ${classes["narrow"]}`}>
      <header className={classes["head"]}>
        <h1>{title}</h1>
        {tools && <div className={classes["end"]}>{tools}</div>}
        {text && <p className={classes["lead"]}>{text}</p>}
      </header>
      {children}
    </div>
  );
}

/** A page of a host. Whoever has none here sets one up first, and is back afterwards. */
export function HostPage({ title, text, tools, wide = false, children }: { title: string; text?: string; tools?: (host: Host) => ReactNode; wide?: boolean; children: (host: Host) => ReactNode }) {
  const { t } = useTexts();
  const context = useContext();
  const [step] = useAddressQuery("setup");
  const retry = () => void context.refetch();
  const { data } = context;
  if (!data)
    return (
      <Page title={title} text={text} wide={wide}>
        {context.error ? <Failed error={context.error} retry={retry} /> : <Waiting skeleton={<Bones lines={6} />} retry={retry} />}
      </Page>
    );
  if (!data.host || step)
    return (
      <Page title={t("setup.title")} text={t("setup.text")}>
        <Suspense fallback={null}>
          <Setup context={data} />
        </Suspense>
      </Page>
    );
  return (
    <Page title={title} text={text} tools={tools?.(data.host)} wide={wide}>
      {children(data.host)}
    </Page>
  );
}

/** A part of a page with a name. `danger`: what is in it takes something away for good. */
export function Card({ title, text, tools, danger = false, children }: { title: string; text?: ReactNode; tools?: ReactNode; danger?: boolean; children?: ReactNode }) {
  return (
    <section className={classes["card"]} aria-label={title} data-danger={danger || undefined}>
      <div className={classes["cardHead"]}>
        <h2>{title}</h2>
        {tools}
      </div>
      {text && <p className={classes["about"]}>{text}</p>}
      {children}
    </section>
  );
}

/** What is read, while it is read, where it failed, and once it is here. */
export function Loaded<T>({ query, lines = 4, children }: { query: { data: T | undefined; error: unknown; refetch: () => unknown }; lines?: number; children: (data: T) => ReactNode }) {
  const retry = () => void query.refetch();
  if (query.data === undefined) return query.error ? <Failed error={query.error} retry={retry} /> : <Waiting skeleton={<Bones lines={lines} />} retry={retry} />;
  return children(query.data);
}

/** A state in a word, marked by form and colour beside it. */
export const Chip = ({ kind = "plain", children }: { kind?: "plain" | "good" | "warn" | "bad"; children: ReactNode }) => (
  <span className={classes["chip"]} data-kind={kind}>
    {children}
  </span>
);

/** Names and values. */
export const Facts = ({ list }: { list: readonly (readonly [string, ReactNode])[] }) => (
  <dl className={classes["facts"]}>
    {list
      .filter(([, value]) => value !== null && value !== "")
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

/** A remark with a sign of its weight; `alert` is told at once. */
export const Note = ({ kind = "plain", alert = false, children }: { kind?: "plain" | "good" | "warn" | "bad"; alert?: boolean; children: ReactNode }) => (
  <div className={classes["note"]} data-kind={kind} role={alert ? "alert" : undefined}>
    {children}
  </div>
);

/** An address to share: to open, and to copy. */
export function Shared({ url, label }: { url: string; label: string }) {
  const { t } = useTexts();
  const [done, setDone] = useState(false);
  const copy = () => void navigator.clipboard.writeText(url).then(() => setDone(true), () => undefined);
  return (
    <span className={classes["shared"]}>
      <a href={url} target="_blank" rel="noopener">
        {url.replace(/^https?:\/\//, "")}
        <ExternalLink size={14} aria-label={t("act.newTab")} />
      </a>
      <ActionIcon aria-label={t(done ? "act.copiedWhat" : "act.copyWhat", { what: label })} onClick={copy}>
        {done ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      </ActionIcon>
    </span>
  );
}

/** A problem in a sentence of this app's catalog, of the kit's, or of the server. */
export function useSentence(): (error: unknown) => string {
  const { sentence } = useUi();
  return (error) => problemOf(error).errors[0]?.message ?? sentence(error);
}

/** Runs something that a button begins: once at a time; what is refused is told in a sentence. `run` answers whether it was done. */
export function useDeed(): { busy: boolean; run: (deed: () => Promise<unknown>, done?: string) => Promise<boolean> } {
  const { notices } = useUi();
  const sentence = useSentence();
  const [busy, setBusy] = useState(false);
  const now = useRef(false);
  const run = async (deed: () => Promise<unknown>, done?: string): Promise<boolean> => {
    if (now.current) return false;
    now.current = true;
    setBusy(true);
    try {
      await deed();
      if (done) notices.tell({ kind: "done", text: done });
      return true;
    } catch (error) {
      notices.tell({ kind: "refused", text: sentence(error), requestId: problemOf(error).requestId });
      return false;
    } finally {
      now.current = false;
      setBusy(false);
    }
  };
  return { busy, run };
}

/** Every zone that the browser knows, by its name. */
export const zones = (...more: readonly string[]): { value: string; label: string }[] => [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), ...more])].map((value) => ({ value, label: value.replaceAll("_", " ") }));

/** The zone of this browser. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
