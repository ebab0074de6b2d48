import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { ConflictDialog, Markdown, problemOf, readDraft, useRequestKey, useUi, writeDraft } from "@portico/ui";
import { useEffect, useId, useRef, useState } from "react";
import { useCrm, whole, type Note } from "../service.ts";
import classes from "./contact.module.css";

const mostCharacters = 20_000;

/** What stood there when somebody began to write. */
interface Seen {
  readonly body: string;
  readonly version: number;
}

const seenOf = (note: Note | undefined): Seen => ({ body: note?.body ?? "", version: note?.version ?? 0 });

/** Writes a note, or changes one. What is typed is kept in this tab until the server has it; a note that others have changed meanwhile is asked about. */
export function Composer({
  contactId,
  note,
  onSaved,
  onCancel,
}: {
  contactId: string;
  note?: Note;
  onSaved: () => void;
  onCancel?: () => void;
}) {
  const { t, number } = useTexts();
  const { address, sentence } = useUi();
  const api = useCrm();
  const draft = `note:${note?.noteId ?? contactId}`;
  const [kept] = useState(() => readDraft(draft) as { body?: string; seen?: Seen } | undefined);
  const [body, setBody] = useState(() => String(kept?.body ?? note?.body ?? ""));
  const [seen, setSeen] = useState(() => kept?.seen ?? seenOf(note));
  const [theirs, setTheirs] = useState<Note | null>(null);
  const [looking, setLooking] = useState(false);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<{ text: string; request: string } | null>(null);
  const hint = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const key = useRequestKey();
  const dirty = body !== seen.body;
  const length = [...body].length;
  const now = useRef(body);
  now.current = body;

  useEffect(() => {
    if (note) field.current?.focus();
  }, []);
  useEffect(() => {
    writeDraft(draft, dirty ? { body, seen } : undefined);
  }, [draft, body, seen, dirty]);
  // The draft is found again, so leaving the page needs no question; closing the tab would lose it.
  useEffect(() => {
    if (!dirty) return undefined;
    return address.guard(() => false);
  }, [dirty, address]);

  /** The note as it is now; null where others have written in it, too, which is asked about. */
  const put = async ({ noteId }: Note, over: Seen): Promise<Note | null> => {
    const path = { contactId, noteId };
    try {
      return await whole(api.put("/api/contacts/{contactId}/notes/{noteId}", { path, body: { body }, version: over.version }));
    } catch (error) {
      if (problemOf(error).code !== "version_conflict") throw error;
      const there = await whole(api.get("/api/contacts/{contactId}/notes/{noteId}", { path }));
      if (there.body === over.body || there.body === body) return put(there, seenOf(there));
      setTheirs(there);
      return null;
    }
  };
  const save = async (over = seen) => {
    if (sending || !body.trim() || length > mostCharacters) return;
    setSending(true);
    setProblem(null);
    try {
      const written = note
        ? await put(note, over)
        : await api.post("/api/contacts/{id}/notes", {
            path: { id: contactId },
            body: { body, format: "markdown" },
            idempotencyKey: key.of(body),
          });
      if (!written) return;
      if (readDraft(draft)?.["body"] === body) writeDraft(draft, undefined);
      setLooking(false);
      // Who has written on meanwhile goes on writing.
      if (!note) setBody((typed) => (typed.startsWith(body) ? typed.slice(body.length).trimStart() : typed));
      else if (now.current !== body) return setSeen(seenOf(written as Note));
      onSaved();
    } catch (error) {
      const refusal = problemOf(error);
      key.refused(refusal);
      setProblem({ text: refusal.errors[0]?.message ?? sentence(error), request: refusal.requestId });
    } finally {
      setSending(false);
    }
  };
  const discard = () => {
    writeDraft(draft, undefined);
    onCancel?.();
  };
  const choose = (mine: ReadonlySet<string>) => {
    if (!theirs) return;
    setTheirs(null);
    if (!mine.size) {
      writeDraft(draft, undefined);
      return onSaved();
    }
    setSeen(seenOf(theirs));
    void save(seenOf(theirs));
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
            <Button size="compact-sm" onClick={discard}>
              {t("act.cancel")}
            </Button>
          )}
          <Button type="submit" size="compact-sm" variant="filled" loading={sending} disabled={!body.trim() || length > mostCharacters}>
            {t(note ? "act.save" : "note.add")}
          </Button>
        </footer>
      )}
      <ConflictDialog
        conflicts={theirs ? [{ field: "body", label: t("note.one"), before: seen.body, theirs: theirs.body, mine: body }] : []}
        onChoose={choose}
        onClose={() => setTheirs(null)}
      />
    </form>
  );
}
