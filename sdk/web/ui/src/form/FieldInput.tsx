import { Select, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";
import type { Option } from "../list/useList.ts";
import { useUi } from "../ui.tsx";
import { instantOf, localOf } from "./instants.ts";
import { majorOf, minorOf } from "./money.ts";
import { RecordInput } from "./RecordInput.tsx";
import type { Pick } from "./RecordName.tsx";
import { kindOf, type FieldKind, type Schema } from "./schema.ts";
import classes from "./form.module.css";

/**
 * A member of a record: what it is called and how it is typed.
 *
 * @example
 * const field: Field = { name: "email", label: "E-mail", kind: "email", autoComplete: "email" };
 * console.log(field.label);
 */
export interface Field<Name extends string = string> {
  /** Member of the record. */
  readonly name: Name;
  /** Label beside the input. */
  readonly label: string;
  /** Input of the field (default: follows from the schema). */
  readonly kind?: FieldKind;
  /** Values to choose from. */
  readonly options?: readonly Option[];
  /** ISO 4217 code of an amount in minor units, which makes the field one of money. */
  readonly currency?: string;
  /** Records that the field refers to by id, which makes it a picker of records. */
  readonly pick?: Pick;
  /** Line of help below the input; a function gets the typed value. */
  readonly hint?: ReactNode | ((value: unknown) => ReactNode);
  /** Value of `autocomplete`, for example `email`. */
  readonly autoComplete?: string;
  /** Reason why the field cannot be changed now, shown beside it. */
  readonly off?: string;
}

interface InputProps {
  readonly field: Field;
  readonly kind: FieldKind;
  readonly id: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** The label is for screen readers only, because it stands elsewhere. */
  readonly bare?: boolean;
  /** Where a dialog's focus begins. */
  readonly first?: boolean;
  readonly onBlur?: () => void;
  /** What is typed of the next one of a list. */
  readonly onWord?: (text: string) => void;
}

/** The input for a kind of value; the same in forms and where a record is edited in place. */
export function FieldInput({
  field,
  kind,
  id,
  value,
  onChange,
  error,
  required = false,
  bare = false,
  first = false,
  onBlur,
  onWord,
}: InputProps): ReactNode {
  const { say, texts } = useUi();
  const point = texts.number(1.5).replace(/\p{Nd}/gu, "");
  const currency = field.currency ?? "EUR";
  // What is typed of an amount: 12.5 is not 12.50 before the field is left.
  const [amount, setAmount] = useState<string | null>(null);
  const text = value === null || value === undefined ? "" : String(value);
  const hint = typeof field.hint === "function" ? field.hint(value) : field.hint;
  const common = {
    id,
    name: field.name,
    error,
    required,
    withAsterisk: required,
    disabled: field.off !== undefined,
    ...(bare ? { "aria-label": field.label } : { label: field.label, description: field.off ?? hint }),
    ...(first ? { "data-autofocus": true } : {}),
    ...(onBlur ? { onBlur } : {}),
  };
  const typed = (event: { currentTarget: { value: string } }): void => onChange(event.currentTarget.value);
  switch (kind) {
    case "datetime":
      return (
        <TextInput
          {...common}
          type="datetime-local"
          value={localOf(text, texts.zone)}
          onChange={(event) => onChange(instantOf(event.currentTarget.value, texts.zone) || null)}
        />
      );
    case "money":
      return (
        <TextInput
          {...common}
          inputMode="decimal"
          rightSection={field.currency}
          rightSectionWidth={56}
          value={typeof value === "number" && amount === null ? majorOf(value, currency, point) : (amount ?? text)}
          onChange={(event) => (setAmount(event.currentTarget.value), onChange(minorOf(event.currentTarget.value, currency, point)))}
          onBlur={() => (setAmount(null), onBlur?.())}
        />
      );
    case "record":
      return field.pick ? <RecordInput {...common} pick={field.pick} value={text} clearable={!required} onChange={onChange} /> : null;
    case "multiline":
      return <Textarea {...common} value={text} onChange={typed} rows={5} resize="vertical" />;
    case "number":
      return (
        <TextInput
          {...common}
          inputMode="decimal"
          value={typeof value === "number" ? text.replace(".", point) : text}
          onChange={(event) => onChange(numberOf(event.currentTarget.value, point))}
        />
      );
    case "choice":
      return (
        <Select
          {...common}
          data={field.options?.map((each) => ({ ...each })) ?? []}
          value={text || null}
          onChange={onChange}
          clearable={!required}
          searchable={(field.options?.length ?? 0) > 8}
        />
      );
    case "color":
      // Typed as #rrggbb, or picked: the browser's own picker knows no empty colour.
      return (
        <TextInput
          {...common}
          value={text}
          onChange={typed}
          leftSectionPointerEvents="all"
          leftSection={
            <input
              className={classes["pick"]}
              type="color"
              aria-label={say("form.pick", { label: field.label })}
              disabled={field.off !== undefined}
              value={/^#[0-9a-f]{6}$/i.test(text) ? text : "#ffffff"}
              onChange={typed}
            />
          }
        />
      );
    case "tags":
      return (
        <TagsInput
          {...common}
          data={field.options?.map((each) => each.value) ?? []}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={onChange}
          {...(onWord && { onSearchChange: onWord })}
        />
      );
    case "yes":
      return (
        <div className={classes["yes"]}>
          <label>
            <input
              id={id}
              name={field.name}
              type="checkbox"
              checked={value === true}
              disabled={field.off !== undefined}
              aria-invalid={error ? true : undefined}
              onChange={(event) => onChange(event.currentTarget.checked)}
              onBlur={onBlur}
              data-autofocus={first || undefined}
            />
            <span className={bare ? "ui-hidden" : undefined}>{field.label}</span>
          </label>
          {(error ?? field.off ?? (bare ? undefined : hint)) && <p data-error={error ? true : undefined}>{error ?? field.off ?? hint}</p>}
        </div>
      );
    default:
      return (
        <TextInput
          {...common}
          type={kind}
          autoComplete={field.autoComplete ?? "off"}
          value={text}
          onChange={typed}
          placeholder={kind === "url" ? "https://" : undefined}
          title={bare ? say("record.edit", { label: field.label }) : undefined}
        />
      );
  }
}

/** How a field is typed: as it says, or as its other members or its schema say. */
export const kindOfField = ({ kind, pick, currency }: Partial<Field>, schema: Schema): FieldKind =>
  kind ?? (pick ? "record" : currency ? "money" : kindOf(schema));

/** A date of which a part is missing has no value, and is not the same as none. */
export const isHalf = (id: string): boolean => (document.getElementById(id) as HTMLInputElement | null)?.validity?.badInput ?? false;

/** What was typed as a number; text that is none stays, so that nothing typed is lost and the rule can say it. So does 1,234 where a point begins decimals. */
function numberOf(text: string, point: string): number | string | null {
  if (text.trim() === "") return null;
  if (/[.,]\d{3}$/.test(text.trim()) && !text.includes(point)) return text;
  const number = Number(text.trim().replace(",", "."));
  return Number.isFinite(number) && !/[.,]$/.test(text) ? number : text;
}
