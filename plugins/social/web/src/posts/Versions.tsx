import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Note } from "@portico/ui";
import type { Draft } from "./draft.ts";
import classes from "../page.module.css";

/** Two versions of one post after another user or tab saved it: the user keeps one of them. */
export function Versions({
  mine,
  saved,
  busy,
  onMine,
  onSaved,
}: {
  mine: Draft;
  saved: Draft;
  busy: boolean;
  onMine: () => void;
  onSaved: () => void;
}) {
  const { t } = useTexts();
  return (
    <div className={classes["stack"]}>
      <Note kind="warn" alert>
        {t("versions.text")}
      </Note>
      <div className={classes["versions"]}>
        <Version title={t("versions.mine")} draft={mine} act={t("versions.keepMine")} busy={busy} onChoose={onMine} />
        <Version title={t("versions.saved")} draft={saved} act={t("versions.useSaved")} busy={busy} onChoose={onSaved} />
      </div>
    </div>
  );
}

function Version({ title, draft, act, busy, onChoose }: { title: string; draft: Draft; act: string; busy: boolean; onChoose: () => void }) {
  const { t } = useTexts();
  return (
    <Card title={title}>
      <div className={classes["stack"]}>
        <p className={classes["bubble"]} dir="auto">
          {draft.text || t("composer.empty")}
        </p>
        {draft.thread.map((part, at) => (
          <p key={at} className={classes["bubble"]} dir="auto">
            {part}
          </p>
        ))}
        {draft.linkUrl && <p className={classes["text"]}>{draft.linkUrl}</p>}
        <span>
          <Button disabled={busy} onClick={onChoose}>
            {act}
          </Button>
        </span>
      </div>
    </Card>
  );
}
