import { useTexts } from "@portico/app-shell";
import { Note, Unsaved, useUi } from "@portico/ui";
import { Button, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import type { Collection, Remote } from "./calendars.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** What is read of an account and what is written to. */
export type Choice = Pick<Remote, "name" | "selectedCollections" | "busyKinds" | "writeTarget" | "direction">;

interface ChooseProps {
  readonly found: readonly Collection[];
  readonly initial: Choice;
  /** A feed is read only. */
  readonly writes: boolean;
  readonly act: string;
  readonly onSave: (choice: Choice) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** Which calendars of an account keep the host busy, by which events, and which one bookings are written to. */
export function Choose({ found, initial, writes, act, onSave, onCancel }: ChooseProps) {
  const { t } = useTexts();
  const { sentence } = useUi();
  const [choice, setChoice] = useState(initial);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const change = (part: Partial<Choice>) => (setProblem(""), setChoice((before) => ({ ...before, ...part })));
  const { selectedCollections: chosen, busyKinds } = choice;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen.length === 0) return setProblem(t("calendars.chooseOne"));
    setBusy(true);
    try {
      await onSave(choice);
    } catch (error) {
      setProblem(sentence(error));
      setBusy(false);
    }
  };
  return (
    <form className={classes["form"]} onSubmit={(event) => void save(event)}>
      <TextInput
        label={t("calendars.name")}
        description={t("calendars.nameHint")}
        value={choice.name}
        maxLength={120}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
      />
      {found.length > 1 && (
        <fieldset className={classes["choices"]}>
          <legend>{t("calendars.reads")}</legend>
          {found.map(({ name, url }) => (
            <label key={url} className={page["check"]}>
              <input
                type="checkbox"
                checked={chosen.includes(url)}
                onChange={({ currentTarget: { checked } }) =>
                  change({ selectedCollections: checked ? [...chosen, url] : chosen.filter((each) => each !== url) })
                }
              />
              <bdi>{name}</bdi>
            </label>
          ))}
        </fieldset>
      )}
      <fieldset className={classes["choices"]}>
        <legend>{t("calendars.also")}</legend>
        {(["tentative", "allDay"] as const).map((each) => (
          <label key={each} className={page["check"]}>
            <input
              type="checkbox"
              checked={busyKinds[each]}
              onChange={({ currentTarget: { checked } }) => change({ busyKinds: { ...busyKinds, [each]: checked } })}
            />
            {t(`calendars.${each}`)}
          </label>
        ))}
      </fieldset>
      {writes && (
        <Select
          label={t("calendars.writes")}
          description={t("calendars.writesHint")}
          data={[{ value: "-", label: t("calendars.writesNot") }, ...found.map(({ name, url }) => ({ value: url, label: name }))]}
          value={choice.writeTarget ?? "-"}
          allowDeselect={false}
          onChange={(value) =>
            change(
              value === null || value === "-"
                ? { writeTarget: null, direction: "busy_only" }
                : { writeTarget: value, direction: "busy_and_write" },
            )
          }
        />
      )}
      {problem && (
        <Note kind="bad" alert>
          {problem}
        </Note>
      )}
      <Unsaved when={!busy && JSON.stringify(choice) !== JSON.stringify(initial)} />
      <div className={classes["ends"]}>
        <Button onClick={onCancel}>{t("setup.back")}</Button>
        <Button type="submit" variant="filled" loading={busy}>
          {act}
        </Button>
      </div>
    </form>
  );
}
