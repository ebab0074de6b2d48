import { ActionIcon } from "@mantine/core";
import { Check, Copy, ExternalLink } from "lucide-react";
import { useState, type ReactNode } from "react";
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
  const copy = () => void navigator.clipboard.writeText(text).then(() => setDone(true), () => undefined);
  return (
    <span className={classes["copied"]}>
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
