import { Button, TextInput } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { Modal, type ModalProps } from "./Modal.tsx";
import { Text } from "./Text.tsx";
import { useUi } from "./ui.tsx";
import classes from "./dialogs.module.css";

/** Dialog and drawer: open or not, a title that names them, and how they are left (Escape, a click beside, the cross). */
export interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
  /** The buttons, the main one last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
}

/**
 * A question or a small piece of work in the middle of the page. The focus goes in, stays in, and returns to where it was.
 *
 * @example
 * const dialog = <Dialog open title="Rename" onClose={() => console.log("closed")}>Name</Dialog>;
 * console.log(dialog.type);
 */
export function Dialog({ wide = false, ...rest }: DialogProps): ReactNode {
  return <Opened place={wide ? "wide" : "middle"} {...rest} />;
}

/**
 * A piece of work at the side, with the page still in sight; at phone width the whole screen.
 *
 * @example
 * const side = <SidePanel open title="New contact" onClose={() => console.log("closed")}>…</SidePanel>;
 * console.log(side.type);
 */
export function SidePanel(props: DialogProps): ReactNode {
  return <Opened place="end" {...props} />;
}

function Opened({ open, title, onClose, children, actions, place }: DialogProps & Required<Pick<ModalProps, "place">>): ReactNode {
  const { say } = useUi();
  if (!open) return null;
  return (
    <Modal title={title} closeName={say("act.close")} onClose={onClose} place={place}>
      {children}
      {actions && <div className={classes["actions"]}>{actions}</div>}
    </Modal>
  );
}

/** A question before what cannot be undone. */
export interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  readonly text: ReactNode;
  /** The word on the button: what happens, as "Delete". */
  readonly act: string;
  /** The word on the button that leaves all as it is; "Cancel" unless said. */
  readonly keep?: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** A name that has to be typed before, for what takes much with it. */
  readonly typed?: string;
  /** The button is red (default: yes). */
  readonly danger?: boolean;
}

/**
 * Asks before something that cannot be undone; for everything else there is undo.
 *
 * @example
 * const sure = <Confirm open title="Delete the pipeline?" text="Its cards go, too." act="Delete" typed="Sales" onClose={() => {}} onConfirm={() => {}} />;
 * console.log(sure.type);
 */
export function Confirm({ open, title, text, act, keep, onClose, onConfirm, typed, danger = true }: ConfirmProps): ReactNode {
  const { say } = useUi();
  const [name, setName] = useState("");
  useEffect(() => setName(""), [open]);
  // As it is seen: spaces beside each other are one.
  const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
  const ready = typed === undefined || plain(name) === plain(typed);
  return (
    <Dialog
      open={open}
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button data-autofocus onClick={onClose}>
            {keep ?? say("act.cancel")}
          </Button>
          <Button variant="filled" {...(danger && { color: "red" })} disabled={!ready} onClick={onConfirm}>
            {act}
          </Button>
        </>
      }
    >
      <div className={classes["text"]}>{text}</div>
      {typed !== undefined && (
        <TextInput
          data-autofocus
          label={say("resource.delete.type", { name: typed })}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && ready && onConfirm()}
        />
      )}
    </Dialog>
  );
}

/**
 * A field that two people changed: its name and the three values, in words.
 *
 * @example
 * const conflict: Conflict = { field: "company", label: "Company", before: "Acme", theirs: "Globex", mine: "Initech" };
 * console.log(conflict.label);
 */
export interface Conflict {
  readonly field: string;
  readonly label: string;
  readonly before: string;
  readonly theirs: string;
  readonly mine: string;
}

/** The fields where mine is to win, by name; the others stay theirs. */
export type Choices = ReadonlySet<string>;

/**
 * Before, theirs and mine for each field that two people changed, and a choice for each. Closing it writes nothing.
 *
 * @example
 * const conflicts = [{ field: "company", label: "Company", before: "Acme", theirs: "Globex", mine: "Initech" }];
 * const dialog = <ConflictDialog conflicts={conflicts} onClose={() => {}} onChoose={(mine) => console.log(mine.has("company"))} />;
 * console.log(dialog.type);
 */
export function ConflictDialog({
  conflicts,
  onChoose,
  onClose,
}: {
  conflicts: readonly Conflict[];
  onChoose: (mine: Choices) => void;
  onClose: () => void;
}): ReactNode {
  const { say } = useUi();
  const [mine, setMine] = useState<Choices>(new Set());
  useEffect(() => setMine(new Set()), [conflicts.length > 0]);
  const choose = (field: string, isMine: boolean): void =>
    setMine(new Set(isMine ? [...mine, field] : [...mine].filter((each) => each !== field)));
  return (
    <Dialog
      wide
      open={conflicts.length > 0}
      title={say("conflict.title")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{say("act.cancel")}</Button>
          <Button variant="filled" onClick={() => onChoose(mine)}>
            {say("act.save")}
          </Button>
        </>
      }
    >
      <p className={classes["text"]}>{say("conflict.text")}</p>
      {conflicts.map(({ field, label, before, theirs, mine: own }) => (
        <fieldset key={field} className={classes["conflict"]}>
          <legend>{label}</legend>
          <div className={classes["before"]}>
            <span>{say("conflict.before")}</span>
            <Text lines={0}>{before || say("conflict.empty")}</Text>
          </div>
          {(
            [
              ["theirs", theirs, false],
              ["mine", own, true],
            ] as const
          ).map(([side, value, isMine]) => (
            <label key={side} className={classes["choice"]}>
              <input type="radio" name={`conflict-${field}`} checked={mine.has(field) === isMine} onChange={() => choose(field, isMine)} />
              <span>
                {say(`conflict.${side}`)}
                <Text lines={0}>{value || say("conflict.empty")}</Text>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
    </Dialog>
  );
}
