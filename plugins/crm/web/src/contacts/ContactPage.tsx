import { Link, navigate, useCan, useCommands, useTexts, type PageProps } from "@portico/app-shell";
import { Problem } from "@portico/api";
import { Button } from "@mantine/core";
import {
  Bones,
  Card,
  Confirm,
  Empty,
  Facts,
  Failed,
  Fields,
  Mark,
  Neighbours,
  Note,
  Page,
  problemOf,
  type RecordField,
  type RecordState,
  type Schema,
  useDeed,
  useRecord,
  useUi,
  Waiting,
} from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCcw, Trash2, UserX } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { lifecycles, useCrm, useCustomFields, usePeople, useTags, whole, type Contact, type CustomField } from "../service.ts";
import { Addresses, Reach } from "./Lists.tsx";
import { Stages } from "./Stages.tsx";
import { Timeline } from "./Timeline.tsx";
import { contactSchema } from "./schema.ts";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";

export default function ContactPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  const { t } = useTexts();
  const mayWrite = useCan("contacts:write");
  const mayPurge = useCan("contacts:purge");
  const record = useRecord<Contact>(`/api/contacts/${encodeURIComponent(id)}`, { method: "PUT" });
  const contact = record.data;
  // Who it is comes first; what happened with them in the next paint.
  const more = useDeferredValue(contact !== undefined, false);
  const [purging, setPurging] = useState(false);
  const act = useContactActions();

  useCommands(
    useMemo(
      () =>
        mayWrite && contact
          ? [{ id: "contact.delete", label: t("contact.delete"), icon: Trash2, run: () => void act.remove(contact) }]
          : [],
      [mayWrite, contact?.id, t],
    ),
  );

  // There while the contact is read, too: keys that are quick lead on and back.
  const neighbours = <Neighbours path="/api/contacts" id={id} href={(other) => `/contacts/${other}`} />;
  if (!contact) {
    if (!record.error)
      return (
        <Page title={t("contact.one")} tools={neighbours}>
          <Waiting skeleton={<Bones lines={8} />} retry={record.retry} />
        </Page>
      );
    return (
      <Page title={t("contact.one")} tools={neighbours}>
        {problemOf(record.error).status === 404 ? (
          <Gone id={id} onRestored={record.retry} />
        ) : (
          <Failed error={record.error} retry={record.retry} />
        )}
      </Page>
    );
  }
  return (
    <Page
      wide
      title={<bdi>{contact.displayName}</bdi>}
      tools={
        <>
          {neighbours}
          {mayWrite && (
            <Button leftSection={<Trash2 size={16} aria-hidden />} onClick={() => void act.remove(contact)}>
              {t("contact.delete")}
            </Button>
          )}
        </>
      }
    >
      {record.error !== null && problemOf(record.error).status === 404 && <Gone id={id} onRestored={record.retry} />}
      <MaybeTwice contact={contact} />
      <div className={classes["columns"]}>
        <div className={classes["side"]}>
          <Details record={record} mayChange={mayWrite} />
          {more && <Stages contact={contact} onMoved={record.retry} />}
          {more && <CustomFields record={record} mayChange={mayWrite} />}
          {mayPurge && (
            <div>
              <Button color="red" variant="subtle" size="compact-sm" onClick={() => setPurging(true)}>
                {t("contact.purge")}
              </Button>
            </div>
          )}
        </div>
        {more && <Timeline contact={contact} onChanged={record.retry} />}
      </div>
      <Confirm
        open={purging}
        title={t("contact.purgeTitle")}
        text={t("contact.purgeText")}
        act={t("contact.purge")}
        typed={contact.displayName}
        onClose={() => setPurging(false)}
        onConfirm={() => (setPurging(false), void act.purge(contact))}
      />
    </Page>
  );
}

/** Deleting, which can be taken back for 30 days, and what cannot. */
function useContactActions() {
  const { t } = useTexts();
  const { undo } = useUi();
  const { run } = useDeed();
  const api = useCrm();
  const client = useQueryClient();
  const reread = () => client.invalidateQueries({ queryKey: ["/api/contacts"] });
  const leave = () => (navigate("/contacts"), void reread());
  return {
    remove: ({ id, version, displayName: name }: Contact) =>
      run(async () => {
        await api.delete("/api/contacts/{id}", { path: { id }, version });
        undo.push({
          text: t("contact.deleted", { name }),
          undo: () => api.post("/api/contacts/{id}/restore", { path: { id } }).then(reread),
        });
        leave();
      }),
    purge: ({ id, displayName: name }: Contact) =>
      run(() => api.delete("/api/contacts/{id}", { path: { id }, query: { permanent: true } }).then(leave), t("contact.purged", { name })),
  };
}

