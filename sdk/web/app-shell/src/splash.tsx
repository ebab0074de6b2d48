import { useEffect, useState } from "react";
import { useTexts } from "./core.tsx";
import styles from "./splash.module.css";

/** While nothing is known yet: nothing for 150 ms, then a mark, after 10 s a sentence and a way on. */
export function Splash({ unreachable = false }: { unreachable?: boolean }) {
  const { t } = useTexts();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timers = [0.15, 10].map((after) => setTimeout(() => setSeconds(after), after * 1_000));
    return () => timers.forEach(clearTimeout);
  }, []);
  if (!seconds) return null;
  return (
    <main className={styles.splash} aria-busy={!unreachable}>
      <span className={styles.mark} aria-hidden />
      <p role="status">{unreachable ? t("shell.unreachable") : seconds < 10 ? t("shell.loading") : t("shell.slow")}</p>
      {(unreachable || seconds >= 10) && (
        <button type="button" className="p-button p-quiet" onClick={() => location.reload()}>{t("shell.tryAgain")}</button>
      )}
    </main>
  );
}
