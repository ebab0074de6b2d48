import { MantineThemeProvider } from "@mantine/core";
import { X } from "lucide-react";
import { createContext, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Asks } from "./address.ts";
import classes from "./modal.module.css";

/**
 * What every dialog has: a title that names it, the name of its cross, and how it is left; without `onClose` by its answers only.
 *
 * @example
 * const props: ModalProps = { title: "Rename", closeName: "Close", place: "top", children: "Name" };
 * console.log(props.title);
 */
export interface ModalProps {
  readonly title: ReactNode;
  readonly closeName: string;
  readonly onClose?: (() => void) | undefined;
  /** `top` shows no head; `start` is the side where lines begin, `end` the other. */
  readonly place?: "middle" | "wide" | "top" | "start" | "end";
  readonly children: ReactNode;
}

/** Those in a dialog who ask before it is left by Escape, a click beside or its cross. */
export const Leaving = createContext<Set<Asks> | null>(null);

/**
 * A dialog over the page, of the browser's own kind: the rest is inert, focus stays within and returns, Escape and a click beside leave, unless something in it asks first. `data-first` or
 * `data-autofocus` says where the focus goes.
 *
 * @example
 * const modal = <Modal title="Rename" closeName="Close" onClose={() => console.log("closed")}>Name</Modal>;
 * console.log(modal.type);
 */
export function Modal({ title, closeName, onClose, place = "middle", children }: ModalProps): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const [asking] = useState(() => new Set<Asks>());
  const leave = onClose && (() => [...asking].some((asks) => asks(onClose)) || onClose());
  const name = useId();
  const layer = `${name}-layer`;
  // By its name: dialogs may stand in each other, and Mantine merges what themes hold member by member.
  const theme = useMemo(() => ({ components: { Portal: { defaultProps: { target: `#${layer}` } } } }), [layer]);
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return undefined;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    putOver(document, dialog);
    dialog.querySelector<HTMLElement>("[data-first], [data-autofocus]")?.focus();
    const { classList } = document.documentElement;
    if (window.innerWidth > document.documentElement.clientWidth) classList.add("ui-gutter");
    classList.add("ui-locked");
    return () => {
      dialog.close();
      putOver(dialog, [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body);
      // Dialogs may stand on each other; the last one unlocks.
      if (!document.querySelector("dialog[open]")) classList.remove("ui-locked", "ui-gutter");
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const press = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === "Tab") stay(event, element.current);
    // Not left to the browser, which closes at the second time whatever it is told. Menus in it have an Escape of their own.
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (event.target instanceof Element && !event.target.closest("[data-mantine-stop-propagation=true]")) leave?.();
  };
  return (
    <dialog
      ref={element}
      aria-modal="true"
      aria-labelledby={name}
      className={classes["modal"]}
      data-place={place}
      onKeyDown={press}
      onCancel={(event) => (event.preventDefault(), leave?.())}
      // The focus stays where a question puts it.
      onMouseDown={(event) => event.target === element.current && (event.preventDefault(), leave?.())}
    >
      <div className={classes["inside"]}>
        <header className={place === "top" ? "ui-hidden" : classes["head"]}>
          <h2 id={name}>
            <bdi>{title}</bdi>
          </h2>
          {leave && place !== "top" && (
            <button type="button" className={classes["cross"]} aria-label={closeName} onClick={leave}>
              <X size={18} aria-hidden />
            </button>
          )}
        </header>
        <MantineThemeProvider theme={theme}>
          <Leaving value={asking}>{children}</Leaving>
        </MantineThemeProvider>
      </div>
      {/* What is outside is inert: menus of what is in it open here. */}
      <div id={layer} />
    </dialog>
  );
}

/** What is told stands over the uppermost dialog, where it is neither dimmed nor inert: in it. */
function putOver(from: ParentNode, to: Element): void {
  const told = from.querySelector("[data-over]");
  if (told) to.append(told);
}

/** Tab goes round; the browser's own way leads out of the page. */
function stay(event: KeyboardEvent, dialog: HTMLDialogElement | null): void {
  const all = [
    ...(dialog?.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary, [tabindex='0']") ?? []),
  ].filter((each) => each.tabIndex >= 0 && !each.matches(":disabled") && each.checkVisibility());
  const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
  if (document.activeElement !== from && all.length) return;
  event.preventDefault();
  to?.focus();
}