function Gone({ id, onRestored }: { id: string; onRestored: () => void }) {
  const { t } = useTexts();
  const { run } = useDeed();
  const mayWrite = useCan("contacts:write");
  const api = useCrm();
  const restore = () =>
    run(() =>
      api.post("/api/contacts/{id}/restore", { path: { id } }).then(onRestored, (error: unknown) => {
        throw problemOf(error).status === 404 ? new Problem("not_restorable", 404, { detail: t("contact.notRestorable") }) : error;
      }),
    );
  return (
    <Empty
      icon={UserX}
      title={t("contact.gone")}
      text={t("contact.goneText")}
      action={
        mayWrite && (
          // A field that is being typed into keeps the focus: leaving it would save what is not there yet.
          <Button
            leftSection={<RotateCcw size={16} aria-hidden />}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => void restore()}
          >
            {t("contact.restore")}
          </Button>
        )
      }
    />
  );
}

function Details({ record, mayChange }: { record: RecordState<Contact>; mayChange: boolean }) {
  const { t, dateTime } = useTexts();
  const people = usePeople();
  const tags = useTags();
  const contact = record.data;
  if (!contact) return null;
  const text = (name: keyof Contact & string): RecordField<Contact> => ({ name, label: t(`contact.${name}`) });
  const fields: RecordField<Contact>[] = [
    text("firstName"),
    text("lastName"),
    { name: "companyName", label: t("contact.company") },
    text("jobTitle"),
    text("department"),
    {
      name: "tags",
      label: t("contact.tags"),
      key: "t",
      kind: "tags",
      options: (tags ?? []).map(({ name }) => ({ value: name, label: name })),
    },
    {
      name: "ownerUserId",
      key: "o",
      label: t("contact.owner"),
      kind: "choice",
      options: people.list,
      show: ({ ownerUserId }) => <bdi>{people.name(ownerUserId)}</bdi>,
    },
    {
      name: "lifecycle",
      label: t("contact.lifecycle"),
      kind: "choice",
      options: lifecycles.map((value) => ({ value, label: t(`lifecycle.${value}`) })),
    },
    { name: "birthday", label: t("contact.birthday"), kind: contact.birthday?.startsWith("--") ? "text" : "date" },
  ];
  return (
    <Card title={t("contact.details")}>
      <Fields record={record} fields={fields} schema={contactSchema} mayChange={mayChange} />
      <Reach record={record} member="emails" mayChange={mayChange} />
      <Reach record={record} member="phones" mayChange={mayChange} />
      <Addresses record={record} mayChange={mayChange} />
      <DoNotContact record={record} mayChange={mayChange} />
      <details className={classes["group"]}>
        <summary>{t("contact.more")}</summary>
        <Fields
          record={{ ...record, conflicts: [] }}
          fields={["prefix", "middleName", "suffix", "nickname", "displayName"].map((name) => text(name as keyof Contact & string))}
          schema={contactSchema}
          mayChange={mayChange}
        />
        <Facts
          list={[
            [
              t("contact.source"),
              <>
                {t(`source.${contact.source ?? "manual"}`)} <bdi>{contact.sourceDetail}</bdi>
              </>,
            ],
            [t("contact.createdAt"), dateTime(contact.createdAt)],
            [t("contact.updatedAt"), dateTime(contact.updatedAt)],
          ]}
        />
      </details>
    </Card>
  );
}

function DoNotContact({ record, mayChange }: { record: RecordState<Contact>; mayChange: boolean }) {
  const { t } = useTexts();
  const { say } = useUi();
  const value = record.data?.doNotContact;
  if (!value) return null;
  return (
    <div role="group" aria-label={t("contact.doNotContact")} className={classes["group"]}>
      <div className={classes["groupHead"]}>
        <h3>{t("contact.doNotContact")}</h3>
      </div>
      <div className={page["row"]}>
        {(["email", "phone", "sms"] as const).map((each) => (
          <label key={each} className={page["check"]}>
            <input
              type="checkbox"
              checked={value[each]}
              disabled={!mayChange}
              onChange={(event) =>
                void record.save(
                  { doNotContact: { [each]: event.currentTarget.checked } as typeof value },
                  { doNotContact: `${t("contact.doNotContact")} (${t(`doNotContact.${each}`)})` },
                  { doNotContact: value },
                  (_, now) => say((now as typeof value)[each] ? "list.yes" : "list.no"),
                )
              }
            />
            {t(`doNotContact.${each}`)} <Mark state={record.pending.get(`doNotContact.${each}`)} />
          </label>
        ))}
      </div>
    </div>
  );
}

