import { useCan, useTexts } from "@portico/app-shell";
import { Problem } from "@portico/api";
import { ActionIcon, Button } from "@mantine/core";
import { Card, Confirm, Empty, type Field, Form, Loaded, problemOf, type Schema, SidePanel, Steps, Text, useUi } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { ListPlus, Pencil, Plus, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useCrm, useReadCustomFields, type CustomField } from "../service.ts";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

const types = ["text", "number", "date", "boolean", "select", "multi_select", "url"] as const;
const withOptions = (type: string) => type === "select" || type === "multi_select";
const schema: Schema = {
  required: ["label", "key"],
  properties: {
    label: { type: "string", minLength: 1, maxLength: 80 },
    key: { type: "string", pattern: "^[a-z][a-z0-9_]{0,39}$" },
    options: { type: "array", maxItems: 100, items: { type: "string", maxLength: 80 } },
  },
};

/** The workspace's own fields of contacts: their order, options and what is required. Key and type never change. */
export default function Fields() {
  return (
    <Loaded query={useReadCustomFields()} lines={6}>
      {(fields) => <List fields={fields} />}
    </Loaded>
  );
}

function List({ fields }: { fields: readonly CustomField[] }) {
  const { t } = useTexts();
  const mayWrite = useCan("settings:write");
  const { notices, sentence } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const [edited, setEdited] = useState<CustomField | "new" | null>(null);
  const [removed, setRemoved] = useState<CustomField | null>(null);
  const reread = () => client.invalidateQueries({ queryKey: ["/api/custom-fields"] });
  const refused = (error: unknown) => notices.tell({ kind: "refused", text: sentence(error), requestId: problemOf(error).requestId });

  // One step after the other, each on top of what the one before has made.
  const steps = useRef<Promise<unknown>>(Promise.resolve());
  const move = (id: string, by: number) => (steps.current = steps.current.then(() => step(id, by)));
  const step = async (id: string, by: number) => {
    const order = [...(client.getQueryData<CustomField[]>(["/api/custom-fields"]) ?? fields)];
    const at = order.findIndex(({ customFieldId }) => customFieldId === id);
    if (at < 0 || at + by < 0 || at + by >= order.length) return;
    order.splice(at + by, 0, ...order.splice(at, 1));
    try {
      for (const [index, each] of order.entries())
        if (each.order !== index)
          await api.put("/api/custom-fields/{customFieldId}", {
            path: { customFieldId: each.customFieldId },
            body: { order: index },
            version: each.version,
          });
    } catch (error) {
      refused(error);
    }
    await reread();
  };
  const remove = async ({ customFieldId }: CustomField) => {
    setRemoved(null);
    await api.delete("/api/custom-fields/{customFieldId}", { path: { customFieldId } }).catch(refused);
    await reread();
  };
  const add = mayWrite && (
    <Button size="compact-sm" leftSection={<Plus size={14} aria-hidden />} onClick={() => setEdited("new")}>
      {t("fields.new")}
    </Button>
  );
  return (
    <Card title={t("settings.fields")} tools={add}>
      {fields.length === 0 ? (
        <Empty icon={ListPlus} title={t("fields.empty")} text={t("fields.emptyText")} />
      ) : (
        <ol className={page["plain"]}>
          {fields.map((field, at) => (
            <li key={field.customFieldId}>
              <span className={own["grow"]}>
                <Text>{field.label}</Text>
                <span className={`${page["muted"]} ${page["small"]}`}>
                  {t(`fields.type.${field.type}`)} <code>{field.key}</code> {field.required && t("fields.required")}
                </span>
              </span>
              {mayWrite && (
                <span className={own["acts"]}>
                  <Steps name={field.label} at={at} count={fields.length} move={(to) => void move(field.customFieldId, to - at)} />
                  <ActionIcon aria-label={t("act.editWhat", { what: field.label })} onClick={() => setEdited(field)}>
                    <Pencil size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon aria-label={t("act.removeWhat", { what: field.label })} onClick={() => setRemoved(field)}>
                    <Trash2 size={16} aria-hidden />
                  </ActionIcon>
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      <SidePanel
        open={edited !== null}
        title={edited === "new" ? t("fields.new") : t("act.editWhat", { what: edited?.label ?? "" })}
        onClose={() => setEdited(null)}
      >
        {edited && (
          <Editor
            field={edited === "new" ? null : edited}
            order={fields.length}
            onDone={() => {
              setEdited(null);
              void reread();
            }}
          />
        )}
      </SidePanel>
      <Confirm
        open={removed !== null}
        title={t("fields.removeTitle", { name: removed?.label ?? "" })}
        text={t("fields.removeText")}
        act={t("act.remove")}
        typed={removed?.label ?? ""}
        onClose={() => setRemoved(null)}
        onConfirm={() => removed && void remove(removed)}
      />
    </Card>
  );
}

interface Values {
  label: string;
  key: string;
  type: string;
  options: string[];
  required: boolean;
}

function Editor({ field, order, onDone }: { field: CustomField | null; order: number; onDone: () => void }) {
  const { t } = useTexts();
  const api = useCrm();
  const off = field ? { off: t("fields.never") } : {};
  const fields: Field<keyof Values>[] = [
    { name: "label", label: t("fields.label") },
    { name: "key", label: t("fields.key"), hint: t("fields.keyHint"), ...off },
    {
      name: "type",
      label: t("fields.type"),
      kind: "choice",
      options: types.map((value) => ({ value, label: t(`fields.type.${value}`) })),
      ...off,
    },
    ...(field === null || withOptions(field.type)
      ? [{ name: "options" as const, label: t("fields.options"), hint: t("fields.optionsHint"), kind: "tags" as const }]
      : []),
    { name: "required", label: t("fields.requiredLabel"), kind: "yes" },
  ];
  const submit = async ({ label, key, type, options, required }: Values, idempotencyKey: string) => {
    if (options.length > 0 && !withOptions(type))
      throw new Problem("invalid_body", 0, {
        errors: [{ field: "options", code: "without_options", message: t("fields.withoutOptions") }],
      });
    if (field)
      await api.put("/api/custom-fields/{customFieldId}", {
        path: { customFieldId: field.customFieldId },
        body: { label, required, ...(withOptions(field.type) && { options }) },
        version: field.version,
      });
    else
      await api.post("/api/custom-fields", {
        body: { label, key, type: types.find((each) => each === type) ?? "text", required, order, ...(withOptions(type) && { options }) },
        idempotencyKey,
      });
    onDone();
  };
  const initial: Values = field
    ? { ...field, options: [...field.options] }
    : { label: "", key: "", type: "text", options: [], required: false };
  const { label, key, type, options, required } = initial;
  return (
    <Form<Values>
      fields={fields}
      initial={{ label, key, type, options, required }}
      schema={schema}
      submit={submit}
      draft={`field:${field?.customFieldId ?? "new"}`}
    />
  );
}
