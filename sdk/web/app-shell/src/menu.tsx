import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import styles from "./menu.module.css";

/**
 * A button and what it opens. Arrows, Home and End walk the entries (elements with a role that begins with `menuitem`), Escape and a click elsewhere close,
 * and the focus returns to the button. `named`: the button's contents say what it is.
 */
export function Menu({ label, button, className, named = false, end = false, up = false, children }: { label: string; named?: boolean; button: ReactNode; className: string; end?: boolean; up?: boolean; children: (close: () => void) => ReactNode }) {
  const [open, setOpen] = useState(false);
  const around = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const entries = () => [...(around.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? [])];
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  useEffect(() => {
    if (!open) return undefined;
    entries()[0]?.focus();
    const outside = (event: Event) => {
      if (!around.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);
  const keys = (event: KeyboardEvent) => {
    const list = entries();
    const at = list.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1 };
    const next = to[event.key];
    if (event.key === "Escape" && open) close();
    else if (next !== undefined && !open) setOpen(true);
    else if (next !== undefined) list[(next + list.length) % list.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={around} className={styles["around"]} onKeyDown={keys}>
      <button ref={opener} type="button" className={className} aria-label={named ? undefined : label} aria-haspopup="menu" aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
        {button}
      </button>
      {open && (
        <div id={id} role="menu" aria-label={label} className={[styles["menu"], end && styles["end"], up && styles["up"]].filter(Boolean).join(" ")}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** An entry that does something; `checked` makes it one of a choice. */
export function MenuItem({ icon, checked, onClick, children, hint }: { icon?: ReactNode; checked?: boolean; onClick: () => void; children: ReactNode; hint?: string }) {
  return (
    <button type="button" role={checked === undefined ? "menuitem" : "menuitemradio"} aria-checked={checked} tabIndex={-1} className={styles["item"]} onClick={onClick}>
      <span className={styles["icon"]}>{checked ? "✓" : icon}</span>
      <span className={styles["text"]}>{children}</span>
      {hint && <kbd>{hint}</kbd>}
    </button>
  );
}

export const MenuTitle = ({ children }: { children: ReactNode }) => <div className={styles["title"]}>{children}</div>;
export const MenuLine = () => <div role="separator" className={styles["line"]} />;
