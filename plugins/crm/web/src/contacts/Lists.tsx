import { useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Dialog, Mark, Note, Text, readDraft, safeHref, useUi, writeDraft, type RecordState } from "@portico/ui";
import { Pencil, Trash2 } from "lucide-react";
import { useEffect, useId, useState, type ReactNode } from "react";
import type { Contact } from "../service.ts";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

type Address = Contact["addresses"][number];
const labels = ["work", "home", "mobile", "other"] as const;

/** What is saved of a group, and what to do with what was typed until the server has it. */
interface Editing<T> {
  readonly list: readonly T[];
  readonly onChange: (list: readonly T[]) => void;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** E-mails or phones: shown with the primary one first, edited together in a dialog. */
export function Reach({ record, member, mayChange }: { record: RecordState<Contact>; member: "emails" | "phones"; mayChange: boolean }) {
  const { t } = useTexts();
  const contact = record.data;
  if (!contact) return null;
  const value = (each: { address?: string; number?: string }) => each.address ?? each.number ?? "";
  const list = [...contact[member]].sort((a, b) => Number(b.primary) - Number(a.primary));
  const madeOf = (rows: readonly Row[]) => {
    const entries = rows.filter(({ text }) => text.trim()).map(({ text, ...rest }) => ({ text: text.trim(), ...rest }));
    return (member === "emails"
      ? { emails: entries.map(({ text, ...rest }) => ({ address: text, ...rest })) }
      : { phones: entries.map(({ text, ...rest }) => ({ number: text, ...rest })) }) as unknown as Partial<Contact>;
  };
  return (
    <Group<Row>
      title={t(`contact.${member}`)}
      record={record}
      member={member}
      mayChange={mayChange}
      rows={
        list.length
          ? list.map((each) => ({ text: value(each), label: each.label, primary: each.primary }))
          : [{ text: "", label: "work", primary: true }]
      }
      changeOf={madeOf}
      wordsOf={(each) => value(each as { address?: string; number?: string })}
      editor={(editing) => <RowsEditor kind={member} {...editing} />}
    >
      {list.map((each) => {
        const href = safeHref(
          member === "emails" ? `mailto:${value(each)}` : `tel:${("e164" in each && each.e164) || value(each).replace(/[^\d+]/g, "")}`,
        );
        return (
          <li key={value(each)}>
            {href ? (
              <a href={href}>
                <Text>{value(each)}</Text>
              </a>
            ) : (
              <Text>{value(each)}</Text>
            )}
            <small className={page["muted"]}>
              <bdi>{labels.some((known) => known === each.label) ? t(`label.${each.label}`) : each.label}</bdi>
              {each.primary && list.length > 1 && ` · ${t("contact.primary")}`}
            </small>
          </li>
        );
      })}
    </Group>
  );
}

const wordsOf = (each: Partial<Address>): string =>
  [each.street, each.street2, [each.postalCode, each.city].filter(Boolean).join(" "), each.region, each.country].filter(Boolean).join(", ");

export function Addresses({ record, mayChange }: { record: RecordState<Contact>; mayChange: boolean }) {
  const { t } = useTexts();
  const contact = record.data;
  if (!contact) return null;
  return (
    <Group<Address>
      title={t("contact.addresses")}
      record={record}
      member="addresses"
      mayChange={mayChange}
      rows={contact.addresses.length ? contact.addresses : [none]}
      changeOf={(list) => ({ addresses: list.filter((each) => parts.some((part) => each[part].trim())) })}
      wordsOf={wordsOf}
      editor={(editing) => <AddressEditor {...editing} />}
    >
      {contact.addresses.map((each, at) => (
        <li key={at}>
          <Text lines={0}>{wordsOf(each)}</Text>
        </li>
      ))}
    </Group>
  );
}

interface GroupProps<T> {
  readonly title: string;
  readonly record: RecordState<Contact>;
  readonly member: "emails" | "phones" | "addresses";
  readonly mayChange: boolean;
  readonly rows: readonly T[];
  readonly changeOf: (list: readonly T[]) => Partial<Contact>;
  readonly wordsOf: (entry: Partial<Address>) => string;
  readonly editor: (editing: Editing<T>) => ReactNode;
  readonly children: readonly ReactNode[];
}

/** A list of a contact. What is typed is kept in this tab until the server has it: left with Escape or refused, it is there again. */
function Group<T>({ title, record, member, mayChange, rows, changeOf, wordsOf, editor, children }: GroupProps<T>) {
  const { t } = useTexts();
  const { address, say } = useUi();
  const contact = record.data as Contact;
  const draft = `${member}:${contact.id}`;
  const [typed, setTyped] = useState<{ list: readonly T[]; seen: Partial<Contact> } | null>(null);
  const [kept, setKept] = useState<"" | "draft" | "refused">("");
  const open = () => {
    const before = readDraft(draft) as unknown as typeof typed | undefined;
    setKept(before ? "draft" : "");
    const next: NonNullable<typeof typed> = before ?? { list: rows, seen: { [member]: contact[member] } };
    const state = record.pending.get(member);
    // What is being saved is the user's own. The choice between two changes comes again where it was closed.
    setTyped(state && state !== "unsaved" ? { ...next, seen: {} } : next);
  };
  const close = () => setTyped(null);
  const dirty = typed !== null && JSON.stringify(typed.list) !== JSON.stringify(rows);
  // The draft is found again, so leaving the page needs no question; another workspace or closing the tab would lose it.
  useEffect(() => (dirty ? address.guard(() => false) : undefined), [dirty, address]);
  const editing = typed && {
    list: typed.list,
    onChange: (list: readonly T[]) => {
      setTyped({ ...typed, list });
      writeDraft(draft, { ...typed, list });
    },
    onClose: () => (writeDraft(draft, undefined), record.discard(member), close()),
    onSave: () => {
      close();
      void record
        .save(changeOf(typed.list), { [member]: title }, typed.seen, (_, value) => (value as Partial<Address>[]).map(wordsOf).join("; "))
        .then((saved) => {
          // The user may have opened the list again during the save. What was typed there since stays.
          if (!saved) return (setKept("refused"), setTyped((now) => now ?? typed));
          if (JSON.stringify(readDraft(draft)) === JSON.stringify(typed)) writeDraft(draft, undefined);
          return undefined;
        });
    },
  };
  return (
    <div className={classes["group"]}>
      <div className={classes["groupHead"]}>
        <h3>
          {title} <Mark state={record.pending.get(member)} />
        </h3>
        {mayChange && (
          <button type="button" className="p-icon" data-small aria-label={t("act.editWhat", { what: title })} onClick={open}>
            <Pencil size={14} aria-hidden />
          </button>
        )}
      </div>
      {children.length === 0 ? <span className={page["muted"]}>–</span> : <ul className={classes["values"]}>{children}</ul>}
      <Dialog open={typed !== null} title={title} onClose={close}>
        {kept === "draft" && <p className={page["muted"]}>{say("form.draft")}</p>}
        {kept === "refused" && (
          <Note kind="bad" alert>
            {t("contact.listRefused")}
          </Note>
        )}
        {editing && editor(editing)}
      </Dialog>
    </div>
  );
}

interface Row {
  readonly text: string;
  readonly label: string;
  readonly primary: boolean;
}

const most = 10;

function RowsEditor({ kind, list, onChange: setList, onSave, onClose }: Editing<Row> & { kind: "emails" | "phones" }) {
  const { t } = useTexts();
  const name = useId();
  const change = (at: number, by: Partial<Row>) =>
    setList(list.map((each, index) => ({ ...each, ...(by.primary ? { primary: false } : {}), ...(index === at ? by : {}) })));
  const remove = (at: number) => {
    const rest = list.filter((_, index) => index !== at);
    setList(rest.some((each) => each.primary) ? rest : rest.map((each, index) => ({ ...each, primary: index === 0 })));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {list.map((each, at) => (
        <div key={at} className={classes["editRow"]}>
          <label>
            {t(`contact.${kind}One`)}
            <input
              type={kind === "emails" ? "email" : "tel"}
              pattern={kind === "emails" ? "[^\\s@]+@[^\\s@]+\\.[^\\s@]+" : undefined}
              data-autofocus={at === list.length - 1 || undefined}
              value={each.text}
              maxLength={kind === "emails" ? 254 : 40}
              onChange={(event) => change(at, { text: event.currentTarget.value })}
            />
          </label>
          <label>
            {t("contact.kind")}
            <select value={each.label} onChange={(event) => change(at, { label: event.currentTarget.value })}>
              {[...new Set<string>([...labels, each.label])].map((label) => (
                <option key={label} value={label}>
                  {labels.some((known) => known === label) ? t(`label.${label}`) : label}
                </option>
              ))}
            </select>
          </label>
          <label className={classes["primary"]}>
            <input type="radio" name={name} checked={each.primary} onChange={() => change(at, { primary: true })} /> {t("contact.primary")}
          </label>
          <ActionIcon size={36} aria-label={t("act.removeWhat", { what: each.text || t(`contact.${kind}One`) })} onClick={() => remove(at)}>
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <EditorActions
        onAdd={
          list.length < most
            ? () => setList([...list, { text: "", label: kind === "phones" ? "mobile" : "work", primary: list.length === 0 }])
            : undefined
        }
        onClose={onClose}
      />
    </form>
  );
}

const parts = ["street", "street2", "postalCode", "city", "region", "country"] as const;
const mostAddresses = 5;
const none: Address = { street: "", street2: "", city: "", region: "", postalCode: "", country: "", label: "work" };

function AddressEditor({ list, onChange: setList, onSave, onClose }: Editing<Address>) {
  const { t } = useTexts();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {list.map((each, at) => (
        <div key={at} className={`${classes["editRow"]} ${classes["address"]}`}>
          {parts.map((part) => (
            <label key={part}>
              {t(`address.${part}`)}
              <input
                value={each[part]}
                maxLength={part === "country" ? 80 : 200}
                onChange={(event) =>
                  setList(list.map((other, index) => (index === at ? { ...other, [part]: event.currentTarget.value } : other)))
                }
              />
            </label>
          ))}
          <Button
            variant="subtle"
            leftSection={<Trash2 size={16} aria-hidden />}
            onClick={() => setList(list.filter((_, index) => index !== at))}
          >
            {t("act.remove")}
          </Button>
        </div>
      ))}
      <EditorActions onAdd={list.length < mostAddresses ? () => setList([...list, none]) : undefined} onClose={onClose} />
    </form>
  );
}

function EditorActions({ onAdd, onClose }: { onAdd: (() => void) | undefined; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <div className={page["row"]}>
      {onAdd && (
        <Button variant="subtle" onClick={onAdd}>
          {t("act.add")}
        </Button>
      )}
      <span className={own["spring"]} />
      <Button onClick={onClose}>{t("act.cancel")}</Button>
      <Button type="submit" variant="filled">
        {t("act.save")}
      </Button>
    </div>
  );
}
