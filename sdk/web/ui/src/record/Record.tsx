import { useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Pencil } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { ConflictDialog } from "../dialogs.tsx";
import { withChoices } from "../form/Form.tsx";
import { FieldInput, isHalf, kindOfField, type Field } from "../form/FieldInput.tsx";
import { RecordName } from "../form/RecordName.tsx";
import { check, type FieldKind, type Schema } from "../form/schema.ts";
import { useKeys } from "../keys.ts";
import { keep } from "../keep.ts";
import type { Order } from "../list/pages.ts";
import { Instant } from "../Instant.tsx";
import { safeHref } from "../Markdown.tsx";
import { Bones, Failed, Waiting } from "../states.tsx";
import { Text } from "../Text.tsx";
import { Unsaved } from "../Unsaved.tsx";
import { useUi } from "../ui.tsx";
import { words, type PendingState, type RecordState, type Versioned } from "./useRecord.ts";
import classes from "./record.module.css";

/**
 * A field of a record, and how its value is shown where that is not as its kind says.
 *
 * @example
 * const field: RecordField<{ text: string }> = { name: "text", label: "Remark", show: ({ text }) => <Markdown>{text}</Markdown> };
 * console.log(field.name);
 */
export interface RecordField<T> extends Field<keyof T & string> {
  readonly show?: (record: T) => ReactNode;
  /** A single key that edits it, as `t`. */
  readonly key?: string;
}

/** The fields of a record. */
export interface FieldsProps<T extends Versioned> {
  readonly record: RecordState<T>;
  readonly fields: readonly RecordField<T>[];
  readonly schema?: Schema | undefined;
  /** Without the right to change, values are shown and nothing else. */
  readonly mayChange?: boolean;
}

/**
 * The fields of a record, each edited in place: Enter or leaving saves, Escape takes back, `E` edits the first. What is not answered or not saved has a mark.
 * Leaving the page also saves. If the rules reject the value, or a value is `unsaved`, a dialog asks the user.
 *
 * @example
 * const Contact = () => {
 *   const record = useRecord<{ id: string; version: number; company: string }>("/api/contacts/con_1");
 *   return <Fields record={record} fields={[{ name: "company", label: "Company" }]} />;
 * };
 * console.log(Contact.name);
 */
export function Fields<T extends Versioned>({ record, fields, schema, mayChange = true }: FieldsProps<T>): ReactNode {
  const { say } = useUi();
  const [editing, setEditing] = useState<string | null>(null);
  const list = useRef<HTMLDListElement>(null);
  const first = fields.find(({ off }) => off === undefined);
  const keyed = fields.filter(({ key, off }) => key && off === undefined);
  const close = (name: string): void => {
    setEditing(null);
    // The focus goes back to the value, unless it is somewhere else already.
    requestAnimationFrame(
      () => document.activeElement === document.body && list.current?.querySelector<HTMLElement>(`[data-field="${name}"] button`)?.focus(),
    );
  };
  useKeys(
    {
      e: () => (first ? setEditing(first.name) : false),
      // For a field that is open and does not have the focus yet.
      Escape: () => (editing ? close(editing) : false),
      ...Object.fromEntries(keyed.map(({ key, name }) => [key, () => setEditing(name)])),
    },
    mayChange && record.data !== undefined,
    {
      ...(first && { e: say("record.edit", { label: first.label }) }),
      ...Object.fromEntries(keyed.map(({ key, label }) => [key, say("record.edit", { label })])),
    },
  );
  if (!record.data)
    return record.error ? (
      <Failed error={record.error} retry={record.retry} />
    ) : (
      <Waiting skeleton={<Bones lines={fields.length} />} retry={record.retry} />
    );
  const data = record.data;
  const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label]));
  const read = (name: string, value: unknown): string =>
    fields.find((each) => each.name === name)?.options?.find((each) => each.value === value)?.label ?? words(value);
  return (
    <>
      <dl key={record.path} ref={list} className={classes["fields"]}>
        {fields.map((field) => {
          const rule = schema?.properties?.[field.name] ?? {};
          return (
            <div key={field.name} data-field={field.name}>
              <dt>{field.label}</dt>
              <dd>
                <EditableValue
                  field={withChoices(field, rule)}
                  kind={kindOfField(field, rule)}
                  rule={rule}
                  required={schema?.required?.includes(field.name) ?? false}
                  value={data[field.name]}
                  shown={field.show?.(data)}
                  state={record.pending.get(field.name)}
                  mayChange={mayChange}
                  editing={editing === field.name}
                  onEdit={() => setEditing(field.name)}
                  onClose={(discard) => (discard && record.discard(field.name), close(field.name))}
                  onSave={(value, seen) => record.save({ [field.name]: value } as Partial<T>, labels, seen as Partial<T>, read)}
                />
              </dd>
            </div>
          );
        })}
      </dl>
      <ConflictDialog conflicts={record.conflicts} onChoose={record.resolve} onClose={() => record.resolve(null)} />
      <Unsaved when={[...record.pending.values()].includes("unsaved")} />
    </>
  );
}

