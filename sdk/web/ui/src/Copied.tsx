import { ActionIcon } from "@mantine/core";
import { Check, Copy, ExternalLink } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { useUi } from "./ui.tsx";
import classes from "./page.module.css";

/**
 * A text to copy: a code, a line of a program, or, as `link`, an address that can be opened, too. `label` says what it is.
 *
 * @example
 * const code = <Copied text="portico-verify=4f2a" label="Record" />;
 * console.log(code.type);
 */
export function Copied({ text, label, link = false }: { text: string; label: string; link?: boolean }): ReactNode {
  const { say } = useUi();
  const [done, setDone] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const copy = () => void copyText(text, place.current?.firstElementChild ?? null).then(setDone);
  return (
    <span ref={place} className={classes["copied"]}>
      {link ? (
        <a href={text} target="_blank" rel="noopener">
          {text.replace(/^https?:\/\//, "")}
          <ExternalLink size={14} aria-label={say("act.newTab")} />
        </a>
      ) : (
        <code tabIndex={0} role="textbox" aria-readonly="true" aria-label={label}>
          {text}
        </code>
      )}
      <ActionIcon aria-label={say(done ? "act.copied" : "act.copy", { what: label })} onClick={copy}>
        {done ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      </ActionIcon>
    </span>
  );
}

/**
 * Copies a text, and tells whether it did. Where the browser does not let the page, as on plain http, what shows the text is selected, to be copied by hand.
 *
 * @example
 * const copy = async (): Promise<void> => console.log(await copyText("portico-verify=4f2a", document.querySelector("pre")));
 * console.log(typeof copy);
 */
export async function copyText(text: string, shown: Element | null): Promise<boolean> {
  const done = await Promise.resolve(navigator.clipboard?.writeText(text).then(() => true)).catch(() => false);
  if (!done && shown) getSelection()?.selectAllChildren(shown);
  return done ?? false;
}
