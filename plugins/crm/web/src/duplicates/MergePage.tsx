import { Link, navigate, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Empty, Failed, Note, Page, problemOf, Text, useUi, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Merge as MergeIcon } from "lucide-react";
import { useMemo, useState } from "react";
import { useCrm, useCustomFields, usePeople, whole, type Contact, type Whole } from "../service.ts";
import type { components } from "../api.d.ts";
import classes from "./duplicates.module.css";
import page from "@portico/ui/page.module.css";

type Preview = Whole<components["schemas"]["MergeResult"]>;

const single = [
  "displayName",
  "firstName",
  "middleName",
  "lastName",
  "companyName",
  "jobTitle",
  "department",
  "birthday",
  "ownerUserId",
  "lifecycle",
] as const;
const lists = ["emails", "phones", "addresses", "tags", "websites"] as const;
const [fewest, most] = [2, 11];

/** Two to eleven contacts side by side: which stays, and whose value for each field. What the result lacks is named before anything is done. */
export default function MergePage() {
  const { t } = useTexts();
  const api = useCrm();
  const [asked] = useAddressQuery("ids");
  const ids = useMemo(() => [...new Set((asked ?? "").split(",").filter(Boolean))], [asked]);
  const contacts = useQuery({
    queryKey: ["/api/contacts", "merge", ids.join()],
    enabled: ids.length >= fewest && ids.length <= most,
    queryFn: ({ signal }) =>
      Promise.all(ids.map((id) => whole(api.get("/api/contacts/{id}", { path: { id }, signal })))) as Promise<Contact[]>,
  });
  if (ids.length < fewest || ids.length > most)
    return (
      <Page title={t("merge.title")}>
        <Empty
          icon={MergeIcon}
          title={t("merge.howMany")}
          action={
            <Button component={Link} to="/contacts/duplicates">
              {t("duplicates.title")}
            </Button>
          }
        />
      </Page>
    );
  return (
    <Page title={t("merge.title")} wide>
      {contacts.error ? (
        <Failed error={contacts.error} retry={() => void contacts.refetch()} />
      ) : contacts.data ? (
        <Compare contacts={contacts.data} />
      ) : (
        <Waiting skeleton={<Bones lines={8} />} />
      )}
    </Page>
  );
}