interface ValueProps {
  readonly field: Field;
  readonly kind: FieldKind;
  readonly rule: Schema;
  readonly required: boolean;
  readonly value: unknown;
  readonly shown: ReactNode;
  readonly state: PendingState | undefined;
  readonly mayChange: boolean;
  readonly editing: boolean;
  readonly onEdit: () => void;
  /** `discard`: what was typed and not saved is taken back. */
  readonly onClose: (discard?: boolean) => void;
  /** With the field as it was when editing began, where that is what the server had. */
  readonly onSave: (value: unknown, seen: Readonly<Record<string, unknown>>) => Promise<boolean>;
}

function EditableValue({
  field,
  kind,
  rule,
  required,
  value,
  shown,
  state,
  mayChange,
  editing,
  onEdit,
  onClose,
  onSave,
}: ValueProps): ReactNode {
  const { say } = useUi();
  const id = useId();
  const [typed, setTyped] = useState<unknown>(value);
  // Text in the input of a tag list that Enter has not yet added.
  const [word, setWord] = useState("");
  const [error, setError] = useState("");
  const ended = useRef(false);
  // What was refused: to be put right, not typed again.
  const refused = useRef<{ value: unknown }>(undefined);
  const seen = useRef({});
  useEffect(() => {
    if (!editing) return;
    // The choice between two changes comes again where it was closed.
    if (state !== "unsaved") seen.current = state ? {} : { [field.name]: value };
    setTyped(refused.current ? refused.current.value : value);
    setWord("");
    setError("");
    ended.current = false;
    const input = document.getElementById(id);
    input?.focus();
    if (input instanceof HTMLInputElement && input.type !== "checkbox") input.select();
    // Only the start of editing: what others change meanwhile must not replace what is typed.
  }, [editing]);

  const nextOf = (to: unknown): unknown => (to === "" && !required ? null : to);
  const isShown = (next: unknown): boolean => JSON.stringify(next ?? null) === JSON.stringify(value ?? null);
  const save = (to: unknown): void => {
    if (ended.current) return;
    if (isHalf(id)) return setError(say("form.notDate"));
    const next = nextOf(to);
    if (state !== "unsaved" && isShown(next)) return end();
    const wrong = check(rule, next, required);
    if (wrong) return setError(say(wrong.key, { count: wrong.count ?? 0 }));
    end();
    void onSave(next, editing ? seen.current : {}).then((saved) => (refused.current = saved ? undefined : { value: next }));
  };
  const end = (discard?: boolean): void => ((ended.current = true), onClose(discard));
  const leave = (): void => save(kind === "tags" ? undefinedOr(id, typed) : typed);
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Escape") ((refused.current = undefined), end(true));
    else if (event.key === "Enter" && (kind !== "multiline" || event.ctrlKey || event.metaKey) && kind !== "tags") save(typed);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (kind === "yes")
    return (
      <span className={classes["line"]}>
        <input
          type="checkbox"
          checked={value === true}
          aria-label={field.label}
          disabled={!mayChange || field.off !== undefined}
          title={field.off}
          onChange={(event) => void onSave(event.currentTarget.checked, {})}
        />
        <Mark state={state} />
      </span>
    );
  if (editing && mayChange)
    return (
      <>
        <div className={classes["editor"]} onKeyDown={press}>
          <FieldInput
            bare
            id={id}
            field={field}
            kind={kind}
            value={typed}
            required={required}
            error={error || undefined}
            onChange={(to) => {
              setTyped(to);
              if (kind === "choice" || kind === "record") save(to);
            }}
            onWord={setWord}
            onBlur={() => setTimeout(() => hasLeft(id) && leave())}
          />
        </div>
        <Unsaved when={!isShown(nextOf(typed)) || word.trim() !== ""} save={() => (leave(), ended.current)} />
      </>
    );
  const content = shown ?? <Value kind={kind} value={value} field={field} />;
  const isEmpty = value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  if (!mayChange) return <span className={classes["line"]}>{isEmpty ? "–" : content}</span>;
  // Links and blocks cannot stand in a button: theirs is beside them.
  const apart = !isEmpty && (shown !== undefined || /^(url|email|tel|multiline)$/.test(kind));
  return (
    <div className={classes["line"]}>
      {apart && <div className={classes["apart"]}>{content}</div>}
      <button type="button" className={classes["value"]} disabled={field.off !== undefined} title={field.off} onClick={onEdit}>
        {apart ? (
          <Pencil size={14} aria-hidden />
        ) : isEmpty ? (
          <span className={classes["none"]}>{say("record.empty", { label: field.label })}</span>
        ) : (
          content
        )}
        {!isEmpty && <span className="ui-hidden"> {say("record.edit", { label: field.label })}</span>}
      </button>
      <Mark state={state} />
    </div>
  );
}

