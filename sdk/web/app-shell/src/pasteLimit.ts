import { useEffect } from "react";
import { useTexts } from "./core.tsx";
import { tell } from "./toasts.tsx";

/** More than any field takes, and about what a browser takes into one at once without standing still. */
const mostCharacters = 200_000;

/** Ten megabytes that are pasted into a field by a slip of the hand would stop the page: they are not put in, and it is said. */
export function usePasteLimit(): void {
  const { t } = useTexts();
  useEffect(() => {
    const paste = (event: InputEvent) => {
      const count = event.data?.length ?? 0;
      if (count <= mostCharacters) return;
      event.preventDefault();
      tell({ kind: "refused", text: t("shell.tooLong", { count, most: mostCharacters }) });
    };
    addEventListener("beforeinput", paste);
    return () => removeEventListener("beforeinput", paste);
  }, [t]);
}
