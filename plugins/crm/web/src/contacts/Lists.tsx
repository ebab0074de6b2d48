import { useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Dialog, Text, safeHref, type RecordState } from "@portico/ui";
import { Pencil, Trash2 } from "lucide-react";
import { useId, useRef, useState, type ReactNode } from "react";
import type { Contact } from "../service.ts";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

type Address = Contact["addresses"][number];
const labels = ["work", "home", "mobile", "other"] as const;

/** E-mails or phones: shown with the primary one first, edited together in a dialog. */
export function Reach({ record, member, mayChange }: { record: RecordState<Contact>; member: "emails" | "phones"; mayChange: boolean }) {
  const { t } = useTexts();
  const contact = record.data;
  const seen = useRef<Partial<Contact>>({});
  if (!contact) return null;
  const value = (each: { address?: string; number?: string }) => each.address ?? each.number ?? "";
  const list = [...contact[member]].sort((a, b) => Number(b.primary) - Number(a.primary));
  const rows: Row[] = list.map((each) => ({ text: value(each), label: each.label, primary: each.primary }));
  const save = (changed: readonly Row[]) => {
    const entries = changed.filter(({ text }) => text.trim());
    const made = member === "emails" ? { emails: entries.map(({ text, ...rest }) => ({ address: text.trim(), ...rest })) } : { phones: entries.map(({ text, ...rest }) => ({ number: text.trim(), ...rest })) };
    void record.save(made as unknown as Partial<Contact>, { [member]: t(`contact.${member}`) }, seen.current);
  };
  return (
    <Group
      title={t(`contact.${member}`)}
      mayChange={mayChange}
      onOpen={() => (seen.current = { [member]: contact[member] })}
      editor={(close) => <RowsEditor rows={rows} kind={member} onClose={close} onSave={save} />}
      empty={list.length === 0}
    >
      {list.map((each) => {
        const href = safeHref(member === "emails" ? `mailto:${value(each)}` : `tel:${("e164" in each && each.e164) || value(each).replace(/[^\d+]/g, "")}`);
        return (
          <li key={value(each)}>
            {href ? <a href={href}><Text>{value(each)}</Text></a> : <Text>{value(each)}</Text>}
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

export function Addresses({ record, mayChange }: { record: RecordState<Contact>; mayChange: boolean }) {
  const { t } = useTexts();
  const contact = record.data;
  const seen = useRef<Partial<Contact>>({});
  if (!contact) return null;
  return (
    <Group
      title={t("contact.addresses")}
      mayChange={mayChange}
      onOpen={() => (seen.current = { addresses: contact.addresses })}
      empty={contact.addresses.length === 0}
      editor={(close) => <AddressEditor addresses={contact.addresses} onClose={close} onSave={(addresses) => void record.save({ addresses: [...addresses] }, { addresses: t("contact.addresses") }, seen.current)} />}
    >
      {contact.addresses.map((each, at) => (
        <li key={at}>
          <Text lines={0}>{[each.street, each.street2, [each.postalCode, each.city].filter(Boolean).join(" "), each.region, each.country].filter(Boolean).join(", ")}</Text>
        </li>
      ))}
    </Group>
  );
}

function Group({ title, mayChange, empty, onOpen, editor, children }: { title: string; mayChange: boolean; empty: boolean; onOpen: () => void; editor: (close: () => void) => ReactNode; children: ReactNode }) {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <div className={classes["group"]}>
      <div className={classes["groupHead"]}>
        <h3>{title}</h3>
        {mayChange && (
          <ActionIcon aria-label={t("act.editWhat", { what: title })} onClick={() => (onOpen(), setOpen(true))}>
            <Pencil size={14} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {empty ? <span className={page["muted"]}>–</span> : <ul className={classes["values"]}>{children}</ul>}
      <Dialog open={open} title={title} onClose={() => setOpen(false)}>
        {open && editor(() => setOpen(false))}
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

function RowsEditor({ rows, kind, onSave, onClose }: { rows: readonly Row[]; kind: "emails" | "phones"; onSave: (rows: readonly Row[]) => void; onClose: () => void }) {
  const { t } = useTexts();
  const name = useId();
  const [list, setList] = useState<readonly Row[]>(rows.length ? rows : [{ text: "", label: "work", primary: true }]);
  const change = (at: number, by: Partial<Row>) => setList(list.map((each, index) => ({ ...each, ...(by.primary ? { primary: false } : {}), ...(index === at ? by : {}) })));
  const remove = (at: number) => {
    const rest = list.filter((_, index) => index !== at);
    setList(rest.some((each) => each.primary) ? rest : rest.map((each, index) => ({ ...each, primary: index === 0 })));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(list);
        onClose();
      }}
    >
      {list.map((each, at) => (
        <div key={at} className={classes["editRow"]}>
          <label>
            {t(`contact.${kind}One`)}
            <input type={kind === "emails" ? "email" : "tel"} data-autofocus={at === list.length - 1 || undefined} value={each.text} maxLength={kind === "emails" ? 254 : 40} onChange={(event) => change(at, { text: event.currentTarget.value })} />
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
      <EditorActions onAdd={list.length < most ? () => setList([...list, { text: "", label: kind === "phones" ? "mobile" : "work", primary: list.length === 0 }]) : undefined} onClose={onClose} />
    </form>
  );
}

const parts = ["street", "postalCode", "city", "region", "country"] as const;
const mostAddresses = 5;

function AddressEditor({ addresses, onSave, onClose }: { addresses: readonly Address[]; onSave: (addresses: readonly Address[]) => void; onClose: () => void }) {
  const { t } = useTexts();
  const none: Address = { street: "", street2: "", city: "", region: "", postalCode: "", country: "", label: "work" };
  const [list, setList] = useState<readonly Address[]>(addresses.length ? addresses : [none]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(list.filter((each) => parts.some((part) => each[part].trim())));
        onClose();
      }}
    >
      {list.map((each, at) => (
        <div key={at} className={`${classes["editRow"]} ${classes["address"]}`}>
          {parts.map((part) => (
            <label key={part}>
              {t(`address.${part}`)}
              <input value={each[part]} maxLength={part === "country" ? 80 : 200} onChange={(event) => setList(list.map((other, index) => (index === at ? { ...other, [part]: event.currentTarget.value } : other)))} />
            </label>
          ))}
          <Button variant="subtle" leftSection={<Trash2 size={16} aria-hidden />} onClick={() => setList(list.filter((_, index) => index !== at))}>
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
      <span className={own["grow"]} />
      <Button onClick={onClose}>{t("act.cancel")}</Button>
      <Button type="submit" variant="filled">
        {t("act.save")}
      </Button>
    </div>
  );
}