/** Returns false while a dialog over the field has its focus, and after the dialog has restored the focus: the user has not left the field. */
function hasLeft(id: string): boolean {
  const [field, dialog] = [document.getElementById(id), [...document.querySelectorAll("dialog[open]")].at(-1)];
  if (!field) return true;
  const isCovered = dialog !== undefined && !dialog.contains(field);
  return !isCovered && !(document.activeElement === field && document.hasFocus());
}

/** What was typed into a list of words and not ended by Enter is one of them, too. */
function undefinedOr(id: string, typed: unknown): unknown {
  const input = document.getElementById(id);
  const left = input instanceof HTMLInputElement ? input.value.trim() : "";
  const list = Array.isArray(typed) ? typed : [];
  return left && !list.includes(left) ? [...list, left] : list;
}

/**
 * What a field has beside it until the server has answered for it, as `RecordState.pending` says; nothing else.
 *
 * @example
 * const mark = <Mark state="unsent" />;
 * console.log(mark.type);
 */
export function Mark({ state }: { state: PendingState | undefined }): ReactNode {
  const { say } = useUi();
  if (!state) return null;
  return (
    <span className={classes["mark"]} data-state={state} role="status">
      {state === "saving" ? <span className="ui-hidden">{say("record.saving")}</span> : say(`record.${state}`)}
    </span>
  );
}

function Value({ kind, value, field }: { kind: FieldKind; value: unknown; field: Field }): ReactNode {
  const { texts } = useUi();
  if (Array.isArray(value))
    return (
      <span className={classes["tags"]}>
        {value.map((each) => (
          <bdi key={String(each)}>{String(each)}</bdi>
        ))}
      </span>
    );
  const text = String(value ?? "");
  if (kind === "date") return texts.date(text) || text;
  if (kind === "datetime") return <Instant at={text} />;
  if (kind === "money" && typeof value === "number") return texts.money(value, field.currency ?? "EUR");
  if (kind === "record" && field.pick) return <RecordName pick={field.pick} id={text} />;
  if (kind === "number" && typeof value === "number") return texts.number(value);
  if (kind === "choice") return <Text>{field.options?.find((option) => option.value === text)?.label ?? text}</Text>;
  const href =
    kind === "url"
      ? safeHref(text)
      : kind === "email"
        ? safeHref(`mailto:${text}`)
        : kind === "tel"
          ? safeHref(`tel:${text.replace(/[^\d+]/g, "")}`)
          : null;
  if (href)
    return (
      <a href={href} rel="noreferrer">
        <Text>{text}</Text>
      </a>
    );
  return <Text lines={kind === "multiline" ? 0 : 1}>{text}</Text>;
}

/**
 * The records before and after one in the list from which it was opened, as links with the keys `K` and `J`; nothing where it was not opened from a list.
 * Escape closes a field that is open, else it leads back to where the user came from, however many records were shown.
 *
 * @example
 * const links = <Neighbours path="/api/contacts" id="con_1" href={(id) => `/contacts/${id}`} />;
 * console.log(links.type);
 */
export function Neighbours({ path, id, href }: { path: string; id: string; href: (id: string) => string }): ReactNode {
  const { say, address } = useUi();
  const client = useQueryClient();
  const ids = client.getQueryData<Order>([path, "order"])?.ids ?? [];
  const at = ids.indexOf(id);
  const [previous, next] = at < 0 ? [] : [ids[at - 1], ids[at + 1]];
  const to = (other: string | undefined) => (): void | false => {
    if (other === undefined) return false;
    keep<Order>(client, [path, "order"], { ids, shown: other });
    address.go(href(other), { replace: true });
  };
  const back = (): void | false => (document.querySelector(`.${classes["editor"]}`) ? false : address.back());
  useKeys({ k: to(previous), j: to(next), Escape: back }, true, at < 0 ? {} : { k: say("record.previous"), j: say("record.next") });
  if (at < 0) return null;
  return (
    <span className={classes["neighbours"]}>
      {(
        [
          ["previous", previous, "K", ChevronLeft],
          ["next", next, "J", ChevronRight],
        ] as const
      ).map(([way, other, key, Icon]) => (
        <button
          key={way}
          type="button"
          className="p-icon"
          data-small
          aria-label={say(`record.${way}`)}
          title={`${say(`record.${way}`)} (${key})`}
          disabled={other === undefined}
          onClick={to(other)}
        >
          <Icon size={18} className={classes["turns"]} aria-hidden />
        </button>
      ))}
    </span>
  );
}
