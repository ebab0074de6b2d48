import { useEffect, useId, useRef, useState, type KeyboardEvent as Press } from "react";
import { Search } from "lucide-react";
import { useUi } from "@portico/ui";
import { commands, keysOpen, named, paletteOpen, type Command } from "./commands.ts";
import { useCan, useShell, useTexts } from "./core.tsx";
import { Dialog } from "./dialog.tsx";
import { matches } from "./matches.ts";
import { navigate } from "./router.tsx";
import { useStore } from "./store.ts";
import styles from "./palette.module.css";

const searchMilliseconds = 150;

/** All that can be done and gone to, by a few letters. */
export default function Palette() {
  const { t } = useTexts();
  const all = useStore(commands).toReversed().flat();
  const [text, setText] = useState("");
  const found = useRecords(text.trim());
  const [at, setAt] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const close = () => paletteOpen.set(false);

  useEffect(() => setAt(0), [text]);

  const entries = [...matches(all, text), ...(found ?? [])].slice(0, 60);

  const run = (entry: Command | undefined) => {
    if (!entry) return;
    close();
    // After the focus is back where it was, so that a dialog that this opens returns it there.
    setTimeout(entry.run);
  };
  const keys = (event: Press) => {
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 };
    if (event.key === "Enter") run(entries[at]);
    else if (to[event.key] !== undefined && entries.length) {
      const next = ((to[event.key] ?? 0) + entries.length) % entries.length;
      setAt(next);
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: "nearest" });
    } else return;
    event.preventDefault();
  };

  return (
    <Dialog title={t("palette.title")} place="top" onClose={close}>
      <div className={styles["field"]}>
        <Search size={18} aria-hidden />
        <input
          ref={field}
          data-first
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={entries[at] ? `${list}-${at}` : undefined}
          aria-label={t("palette.label")}
          placeholder={t("palette.placeholder")}
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={keys}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <ul id={list} role="listbox" aria-label={t("palette.title")} className={styles["list"]}>
        {entries.map((each, index) => {
          const group = each.group ?? t("palette.here");
          const before = index > 0 ? (entries[index - 1]?.group ?? t("palette.here")) : "";
          return (
            <li key={`${each.id}-${index}`} role="presentation">
              {group !== before && (
                <div className={styles["group"]} aria-hidden>
                  {group}
                </div>
              )}
              <div
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === at}
                className={styles["entry"]}
                onMouseMove={() => setAt(index)}
                onClick={() => run(each)}
              >
                {each.icon ? <each.icon size={16} aria-hidden /> : <span className={styles["noIcon"]} />}
                <bdi>{each.label}</bdi>
                {each.key && <kbd>{each.key.toUpperCase()}</kbd>}
              </div>
            </li>
          );
        })}
      </ul>
      {entries.length === 0 && found && <p className={styles["nothing"]}>{t("palette.nothing", { text })}</p>}
      <p className="ui-hidden" role="status">
        {t("palette.found", { count: entries.length })}
      </p>
    </Dialog>
  );
}

/** The records that the app finds by a text; null until it is known. */
function useRecords(text: string): readonly Command[] | null {
  const { search } = useShell().app;
  const { t } = useTexts();
  const { send } = useUi();
  const wanted = useCan(search?.permission) && text.length >= 2 ? search : undefined;
  const [found, setFound] = useState<readonly Command[] | null>(null);
  useEffect(() => {
    setFound(wanted ? null : []);
    if (!wanted) return undefined;
    const { label, icon } = wanted;
    const stop = new AbortController();
    const show = (all: readonly Command[]) => stop.signal.aborted || setFound(all);
    const timer = setTimeout(
      () =>
        void wanted.find(text, send, stop.signal).then(
          (all) =>
            show(
              all.map((each) => ({
                id: each.path,
                label: each.label,
                group: t(label),
                ...(icon && { icon }),
                run: () => navigate(each.path),
              })),
            ),
          () => show([]),
        ),
      searchMilliseconds,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, wanted, send, t]);
  return found;
}

/** All keys that act here. */
export function KeyOverlay() {
  const { t } = useTexts();
  const actions = useStore(commands)
    .flat()
    .flatMap(({ key, label }) => (key ? [[key, label] as const] : []));
  // As with the keys themselves, what came first has it.
  const names = useStore(named).toReversed();
  const seen = new Map([...names.flatMap((each) => Object.entries(each)), ...actions]);
  return (
    <Dialog title={t("keys.title")} onClose={() => keysOpen.set(false)}>
      <dl className={styles["keys"]}>
        {[...seen].map(([key, label]) => (
          <div key={key}>
            <dt>
              <kbd>{key.length === 1 ? key.toUpperCase() : key}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
        {(["palette", "walk", "open", "save"] as const).map((each) => (
          <div key={each}>
            <dt>
              <kbd>{t(`keys.${each}.keys`)}</kbd>
            </dt>
            <dd>{t(`keys.${each}`)}</dd>
          </div>
        ))}
      </dl>
      <p className={styles["note"]}>{t("keys.note")}</p>
    </Dialog>
  );
}
