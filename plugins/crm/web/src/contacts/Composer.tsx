import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Markdown, problemOf, readDraft, useRequestKey, useUi, writeDraft } from "@portico/ui";
import { useEffect, useId, useRef, useState } from "react";
import { useCrm, type Note } from "../service.ts";
import classes from "./contact.module.css";

const mostCharacters = 20_000;

/** Writes a note, or changes one. What is typed is kept in this tab until the server has it. */
export function Composer({ contactId, note, onSaved, onCancel }: { contactId: string; note?: Note; onSaved: () => void; onCancel?: () => void }) {
  const { t, number } = useTexts();
  const { address, sentence } = useUi();
  const api = useCrm();
  const draft = `note:${note?.noteId ?? contactId}`;
  const [body, setBody] = useState(() => String(readDraft(draft)?.["body"] ?? note?.body ?? ""));
  const [looking, setLooking] = useState(false);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<{ text: string; request: string } | null>(null);
  const hint = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const key = useRequestKey();
  const dirty = body !== (note?.body ?? "");
  const length = [...body].length;

  useEffect(() => {
    if (note) field.current?.focus();
  }, [note]);
  useEffect(() => {
    writeDraft(draft, dirty ? { body } : undefined);
  }, [draft, body, dirty]);
  // The draft is found again, so leaving the page needs no question; closing the tab would lose it.
  useEffect(() => {
    if (!dirty) return undefined;
    return address.guard(() => false);
  }, [dirty, address]);

  const save = async () => {
    if (sending || !body.trim() || length > mostCharacters) return;
    setSending(true);
    setProblem(null);
    try {
      if (note) await api.put("/api/contacts/{contactId}/notes/{noteId}", { path: { contactId, noteId: note.noteId }, body: { body }, version: note.version });
      else await api.post("/api/contacts/{id}/notes", { path: { id: contactId }, body: { body, format: "markdown" }, idempotencyKey: key.of(body) });
      writeDraft(draft, undefined);
      if (!note) setBody("");
      setLooking(false);
      onSaved();
    } catch (error) {
      const refusal = problemOf(error);
      key.refused(refusal);
      setProblem({ text: refusal.errors[0]?.message ?? sentence(error), request: refusal.requestId });
    } finally {
      setSending(false);
    }
  };

  return (
    <form
      className={classes["composer"]}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {looking ? (
        <div className={classes["body"]}>
          <Markdown>{body}</Markdown>
        </div>
      ) : (
        <textarea
          ref={field}
          value={body}
          aria-label={t("note.text")}
          aria-describedby={hint}
          placeholder={t("note.placeholder")}
          onChange={(event) => setBody(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void save();
            } else if (event.key === "Escape" && onCancel && !dirty) onCancel();
          }}
        />
      )}
      {problem && (
        <p role="alert" style={{ margin: 0, color: "var(--portico-danger)" }}>
          {problem.text} <code>{problem.request}</code>
        </p>
      )}
      {(dirty || note) && (
        <footer>
          <small id={hint}>{length > mostCharacters ? t("note.tooLong", { most: number(mostCharacters) }) : t("note.hint")}</small>
          <Button size="compact-sm" variant="subtle" onClick={() => setLooking(!looking)}>
            {t(looking ? "note.write" : "note.look")}
          </Button>
          {onCancel && (
            <Button
              size="compact-sm"
              onClick={() => {
                writeDraft(draft, undefined);
                onCancel();
              }}
            >
              {t("act.cancel")}
            </Button>
          )}
          <Button type="submit" size="compact-sm" variant="filled" loading={sending} disabled={!body.trim() || length > mostCharacters}>
            {t(note ? "act.save" : "note.add")}
          </Button>
        </footer>
      )}
    </form>
  );
}
