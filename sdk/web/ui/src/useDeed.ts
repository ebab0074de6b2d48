import { useRef, useState } from "react";
import { problemOf } from "@portico/api";
import { useUi } from "./ui.tsx";

/**
 * Runs something that a button begins: once at a time; what is refused is told in a sentence, and `done` when it is done. `run` answers whether it was.
 *
 * @example
 * const Save = () => {
 *   const { busy, run } = useDeed();
 *   return <button disabled={busy} onClick={() => void run(() => Promise.resolve(), "Saved.")} />;
 * };
 * console.log(Save.name);
 */
export function useDeed(): { busy: boolean; run: (deed: () => Promise<unknown>, done?: string) => Promise<boolean> } {
  const { notices, sentence } = useUi();
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
      const { code, requestId } = problemOf(error);
      // Whoever has just said no to a question knows it.
      if (code !== "step_up_required") notices.tell({ kind: "refused", text: sentence(error), requestId });
      return false;
    } finally {
      now.current = false;
      setBusy(false);
    }
  };
  return { busy, run };
}
