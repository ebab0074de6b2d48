import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, type FormEvent } from "react";
import { useApi, useCommands, useTexts } from "@portico/app-shell";
import { useUi } from "@portico/ui";

interface Contact {
  id: string;
  displayName: string;
}
interface Paths {
  "/api/contacts": {
    get: {
      parameters: { query?: { include?: string } };
      responses: { 200: { content: { "application/json": { items: Contact[]; total?: number } } } };
    };
    post: {
      requestBody: { content: { "application/json": { firstName: string } } };
      responses: { 201: { content: { "application/json": Contact } } };
    };
  };
}

/** A page that reads, writes, and has something that is unsaved. */
export default function People() {
  const api = useApi<Paths>();
  const { t } = useTexts();
  const { notices, sentence, address } = useUi();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  const people = useQuery({
    queryKey: ["people"],
    queryFn: ({ signal }) => api.get("/api/contacts", { query: { include: "total" }, signal }),
  });
  useEffect(() => (note ? address.guard(() => false) : undefined), [address, note]);
  useCommands(
    useMemo(() => [{ id: "create", label: t("people.create"), key: "c", run: () => document.getElementById("name")?.focus() }], [t]),
  );
  const create = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await api.post("/api/contacts", { body: { firstName: name } });
      notices.tell({ kind: "done", text: name });
      await client.invalidateQueries();
    } catch (error) {
      notices.tell({ kind: "refused", text: sentence(error) });
    }
  };
  return (
    <>
      <h1>{t("people.title")}</h1>
      <p id="count">{people.data && t("people.count", { count: people.data.total ?? 0 })}</p>
      <form className="p-form" onSubmit={(event) => void create(event)}>
        <label className="p-field">
          {t("people.name")}
          <input id="name" required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="p-field">
          {t("people.note")}
          <input id="note" value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        <button className="p-button">{t("people.create")}</button>
      </form>
    </>
  );
}
