import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import classes from "./menu.module.css";

/** What makes a button the opener of a menu. */
export interface OpenerProps {
  readonly onClick: () => void;
  readonly "aria-haspopup": "menu" | "dialog";
  readonly "aria-expanded": boolean;
  readonly "aria-controls": string | undefined;
}

interface MenuProps {
  /** What is in it, in a word. */
  readonly label: string;
  readonly opener: (props: OpenerProps) => ReactNode;
  /** `dialog`: not entries to choose from, but fields. */
  readonly kind?: "menu" | "dialog";
  /** In line with the opener's end. */
  readonly end?: boolean;
  readonly initiallyOpen?: boolean;
  readonly onClose?: () => void;
  readonly children: (close: () => void) => ReactNode;
}

/**
 * A button and what it opens, above all else and within the window. Arrows, Home and End walk the entries, Escape and a click elsewhere close, and the
 * focus returns to the button.
 *
 * @example
 * const menu = <Menu label="More" opener={(props) => <button {...props} />}>{(close) => <MenuItem onClick={close}>Delete</MenuItem>}</Menu>;
 * console.log(menu.type);
 */
export function Menu({ label, opener, kind = "menu", end = false, initiallyOpen = false, onClose, children }: MenuProps): ReactNode {
  const [open, setOpen] = useState(initiallyOpen);
  const around = useRef<HTMLSpanElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const told = useRef(onClose);
  told.current = onClose;
  const id = useId();
  const entries = () => [...(box.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? [])];
  const leave = () => (setOpen(false), told.current?.());
  const close = () => {
    around.current?.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
    leave();
  };
  useLayoutEffect(() => {
    const [button, shown] = [around.current?.firstElementChild, box.current];
    if (!open || !button || !shown) return undefined;
    shown.showPopover?.();
    const put = () => place(button, shown, end);
    put();
    const grown = new ResizeObserver(put);
    grown.observe(shown);
    document.addEventListener("scroll", put, true);
    addEventListener("resize", put);
    return () => {
      grown.disconnect();
      document.removeEventListener("scroll", put, true);
      removeEventListener("resize", put);
    };
  }, [open, end]);
  useEffect(() => {
    if (!open) return undefined;
    (kind === "menu"
      ? (entries()[0] ?? around.current?.querySelector<HTMLElement>("[aria-haspopup]"))
      : (box.current?.querySelector<HTMLElement>("[data-autofocus]") ??
        box.current?.querySelector<HTMLElement>("button, input, [tabindex]"))
    )?.focus();
    const outside = (event: Event) => !around.current?.contains(event.target as Node) && leave();
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open, kind]);
  const keys = (event: KeyboardEvent) => {
    const list = entries();
    const at = list.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = kind === "menu" ? { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1 } : {};
    const next = to[event.key];
    if (event.key === "Escape" && open) close();
    else if (next !== undefined && !open) setOpen(true);
    else if (next !== undefined) list[(next + list.length) % list.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span ref={around} className={classes["around"]} onKeyDown={keys}>
      {opener({
        onClick: () => (open ? leave() : setOpen(true)),
        "aria-haspopup": kind,
        "aria-expanded": open,
        "aria-controls": open ? id : undefined,
      })}
      {open && (
        <div ref={box} id={id} role={kind} aria-label={label} popover="manual" className={classes["menu"]}>
          {children(close)}
        </div>
      )}
    </span>
  );
}

/**
 * A menu that an icon opens.
 *
 * @example
 * const menu = <IconMenu label="Columns" icon={<svg />}>{(close) => <MenuItem onClick={close}>Name</MenuItem>}</IconMenu>;
 * console.log(menu.type);
 */
export function IconMenu({
  icon,
  className = "p-icon",
  ...menu
}: Omit<MenuProps, "opener"> & { icon: ReactNode; className?: string | undefined }): ReactNode {
  return (
    <Menu
      end
      {...menu}
      opener={(props) => (
        <button {...props} type="button" className={className} aria-label={menu.label} title={menu.label}>
          {icon}
        </button>
      )}
    />
  );
}

/** Below the opener, or above where there is no room, in line with one of its ends, and within the window. */
function place(button: Element, { style, offsetWidth, offsetHeight }: HTMLElement, end: boolean): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const [gap, rim] = [4, 8];
  const { clientWidth, dir } = document.documentElement;
  const below = bottom + gap + offsetHeight <= innerHeight - rim || top < innerHeight - bottom;
  style.insetBlockStart = `${below ? Math.min(bottom + gap, innerHeight - rim - offsetHeight) : Math.max(rim, top - gap - offsetHeight)}px`;
  style.left = `${Math.max(rim, Math.min(end === (dir === "rtl") ? left : right - offsetWidth, clientWidth - rim - offsetWidth))}px`;
}

interface MenuItemProps {
  readonly icon?: ReactNode;
  /** One of a choice. */
  readonly checked?: boolean;
  readonly danger?: boolean;
  /** Why it cannot be chosen now. */
  readonly off?: string | undefined;
  readonly hint?: ReactNode;
  /** It leads somewhere, or is where one is. */
  readonly href?: string;
  readonly current?: boolean;
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/**
 * An entry that does something, or leads somewhere.
 *
 * @example
 * const entry = <MenuItem danger onClick={() => console.log("deleted")}>Delete</MenuItem>;
 * console.log(entry.type);
 */
export function MenuItem({ icon, checked, danger = false, off, hint, href, current = false, onClick, children }: MenuItemProps): ReactNode {
  const has = icon !== undefined || checked !== undefined || href !== undefined;
  const Entry = href === undefined ? "button" : "a";
  return (
    <Entry
      {...(href === undefined ? { type: "button" } : { href })}
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={checked}
      aria-current={current ? "page" : undefined}
      aria-disabled={off !== undefined || undefined}
      data-danger={danger || undefined}
      tabIndex={-1}
      className={classes["item"]}
      onClick={() => off === undefined && onClick?.()}
    >
      {has && <span className={classes["icon"]}>{checked || current ? "✓" : icon}</span>}
      <span className={classes["text"]}>{children}</span>
      {off === undefined ? hint : <small>{off}</small>}
    </Entry>
  );
}

/**
 * What the entries below it are about.
 *
 * @example
 * const title = MenuTitle({ children: "Workspaces" });
 * console.log(title !== null);
 */
export const MenuTitle = ({ children }: { children: ReactNode }): ReactNode => <div className={classes["title"]}>{children}</div>;

/**
 * A line between entries.
 *
 * @example
 * console.log(MenuLine() !== null);
 */
export const MenuLine = (): ReactNode => <div role="separator" className={classes["line"]} />;
