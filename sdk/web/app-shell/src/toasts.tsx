import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { CircleAlert, CircleCheck, Info, Undo2, X } from "lucide-react";
import type { Undo } from "@portico/ui";
import { useCan, useShell, useTexts } from "./core.tsx";
import { Link } from "./router.tsx";
import { createStore, useStore } from "./store.ts";
import styles from "./toasts.module.css";

/** Something that was said; the list keeps the last fifty. */
export interface Toast {
  readonly id: number;
  readonly at: number;
  readonly kind: "done" | "refused" | "info";
  readonly text: string;
  readonly requestId?: string;
  /** Of `Undo`, where it can be taken back. */
  readonly undo?: number;
  readonly seen: boolean;
}

export const toasts = createStore<readonly Toast[]>([]);
const toastMilliseconds = 10_000;
let last = 0;

export function tell(toast: Pick<Toast, "kind" | "text"> & { requestId?: string; undo?: number }): void {
  toasts.set((all) => [{ id: ++last, at: Date.now(), seen: false, ...toast }, ...all].slice(0, 50));
}

const see = (id: number) => toasts.set((all) => all.map((each) => (each.id === id ? { ...each, seen: true } : each)));

/** What can be taken back is told as it comes. */
export function useUndoToasts(undo: Undo): void {
  useEffect(() => {
    let known = undo.current()[0]?.id ?? 0;
    return undo.subscribe(() => {
      const newest = undo.current()[0];
      if (newest && newest.id > known) tell({ kind: "done", text: newest.text, undo: (known = newest.id) });
    });
  }, [undo]);
}

/** Takes the newest back, or one; refusals are told. */
export async function takeBack(undo: Undo, sentence: (error: unknown) => string, id?: number): Promise<void> {
  const found = undo.current().find((each) => id === undefined || each.id === id);
  if (!found) return;
  toasts.set((all) => all.map((each) => (each.undo === found.id ? { ...each, seen: true } : each)));
  try {
    await undo.take(found.id);
  } catch (error) {
    tell({ kind: "refused", text: sentence(error) });
  }
}

export function Toasts({ undo, sentence }: { undo: Undo; sentence: (error: unknown) => string }) {
  const { t } = useTexts();
  const shown = useStore(toasts)
    .filter((each) => !each.seen)
    .slice(0, 3);
  const list = useRef<HTMLDivElement>(null);
  // An element of its own, which dialogs take with them.
  const [place] = useState(() => document.createElement("div"));
  useLayoutEffect(() => {
    place.toggleAttribute("data-over", true);
    (document.querySelector("dialog[open]") ?? document.body).append(place);
    return () => place.remove();
  }, [place]);
  // On a phone they stand before the page's end: it gets as much room more.
  useLayoutEffect(() => {
    // Nothing is measured, and no style made anew, where there are none.
    if (shown.length) document.body.style.setProperty("--toasts", `${list.current?.offsetHeight ?? 0}px`);
  }, [shown.map(({ id }) => id).join()]);
  return createPortal(
    <section className={styles["toasts"]} aria-label={t("toasts.region")}>
      <div ref={list} aria-live="polite" aria-relevant="additions">
        {shown.toReversed().map((each) => (
          <OneToast key={each.id} toast={each} onUndo={each.undo === undefined ? null : () => void takeBack(undo, sentence, each.undo)} />
        ))}
      </div>
    </section>,
    place,
  );
}

/** Ten seconds, which wait while the pointer or the focus is on it. */
function OneToast({ toast, onUndo }: { toast: Toast; onUndo: (() => void) | null }) {
  const { t } = useTexts();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => see(toast.id), toastMilliseconds);
    return () => clearTimeout(timer);
  }, [held, toast.id]);
  const Icon = { done: CircleCheck, refused: CircleAlert, info: Info }[toast.kind];
  return (
    <div
      className={styles["toast"]}
      data-kind={toast.kind}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon size={18} aria-hidden />
      <div className={styles["text"]}>
        <bdi>{toast.text}</bdi>
        {toast.requestId && <RequestId id={toast.requestId} />}
      </div>
      {onUndo && (
        <button type="button" className={styles["act"]} onClick={onUndo}>
          {t("toasts.undo")} <kbd aria-hidden>{"Z"}</kbd>
        </button>
      )}
      <button type="button" className="p-icon" aria-label={t("shell.close")} onClick={() => see(toast.id)}>
        <X size={16} aria-hidden />
      </button>
    </div>
  );
}

/** Of the request that something was said of, to be copied; a link to the log where the app has one that the person may see. */
function RequestId({ id, role }: { id: string; role?: string }) {
  const { app, texts } = useShell();
  const sees = useCan(app.log?.permission);
  if (!app.log || !sees) return <code>{id}</code>;
  return (
    <Link to={app.log.path(id)} role={role} aria-label={texts.t("toasts.log", { request: id })}>
      <code>{id}</code>
    </Link>
  );
}

/** All that was told lately, to come back to. */
export function Recent({ undo, onUndo }: { undo: Undo; onUndo: (id: number) => void }) {
  const { t, relative } = useTexts();
  const list = useStore(toasts);
  const open = useSyncExternalStore(undo.subscribe, undo.current);
  if (list.length === 0) return <p className={styles["none"]}>{t("toasts.none")}</p>;
  return (
    <ul className={styles["recent"]}>
      {list.map((each) => (
        <li key={each.id}>
          <div>
            <bdi>{each.text}</bdi>
            <small>
              <span>{relative(each.at, Date.now())}</span> {each.requestId && <RequestId id={each.requestId} role="menuitem" />}
            </small>
          </div>
          {open.some(({ id }) => id === each.undo) && (
            <button type="button" role="menuitem" className={styles["act"]} onClick={() => each.undo !== undefined && onUndo(each.undo)}>
              <Undo2 size={14} aria-hidden /> {t("toasts.undo")}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
