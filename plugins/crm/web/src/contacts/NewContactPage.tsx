import { Link, navigate, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Problem } from "@portico/api";
import { Button } from "@mantine/core";
import { Dialog, type Field, Form, Page, type Schema, useUi } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { lifecycles, useCrm, usePeople, useTags, whole, type Contact } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface Values {
  firstName: string;
  lastName: string;
  companyName: string;
  jobTitle: string;
  email: string;
  phone: string;
  tags: string[];
  ownerUserId: string | null;
  lifecycle: string;
}

interface Alike {
  readonly id: string;
  readonly displayName: string;
  readonly matchedOn: readonly string[];
}

const empty: Values = {
  firstName: "",
  lastName: "",
  companyName: "",
  jobTitle: "",
  email: "",
  phone: "",
  tags: [],
  ownerUserId: null,
  lifecycle: "lead",
};
const schema: Schema = {
  properties: {
    firstName: { type: "string", maxLength: 100 },
    lastName: { type: "string", maxLength: 100 },
    companyName: { type: "string", maxLength: 200 },
    jobTitle: { type: "string", maxLength: 150 },
    email: { type: "string", format: "email", maxLength: 254 },
    phone: { type: "string", maxLength: 40 },
    tags: { type: "array", maxItems: 50, items: { type: "string", maxLength: 50 } },
  },
};

/** A new contact. Where there may be one already, that is said before anything is written. */
export default function NewContactPage() {
  const { t } = useTexts();
  const { undo, notices, sentence } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const tags = useTags();
  const people = usePeople();
  const [pipelineId] = useAddressQuery("pipelineId");
  const [stageId] = useAddressQuery("stageId");
  const [alike, setAlike] = useState<{ list: readonly Alike[]; answer: (create: boolean) => void } | null>(null);

  const fields: Field<keyof Values>[] = [
    { name: "firstName", label: t("contact.firstName"), autoComplete: "off" },
    { name: "lastName", label: t("contact.lastName"), autoComplete: "off" },
    { name: "companyName", label: t("contact.company"), autoComplete: "off" },
    { name: "jobTitle", label: t("contact.jobTitle"), autoComplete: "off" },
    { name: "email", label: t("contact.email"), kind: "email" },
    { name: "phone", label: t("contact.phone"), kind: "tel" },
    { name: "tags", label: t("contact.tags"), kind: "tags", options: (tags ?? []).map(({ name }) => ({ value: name, label: name })) },
    { name: "ownerUserId", label: t("contact.owner"), kind: "choice", options: people.list },
    {
      name: "lifecycle",
      label: t("contact.lifecycle"),
      kind: "choice",
      options: lifecycles.map((value) => ({ value, label: t(`lifecycle.${value}`) })),
    },
  ];

  const submit = async ({ email, phone, lifecycle, ...values }: Values, key: string) => {
    const body = {
      ...values,
      lifecycle: lifecycles.find((each) => each === lifecycle) ?? "lead",
      emails: email ? [{ address: email }] : [],
      phones: phone ? [{ number: phone }] : [],
    };
    const create = (onDuplicate: "allow" | "reject") =>
      whole(api.post("/api/contacts", { body, query: { onDuplicate }, idempotencyKey: `${key}-${onDuplicate}` }));
    const made = await create("reject").catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== "duplicate_contact") throw atFields(error);
      return new Promise<boolean>((answer) => setAlike({ list: alikeOf(error), answer })).then((go) => (go ? create("allow") : null));
    });
    setAlike(null);
    if (!made) return;
    const board = pipelineId && stageId ? `/pipeline/${pipelineId}` : null;
    // The contact is there: where the board refuses it, the page of the contact says in which stage it is.
    if (pipelineId && stageId)
      await api
        .put("/api/pipeline/{contactId}/move", { path: { contactId: made.id }, body: { pipelineId, stageId } })
        .catch((error: unknown) => notices.tell({ kind: "refused", text: sentence(error) }));
    void client.invalidateQueries({ queryKey: ["board"] });
    // As it was last seen here: what others have made of it since is not deleted.
    const version = () => client.getQueryData<Contact>(["/api/contacts", "record", `/api/contacts/${made.id}`])?.version ?? made.version;
    undo.push({
      text: t("contact.created", { name: made.displayName }),
      undo: () =>
        api
          .delete("/api/contacts/{id}", { path: { id: made.id }, version: version() })
          .then(() => client.invalidateQueries({ queryKey: ["/api/contacts"] })),
    });
    void client.invalidateQueries({ queryKey: ["/api/contacts"] });
    void client.invalidateQueries({ queryKey: ["/api/tags"] });
    navigate(board ?? `/contacts/${made.id}`, { replace: true, force: true });
  };

  return (
    <Page title={t("contact.create")}>
      <section className={`${page["card"]} ${classes["form"]}`}>
        <Form<Values>
          fields={fields}
          initial={empty}
          schema={schema}
          submit={submit}
          act={t("contact.createAct")}
          draft="contact:new"
          onCancel={() => navigate(pipelineId ? `/pipeline/${pipelineId}` : "/contacts")}
        />
      </section>
      <Dialog
        open={alike !== null}
        title={t("contact.alike")}
        onClose={() => alike?.answer(false)}
        actions={
          <>
            <Button onClick={() => alike?.answer(false)}>{t("contact.alikeBack")}</Button>
            <Button variant="filled" onClick={() => alike?.answer(true)}>
              {t("contact.alikeCreate")}
            </Button>
          </>
        }
      >
        <p className={page["muted"]}>{t("contact.alikeText")}</p>
        <ul className={page["plain"]}>
          {alike?.list.map(({ id, displayName, matchedOn }) => (
            <li key={id}>
              <Link className={classes["grow"]} to={`/contacts/${id}`}>
                <bdi>{displayName}</bdi>
              </Link>
              <span className={page["muted"]}>{matchedOn.map((each) => t(`match.${each}`)).join(", ")}</span>
            </li>
          ))}
        </ul>
      </Dialog>
    </Page>
  );
}

/** The service has lists where the form has one field. */
const atFields = (error: unknown): unknown =>
  error instanceof Problem
    ? new Problem(error.code, error.status, {
        ...error,
        errors: error.errors.map((each) => ({ ...each, field: each.field.replace(/^(email|phone)s\b.*/, "$1") })),
      })
    : error;

/** The contacts that a refusal names. */
export function alikeOf({ details }: Problem): Alike[] {
  const list = details["possibleDuplicates"];
  return Array.isArray(list)
    ? list.filter((each): each is Alike => typeof each === "object" && each !== null && typeof (each as Alike).id === "string")
    : [];
}
