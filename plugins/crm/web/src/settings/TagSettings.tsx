import { Link, useCan, useTexts } from "@portico/app-shell";
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { Card, Confirm, Dialog, Empty, Loaded, problemOf, readDraft, Text, useUi, writeDraft } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { Pencil, Tag as TagIcon, Trash2 } from "lucide-react";
import { useState } from "react";
import { useCrm, useReadTags, type Tag } from "../service.ts";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

/** The tags of the workspace, with how many contacts have them: rename, join with another, remove. */
export default function TagSettings() {
  return (
    <Loaded query={useReadTags()} lines={6}>
      {(tags) => <List tags={tags} />}
    </Loaded>
  );
}

function List({ tags }: { tags: readonly Tag[] }) {
  const { t } = useTexts();
  const mayWrite = useCan("tags:write");
  const api = useCrm();
  const client = useQueryClient();
  const { notices, sentence } = useUi();
  const [renamed, setRenamed] = useState<Tag | null>(null);
  const [removed, setRemoved] = useState<Tag | null>(null);
  const reread = () => ["/api/tags", "/api/contacts", "board"].forEach((key) => void client.invalidateQueries({ queryKey: [key] }));
  const remove = async ({ name }: Tag) => {
    setRemoved(null);
    try {
      await api.delete("/api/tags/{tag}", { path: { tag: name } });
    } catch (error) {
      notices.tell({ kind: "refused", text: sentence(error), requestId: problemOf(error).requestId });
    }
    reread();
  };
  return (
    <Card title={t("settings.tags")}>
      {tags.length === 0 ? (
        <Empty icon={TagIcon} title={t("tags.empty")} text={t("tags.emptyText")} />
      ) : (
        <ul className={page["plain"]}>
          {tags.map((tag) => (
            <li key={tag.name}>
              <span className={own["grow"]}>
                <Text>{tag.name}</Text>
              </span>
              <Link to={`/contacts?tag=${encodeURIComponent(tag.name)}`} className={page["small"]}>
                {t("contacts.count", { count: tag.contactCount })}
              </Link>
              {mayWrite && (
                <span className={own["acts"]}>
                  <ActionIcon
                    aria-label={t("tags.rename", { name: tag.name })}
                    title={t("tags.rename", { name: tag.name })}
                    onClick={() => setRenamed(tag)}
                  >
                    <Pencil size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={t("tags.remove", { name: tag.name })}
                    title={t("tags.remove", { name: tag.name })}
                    onClick={() => setRemoved(tag)}
                  >
                    <Trash2 size={16} aria-hidden />
                  </ActionIcon>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {renamed && <Rename tag={renamed} others={tags} onClose={() => setRenamed(null)} onDone={reread} />}
      <Confirm
        open={removed !== null}
        title={t("tags.removeTitle", { name: removed?.name ?? "" })}
        text={t("tags.removeText", { count: removed?.contactCount ?? 0 })}
        act={t("act.remove")}
        onClose={() => setRemoved(null)}
        onConfirm={() => removed && void remove(removed)}
      />
    </Card>
  );
}

function Rename({ tag, others, onClose, onDone }: { tag: Tag; others: readonly Tag[]; onClose: () => void; onDone: () => void }) {
  const { t } = useTexts();
  const { say, sentence } = useUi();
  const api = useCrm();
  const draft = `tag:${tag.name}`;
  const [name, setName] = useState(() => String(readDraft(draft)?.["name"] ?? tag.name));
  const [problem, setProblem] = useState("");
  const [saving, setSaving] = useState(false);
  const typed = name.trim();
  const joins = others.find((each) => each.name !== tag.name && each.name.toLocaleLowerCase() === typed.toLocaleLowerCase());
  const type = (to: string) => (setName(to), setProblem(""), writeDraft(draft, to === tag.name ? undefined : { name: to }));
  const save = async () => {
    if (saving) return undefined;
    if (!typed) return setProblem(say("form.required"));
    if (typed === tag.name) return onClose();
    setSaving(true);
    try {
      await api.put("/api/tags/{tag}", { path: { tag: tag.name }, body: { name: typed } });
      writeDraft(draft, undefined);
      onDone();
      onClose();
    } catch (error) {
      setProblem(problemOf(error).errors[0]?.message ?? sentence(error));
    } finally {
      setSaving(false);
    }
    return undefined;
  };
  return (
    <Dialog
      open
      title={t("tags.rename", { name: tag.name })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => (type(tag.name), onClose())}>{t("act.cancel")}</Button>
          <Button variant="filled" loading={saving} onClick={() => void save()}>
            {t(joins ? "tags.join" : "act.save")}
          </Button>
        </>
      }
    >
      <TextInput
        data-autofocus
        label={t("tags.name")}
        maxLength={50}
        value={name}
        error={problem}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && void save()}
      />
      {joins && <p>{t("tags.joins", { name: joins.name, count: joins.contactCount })}</p>}
    </Dialog>
  );
}
