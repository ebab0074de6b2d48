import { useContext, useEffect, useRef, useState, type ReactNode } from "react";
import { Confirm } from "./dialogs.tsx";
import { Leaving } from "./Modal.tsx";
import { useUi } from "./ui.tsx";

/**
 * Asks before what is typed is left, while `when` is so: by another page, by closing the tab, and in a dialog by Escape, a click beside or its cross. `kept`: a draft is there again when the
 * dialog is, so that closing that does not ask. `words`: where something else would be lost.
 * `save` runs first: if it returns true, nothing is asked.
 *
 * @example
 * const asks = <Unsaved when onDiscard={() => console.log("discarded")} />;
 * console.log(asks.type);
 */
export function Unsaved({
  when,
  kept = false,
  onDiscard,
  words,
  save,
}: {
  when: boolean;
  kept?: boolean;
  onDiscard?: () => void;
  words?: { readonly title: string; readonly text: string; readonly act: string; readonly keep: string };
  save?: () => boolean;
}): ReactNode {
  const { say, address } = useUi();
  const dialog = useContext(Leaving);
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const saves = useRef(save);
  saves.current = save;
  useEffect(() => {
    if (!when) return undefined;
    const asks = (go: () => void): boolean => !saves.current?.() && (setLeave(() => go), true);
    if (!kept) dialog?.add(asks);
    const free = address.guard(asks);
    return () => (dialog?.delete(asks), free());
  }, [when, address, dialog, kept]);
  const discard = (): void => (onDiscard?.(), setLeave(null), leave?.());
  return (
    <Confirm
      open={leave !== null}
      title={say("form.leave")}
      text={say("form.leave.text")}
      act={say("act.discard")}
      keep={say("act.keep")}
      {...words}
      onClose={() => setLeave(null)}
      onConfirm={discard}
    />
  );
}
