import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, Card, Confirm, Dialog, Form, type Schema, useDeed } from "@portico/ui";
import { ArrowDown, ArrowUp, Plus } from "lucide-react";
import { useState } from "react";
import type { Question } from "../service.ts";
import { questionTypes } from "./kinds.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const most = 20;
const schema: Schema = {
  required: ["label", "type"],
  properties: {
    label: { type: "string", maxLength: 200 },
    options: { type: "array", maxItems: 50 },
    maxLength: { type: "integer", minimum: 1, maximum: 4000 },
  },
};
const chosen = new Set<string>(["select", "multi_select"]);

/** What guests are asked beside their name and address. */
export function Questions({
  of,
  questions,
  off,
  onChange,
}: {
  of: string;
  questions: readonly Question[];
  off: string | undefined;
  onChange: (questions: Question[]) => Promise<unknown>;
}) {
  const { t } = useTexts();
  const { busy, run } = useDeed();
  const [open, setOpen] = useState<Question | null>(null);
  const [removed, setRemoved] = useState<Question | null>(null);
  const isNew = open !== null && !questions.some(({ questionId }) => questionId === open.questionId);
  const put = (list: Question[]) => void run(() => onChange(list));
  const swap = (at: number, to: number) =>
    put(questions.map((each, index) => (index === at ? questions[to] : index === to ? questions[at] : each) as Question));
  const add = () =>
    setOpen({ questionId: freeId(questions), label: "", type: "text", required: false, options: [], maxLength: null as never });
  return (
    <Card
      title={t("questions.title")}
      text={t("questions.text")}
      tools={
        <Act
          off={off ?? (questions.length >= most ? t("questions.most", { count: most }) : undefined)}
          leftSection={<Plus size={16} aria-hidden />}
          onClick={add}
        >
          {t("questions.add")}
        </Act>
      }
    >
      <ul className={page["plain"]}>
        {questions.map((each, at) => (
          <li key={each.questionId}>
            <span className={page["grow"]}>
              <bdi className={classes["strong"]}>{each.label}</bdi>
              <span className={page["more"]}>
                {[t(`question.${each.type}`), each.required && t("question.required"), each.options.join(", ")].filter(Boolean).join(" · ")}
              </span>
            </span>
            {off === undefined && (
              <span className={page["row"]}>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  disabled={busy || at === 0}
                  aria-label={t("act.upWhat", { what: each.label })}
                  onClick={() => swap(at, at - 1)}
                >
                  <ArrowUp size={16} aria-hidden />
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  disabled={busy || at === questions.length - 1}
                  aria-label={t("act.downWhat", { what: each.label })}
                  onClick={() => swap(at, at + 1)}
                >
                  <ArrowDown size={16} aria-hidden />
                </Button>
                <Button size="compact-sm" aria-label={t("act.changeWhat", { what: each.label })} onClick={() => setOpen(each)}>
                  {t("act.change")}
                </Button>
                <Button
                  size="compact-sm"
                  color="red"
                  disabled={busy}
                  aria-label={t("act.removeWhat", { what: each.label })}
                  onClick={() => setRemoved(each)}
                >
                  {t("act.remove")}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      <Confirm
        open={removed !== null}
        title={t("questions.removeWhat", { question: removed?.label ?? "" })}
        text={t("questions.removeText")}
        act={t("act.remove")}
        onClose={() => setRemoved(null)}
        onConfirm={() => (setRemoved(null), put(questions.filter(({ questionId }) => questionId !== removed?.questionId)))}
      />
      <Dialog open={open !== null} title={t(isNew ? "questions.add" : "questions.change")} onClose={() => setOpen(null)}>
        {open && (
          <Form
            draft={`question:${of}:${open.questionId}`}
            initial={{
              label: open.label,
              type: open.type as string,
              required: open.required,
              options: open.options,
              maxLength: open.maxLength as number | null,
            }}
            schema={schema}
            first="label"
            fields={[
              { name: "label", label: t("question.label") },
              {
                name: "type",
                label: t("question.type"),
                kind: "choice",
                options: questionTypes.map((value) => ({ value, label: t(`question.${value}`) })),
              },
              { name: "required", label: t("question.required"), kind: "yes" },
              { name: "options", label: t("question.options"), kind: "tags", hint: t("question.optionsHint") },
              { name: "maxLength", label: t("question.maxLength"), kind: "number" },
            ]}
            onCancel={() => setOpen(null)}
            submit={async ({ type, options, ...values }) => {
              const made = { ...open, ...values, type, options: chosen.has(type) ? options : [] } as Question;
              await onChange(isNew ? [...questions, made] : questions.map((each) => (each.questionId === made.questionId ? made : each)));
              setOpen(null);
            }}
          />
        )}
      </Dialog>
    </Card>
  );
}

/** Answers are kept by it: it is never given twice while a question has it. */
const freeId = (questions: readonly Question[]): string => {
  for (let number = questions.length + 1; ; ++number)
    if (!questions.some(({ questionId }) => questionId === `q${number}`)) return `q${number}`;
};
