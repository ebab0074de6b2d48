import { useEffect } from "react";
import { useTexts } from "./core.tsx";
import { tell } from "./toasts.tsx";

/** More than any field takes, and about what a browser takes into one at once without standing still. */
const mostCharacters = 200_000;

/** Slips of the hand that would stop the page or take it away: ten megabytes pasted into a field, a file that is dropped beside its place. */
export function useSlips(): void {
  const { t } = useTexts();
  useEffect(() => {
    const ended = new AbortController();
    const paste = (event: InputEvent) => {
      const count = event.data?.length ?? 0;
      if (count <= mostCharacters) return;
      event.preventDefault();
      tell({ kind: "refused", text: t("shell.tooLong", { count, most: mostCharacters }) });
    };
    const drag = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    addEventListener("beforeinput", paste, ended);
    addEventListener("dragover", drag, ended);
    return () => ended.abort();
  }, [t]);
}
