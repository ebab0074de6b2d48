import { useWaited } from "@portico/ui";
import { useTexts } from "./core.tsx";
import styles from "./splash.module.css";

/** While nothing is known yet: nothing for 150 ms, then a mark, after 10 s a sentence and a way on. */
export function Splash({ unreachable = false }: { unreachable?: boolean }) {
  const { t } = useTexts();
  const stage = useWaited();
  if (stage === "short") return null;
  return (
    <main className={styles.splash} aria-busy={!unreachable}>
      <span className={styles.mark} aria-hidden />
      <p role="status">{unreachable ? t("shell.unreachable") : t(stage === "seen" ? "shell.loading" : "shell.slow")}</p>
      {(unreachable || stage === "long") && (
        <button type="button" className="p-button p-quiet" onClick={() => location.reload()}>
          {t("shell.tryAgain")}
        </button>
      )}
    </main>
  );
}
