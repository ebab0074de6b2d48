import { Button } from "@mantine/core";
import { useId, useRef, useState, type FormEvent, type KeyboardEvent, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { problemOf } from "@portico/api";
import { useUi } from "../ui.tsx";
import { Unsaved } from "../Unsaved.tsx";
import { readDraft, writeDraft } from "./drafts.ts";
import { FieldInput, isHalf, kindOfField, type Field } from "./FieldInput.tsx";
import { useRequestKey } from "./requestKey.ts";
import { check, type Schema } from "./schema.ts";
import classes from "./form.module.css";

/**
 * A form: its fields, the rules, and what sends it.
 *
 * @example
 * const form: FormProps<{ title: string }> = { initial: { title: "" }, fields: [{ name: "title", label: "Title" }], submit: async ({ title }) => console.log(title) };
 * console.log(form.fields.length);
 */
export interface FormProps<Values extends object> {
  readonly fields: readonly Field<keyof Values & string>[];
  /** What the record has. What becomes of it meanwhile is taken over, but for fields that have been typed in: those say it. */
  readonly initial: Values;
  /** The schema of the body, from the service's OpenAPI; absent: only the server has rules. */
  readonly schema?: Schema | undefined;
  /** Sends it. `key` is the `Idempotency-Key`: the same as long as the values are and the server has not given it up. What it throws is shown at the fields and on top. */
  readonly submit: (values: Values, key: string) => Promise<unknown>;
  /** The word on the button; "Save" unless said. */
  readonly act?: string;
  readonly onCancel?: () => void;
  /** It stays when it has been sent: from then on `initial` is what the record has, but for what is typed after that. */
  readonly stays?: boolean;
  /** The field where a dialog's focus begins; at its cross unless said. */
  readonly first?: string | undefined;
  /** Name under which what is typed survives in this tab until it is saved, as `note:con_1`. */
  readonly draft?: string;
  readonly children?: ReactNode;
}

/**
 * A form that loses nothing: rules are told before sending, the server's at their field with the first one focused, what belongs to no field on top.
 * Leaving with something typed asks; Ctrl or ⌘ + Enter sends; a second click while it is sent does nothing.
 *
 * @example
 * const form = <Form initial={{ title: "" }} fields={[{ name: "title", label: "Title" }]} schema={{ required: ["title"] }} submit={async ({ title }) => console.log(title)} />;
 * console.log(form.type);
 */
export function Form<Values extends object>({
  fields,
  initial,
  schema,
  submit,
  act,
  onCancel,
  stays = false,
  first,
  draft,
  children,
}: FormProps<Values>): ReactNode {
  const { say, sentence, fault } = useUi();
  const id = useId();
  const [kept, setKept] = useState(() => (draft ? readDraft(draft) : undefined));
  const [values, setValues] = useState<Values>({ ...initial, ...kept });
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [known, setKnown] = useState(initial);
  const [problem, setProblem] = useState<readonly string[]>([]);
  const [request, setRequest] = useState("");
  const [sending, setSending] = useState(false);
  // What is typed into a list and not ended yet.
  const [word, setWord] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const key = useRequestKey();
  const busy = useRef(false);
  // A key that sends may end a word of a list first.
  const latest = useRef(values);
  latest.current = values;
  // The record may change while the form sends.
  const record = useRef(initial);
  record.current = initial;
  const dirty = !same(values, initial) || word.trim() !== "";

  /** Fields that the user and another user have changed since `before`, each with its sentence. */
  const conflicts = (now: Values, before: Values): Record<string, string> => {
    const [mine, old, theirs] = [now, before, record.current] as [Named, Named, Named];
    return Object.fromEntries(
      Object.keys(mine)
        .filter((name) => ![mine, theirs].some((each) => same(each[name], old[name])) && !same(theirs[name], mine[name]))
        .map((name) => [name, say("form.theirs", { value: String(theirs[name] ?? "") })]),
    );
  };

  if (!same(known, initial)) {
    const mine = Object.entries(values).filter(([name, value]) => !same(value, (known as Named)[name]));
    setKnown(initial);
    setValues({ ...initial, ...Object.fromEntries(mine) });
    // While the form sends, this may be the record that it makes itself.
    if (!sending) setErrors({ ...errors, ...conflicts(values, known) });
  }

  const ruleOf = (name: string): Schema => schema?.properties?.[name] ?? {};
  const isRequired = (name: string): boolean => schema?.required?.includes(name) ?? false;
  const wrongOf = (name: string, value: unknown): string | undefined => {
    if (isHalf(`${id}-${name}`)) return say("form.notDate");
    const wrong = check(ruleOf(name), value, isRequired(name));
    return wrong ? say(wrong.key, { count: wrong.count ?? 0 }) : undefined;
  };
  const change = (name: string, value: unknown): void => {
    const next = (latest.current = { ...latest.current, [name]: value });
    setValues(next);
    // Of the rest the record is to be believed, when the draft is found again.
    if (draft)
      writeDraft(
        draft,
        Object.fromEntries(Object.entries(next).filter(([each, to]) => !same(to, (initial as Record<string, unknown>)[each]))),
      );
    // What is marked wrong is looked at again while it is put right; what is not marked is left in peace until sending.
    if (errors[name]) setErrors({ ...errors, [name]: wrongOf(name, value) ?? "" });
  };
  const show = (found: Readonly<Record<string, string>>, onTop: readonly string[]): void => {
    // Not at the next frame: on a busy machine what is told may not be there by then.
    flushSync(() => (setErrors(found), setProblem(onTop)));
    const first = fields.find(({ name }) => found[name]);
    (first ? document.getElementById(`${id}-${first.name}`) : form.current?.querySelector<HTMLElement>("[role='alert']"))?.focus();
  };
  const send = async (event: FormEvent | KeyboardEvent): Promise<void> => {
    event.preventDefault();
    if (busy.current) return;
    const entered = latest.current;
    const found = Object.fromEntries(
      fields.flatMap(({ name }) => [[name, wrongOf(name, (entered as Record<string, unknown>)[name])]].filter(([, wrong]) => wrong)),
    );
    if (Object.keys(found).length) return show(found, []);
    busy.current = true;
    setSending(true);
    try {
      await submit(entered, key.of(JSON.stringify(entered)));
      if (draft) writeDraft(draft, undefined);
      // Sent again, it is another request.
      if (stays) (setKnown(entered), setKept(undefined), key.of(""));
      show({}, []);
    } catch (error) {
      const refusal = problemOf(error);
      const { errors: told, requestId } = refusal;
      key.refused(refusal);
      const fieldOf = (path: string): string | undefined =>
        fields.find(({ name }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))?.name;
      const atField = Object.fromEntries(
        told.flatMap((wrong) => (fieldOf(wrong.field) ? [[fieldOf(wrong.field) as string, fault(wrong) || wrong.code]] : [])),
      );
      const elsewhere = told
        .filter(({ field }) => !fieldOf(field))
        .map((wrong) => [wrong.field, fault(wrong) || wrong.code].filter(Boolean).join(": "));
      setRequest(requestId);
      show({ ...conflicts(latest.current, initial), ...atField }, told.length ? elsewhere : [sentence(error)]);
    } finally {
      busy.current = false;
      setSending(false);
    }
  };
  const press = (event: KeyboardEvent): unknown => event.key === "Enter" && (event.ctrlKey || event.metaKey) && send(event);
  return (
    <form ref={form} className={classes["form"]} noValidate onSubmit={send} onKeyDown={press}>
      {problem.length > 0 && (
        <div className={classes["problem"]} role="alert" tabIndex={-1}>
          {problem.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {request && <code>{say("state.request", { id: request })}</code>}
        </div>
      )}
      {kept && dirty && <p className={classes["hint"]}>{say("form.draft")}</p>}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={withChoices(field, ruleOf(field.name))}
          kind={kindOfField(field, ruleOf(field.name))}
          id={`${id}-${field.name}`}
          value={(values as Record<string, unknown>)[field.name]}
          required={isRequired(field.name)}
          error={errors[field.name] || undefined}
          first={field.name === first}
          onChange={(value) => change(field.name, value)}
          onWord={setWord}
        />
      ))}
      {children}
      <div className={classes["actions"]}>
        <span className={classes["hint"]}>
          {say("form.hint", { keys: /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ ↵" : say("form.hint.keys") })}
        </span>
        {onCancel && <Button onClick={onCancel}>{say("act.cancel")}</Button>}
        <Button type="submit" variant="filled" loading={sending}>
          {act ?? say("act.save")}
        </Button>
      </div>
      <Unsaved when={dirty && !sending} kept={draft !== undefined} onDiscard={() => draft && writeDraft(draft, undefined)} />
    </form>
  );
}

type Named = Readonly<Record<string, unknown>>;

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The choices of an enumeration, by their own names where the form has no others. */
export function withChoices(field: Field, schema: Schema): Field {
  return field.options || !schema.enum
    ? field
    : { ...field, options: schema.enum.filter((each) => each !== null).map((each) => ({ value: String(each), label: String(each) })) };
}