/** The workspace's own fields, as a record of their own whose changes are changes of one member of the contact. */
function CustomFields({ record, mayChange }: { record: RecordState<Contact>; mayChange: boolean }) {
  const { t } = useTexts();
  const defined = useCustomFields();
  const contact = record.data;
  if (!contact || !defined?.length) return null;
  type Values = { id: string; version: number } & Record<string, unknown>;
  const member = "customFields.";
  const state: RecordState<Values> = {
    ...record,
    // Asked about once, where the other fields are.
    conflicts: [],
    discard: (key) => record.discard(member + key),
    data: { ...contact.customFields, id: contact.id, version: contact.version },
    pending: new Map(
      [...record.pending].flatMap(([name, mark]) => (name.startsWith(member) ? [[name.slice(member.length), mark] as const] : [])),
    ),
    save: (change, labels, seen, read = (_, value) => String(value ?? "")) =>
      record.save(
        { customFields: change } as Partial<Contact>,
        {
          customFields: Object.keys(change)
            .map((key) => labels[key] ?? key)
            .join(", "),
        },
        { customFields: { ...contact.customFields, ...seen } } as Partial<Contact>,
        (_, values) =>
          Object.keys(change)
            .map((key) => read(key, (values as Record<string, unknown> | null)?.[key]))
            .join(", "),
      ),
  };
  return (
    <Card title={t("contact.customFields")}>
      <Fields<Values>
        record={state}
        fields={defined.map((each) => fieldOf(each, contact.customFields[each.key]))}
        schema={schemaOf(defined, contact.customFields)}
        mayChange={mayChange}
      />
    </Card>
  );
}

function fieldOf(
  { key, label, type, options }: CustomField,
  value: unknown,
): RecordField<{ id: string; version: number } & Record<string, unknown>> {
  const kinds = {
    text: "text",
    number: "number",
    date: "date",
    boolean: "yes",
    select: "choice",
    multi_select: "tags",
    url: "url",
  } as const;
  return { name: key, label, kind: kinds[type] ?? "text", options: withOld(options, value).map((each) => ({ value: each, label: each })) };
}

/** Options, and what a contact has of those that were taken away. */
const withOld = (options: readonly string[], value: unknown): string[] => [
  ...new Set([...options, ...[value].flat().filter((each) => typeof each === "string")]),
];

/** What the service refuses of the workspace's own fields, said at their place. */
function schemaOf(defined: readonly CustomField[], values: Readonly<Record<string, unknown>>): Schema {
  const rule = ({ key, type, options }: CustomField): Schema => {
    const known = { enum: withOld(options, values[key]) };
    return (
      {
        text: { type: "string", maxLength: 4000 },
        number: { type: "number" },
        date: { type: "string", format: "date" },
        boolean: { type: "boolean" },
        select: known,
        multi_select: { type: "array", items: known },
        url: { type: "string", format: "uri" },
      }[type] ?? {}
    );
  };
  return {
    required: defined.filter(({ required }) => required).map(({ key }) => key),
    properties: Object.fromEntries(defined.map((each) => [each.key, rule(each)])),
  };
}

/** A quiet line where somebody else may be the same person. */
function MaybeTwice({ contact }: { contact: Contact }) {
  const { t } = useTexts();
  const api = useCrm();
  const email = contact.emails.find((each) => each.primary)?.address;
  const alike = useQuery({
    queryKey: ["/api/contacts", "alike", contact.id, email],
    enabled: Boolean(email),
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (
        await whole(api.get("/api/contacts", { query: { email: email as string, fields: "displayName", limit: 3 } as never, signal }))
      ).items.filter(({ id }) => id !== contact.id),
  }).data;
  const other = alike?.[0];
  if (!other) return null;
  return (
    <Note>
      <p className={page["small"]}>
        {t("contact.maybeTwice")} <bdi>{other.displayName}</bdi>{" "}
        <Link to={`/contacts/merge?ids=${contact.id},${other.id}`}>{t("merge.compare")}</Link>
      </p>
    </Note>
  );
}