function Compare({ contacts }: { contacts: readonly Contact[] }) {
  const { t, dateTime, date } = useTexts();
  const { undo, sentence } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const people = usePeople();
  const fields = useCustomFields() ?? [];
  const [target, setTarget] = useState(contacts[0]?.id ?? "");
  const [prefer, setPrefer] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState("");
  const [working, setWorking] = useState(false);
  const sourceIds = contacts.map(({ id }) => id).filter((id) => id !== target);
  const body = { sourceIds, prefer: { ...prefer } };
  const preview = useQuery<Preview>({
    queryKey: ["/api/contacts", "mergePreview", target, body],
    placeholderData: (before) => before,
    queryFn: ({ signal }): Promise<Preview> =>
      whole(api.post("/api/contacts/{id}/merge", { path: { id: target }, body: { ...body, dryRun: true }, signal })),
  });
  const nameOf = (id: string) => contacts.find((each) => each.id === id)?.displayName ?? "";
  const labelOf = (field: string) => {
    const [member = "", key] = field.split(".");
    return member === "customFields"
      ? (fields.find((each) => each.key === key)?.label ?? key ?? "")
      : t(`contact.${member === "companyName" ? "company" : member === "ownerUserId" ? "owner" : member}`);
  };
  const words = (field: string, value: unknown): string => {
    if (value === null || value === undefined || value === "") return "";
    // Each apart: one that is written from right to left must not turn the others.
    if (Array.isArray(value))
      return value
        .map((each) => words(field, each))
        .filter(Boolean)
        .map((each) => `\u2068${each}\u2069`)
        .join(", ");
    if (field === "ownerUserId") return people.name(String(value));
    if (field === "lifecycle") return t(`lifecycle.${String(value)}`);
    if (field === "birthday") return date(String(value)) || String(value);
    if (typeof value !== "object") return String(value);
    const { address, number, street, postalCode, city, country, value: profile, id } = value as Record<string, string | undefined>;
    return [address ?? number ?? profile ?? id, street, postalCode, city, country].filter(Boolean).join(", ") || JSON.stringify(value);
  };
  const differing = single.filter((field) => new Set(contacts.map((each) => words(field, each[field])).filter(Boolean)).size > 0);
  const merge = async () => {
    setWorking(true);
    setProblem("");
    try {
      const done = await whole(api.post("/api/contacts/{id}/merge", { path: { id: target }, body: { ...body, dryRun: false } }));
      const reread = () =>
        ["/api/contacts", "/api/contacts/merges", "/api/contacts/duplicates", "board"].forEach(
          (key) => void client.invalidateQueries({ queryKey: [key] }),
        );
      const mergeId = done.mergeId;
      if (mergeId)
        undo.push({
          text: t("merge.done", { count: contacts.length, name: done.contact.displayName }),
          until: Date.parse(done.undoUntil ?? ""),
          undo: () => api.post("/api/contacts/merges/{mergeId}/undo", { path: { mergeId } }).then(reread),
        });
      reread();
      navigate(`/contacts/${target}`, { replace: true });
    } catch (error) {
      setProblem([problemOf(error).errors[0]?.message ?? sentence(error), problemOf(error).requestId].filter(Boolean).join(" · "));
      setWorking(false);
    }
  };
  return (
    <>
      <Card title={t("merge.choose")}>
        <p className={page["muted"]}>{t("merge.chooseText")}</p>
        <div className={classes["scroll"]} tabIndex={0} role="group" aria-label={t("merge.choose")}>
          <table className={classes["compare"]}>
            <thead>
              <tr>
                <th scope="col">{t("merge.stays")}</th>
                {contacts.map((contact) => (
                  <th key={contact.id} scope="col">
                    <label>
                      <input type="radio" name="target" checked={target === contact.id} onChange={() => setTarget(contact.id)} />
                      <Text lines={2}>{contact.displayName}</Text>
                    </label>
                    <span className={`${page["muted"]} ${page["small"]}`}>{t("merge.since", { when: dateTime(contact.createdAt) })}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {differing.map((field) => (
                <tr key={field}>
                  <th scope="row">{labelOf(field)}</th>
                  {contacts.map((contact) => {
                    const value = words(field, contact[field]);
                    const won = words(field, preview.data?.contact[field]) === value;
                    return (
                      <td key={contact.id} data-won={won}>
                        {value ? (
                          <label>
                            <input
                              type="radio"
                              name={field}
                              checked={
                                prefer[field]
                                  ? prefer[field] === contact.id
                                  : won && contacts.find((each) => words(field, each[field]) === value)?.id === contact.id
                              }
                              onChange={() => setPrefer({ ...prefer, [field]: contact.id })}
                            />
                            <Text lines={3}>{value}</Text>
                          </label>
                        ) : (
                          "–"
                        )}
                      </td>
                    );
                  })}
                </tr>
              ))}
              {lists.map((field) => (
                <tr key={field}>
                  <th scope="row">{t(`contact.${field}`)}</th>
                  {contacts.map((contact) => (
                    <td key={contact.id}>{words(field, contact[field]) ? <Text lines={0}>{words(field, contact[field])}</Text> : "–"}</td>
                  ))}
                </tr>
              ))}
              <tr>
                <th scope="row">{t("merge.movesAlong")}</th>
                {contacts.map(({ id, counts }) => (
                  <td key={id}>{t("merge.counts", { notes: counts?.notes ?? 0, files: counts?.attachments ?? 0 })}</td>
                ))}
              </tr>
            </tbody>
          </table>
        </div>
      </Card>
      <Card title={t("merge.leftOut")}>
        {preview.error ? (
          <Failed error={preview.error} retry={() => void preview.refetch()} />
        ) : !preview.data ? (
          <Waiting skeleton={<Bones lines={2} />} />
        ) : preview.data.leftOut.length === 0 ? (
          <p>{t("merge.nothingLeftOut")}</p>
        ) : (
          <ul>
            {preview.data.leftOut.map((each, at) => (
              <li key={at}>
                {labelOf(each.field)}:{" "}
                <strong>
                  <bdi>{words(each.field, each.value)}</bdi>
                </strong>{" "}
                <span className={page["muted"]}>{t(`merge.reason.${each.reason}`, { name: nameOf(each.contactId) })}</span>
              </li>
            ))}
          </ul>
        )}
        {problem && (
          <Note kind="bad" alert>
            {problem}
          </Note>
        )}
        <div className={page["row"]}>
          <Button
            variant="filled"
            loading={working}
            disabled={!preview.data || preview.isPlaceholderData || preview.isError}
            onClick={() => void merge()}
          >
            {t("merge.act", { count: contacts.length })}
          </Button>
          <span className={`${page["muted"]} ${page["small"]}`}>{t("merge.undoHint")}</span>
        </div>
      </Card>
    </>
  );
}
