import { useEffect, useId, useRef, type ReactNode } from "react";
import { X } from "lucide-react";
import { useTexts } from "./core.tsx";
import styles from "./dialog.module.css";

/**
 * A dialog over the page, of the browser's own kind: the rest is inert, focus stays within and returns, Escape leaves. `onClose` absent: it can be left
 * by its answers only.
 */
export function Dialog({ title, onClose, wide = false, place = "middle", children }: { title: string; onClose?: (() => void) | undefined; wide?: boolean; place?: "middle" | "top" | "side"; children: ReactNode }) {
  const { t } = useTexts();
  const element = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const name = useId();
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return undefined;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    dialog.querySelector<HTMLElement>("[data-first]")?.focus();
    const { classList } = document.documentElement;
    if (window.innerWidth > document.documentElement.clientWidth) classList.add("p-gutter");
    classList.add("p-locked");
    return () => {
      dialog.close();
      if (!document.querySelector("dialog[open]")) classList.remove("p-locked", "p-gutter");
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-modal="true"
      aria-labelledby={name}
      className={[styles["dialog"], styles[place], wide && styles["wide"]].filter(Boolean).join(" ")}
      onCancel={(event) => {
        event.preventDefault();
        close.current?.();
      }}
      onMouseDown={(event) => event.target === element.current && close.current?.()}
    >
      <div className={styles["inside"]}>
        <header className={place === "top" ? "p-unseen" : styles["header"]}>
          <h2 id={name}>{title}</h2>
          {onClose && place !== "top" && (
            <button type="button" className="p-icon" aria-label={t("shell.close")} onClick={onClose}>
              <X size={18} aria-hidden />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** The answers of a dialog, the one to take last. */
export const Answers = ({ children }: { children: ReactNode }) => <div className={styles["answers"]}>{children}</div>;
