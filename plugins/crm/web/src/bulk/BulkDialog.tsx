import { useCan, useTexts } from "@portico/app-shell";
import { Problem } from "@portico/api";
import { Dialog, Form, writeDraft, type Field, type Schema } from "@portico/ui";
import { useState } from "react";
import { LostDialog, lostDraft } from "../pipeline/move.tsx";
import { lifecycles, stageOf, stagesOf, usePeople, usePipelines, useTags, type Pipeline, type Stage } from "../service.ts";
import { useBulk, type BulkPart, type Change, type Which } from "./bulk.ts";

interface Values {
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  readonly ownerUserId: string | null;
  readonly lifecycle: string | null;
  readonly doNotContact: string | null;
  readonly stageId: string | null;
}

const unchanged: Values = { addTags: [], removeTags: [], ownerUserId: null, lifecycle: null, doNotContact: null, stageId: null };
const tags: Schema = { type: "array", maxItems: 50, items: { type: "string", maxLength: 50 } };
const schema: Schema = { properties: { addTags: tags, removeTags: tags } };
const channels = ["email", "phone", "sms"] as const;
const nobody = "nobody";
/** Before the id of a pipeline: off its board. */
const off = "off:";

/** What is to be changed on many contacts; what is left empty stays as it is. */
export default function BulkDialog({
  which,
  part,
  count,
  onClose,
  onBegun,
}: {
  which: Which;
  part: BulkPart;
  count: number | undefined;
  onClose: () => void;
  onBegun: () => void;
}) {
  const { t } = useTexts();
  const mayMove = useCan("pipeline:move");
  const known = useTags() ?? [];
  const people = usePeople();
  const pipelines = usePipelines() ?? [];
  const { begin } = useBulk();
  const [asked, setAsked] = useState<{ stage: Stage; required: boolean; answer: (reason: string | null) => void } | null>(null);
  const many = count === undefined ? t("bulk.all") : t("contacts.count", { count });

  const options = known.map(({ name }) => ({ value: name, label: name }));
  const fields: Field<keyof Values>[] = [
    { name: "addTags", label: t("imports.addTags"), kind: "tags", options },
    { name: "removeTags", label: t("bulk.removeTags"), kind: "tags", options },
    {
      name: "ownerUserId",
      label: t("contact.owner"),
      kind: "choice",
      options: [{ value: nobody, label: t("imports.nobody") }, ...people.list],
    },
    {
      name: "lifecycle",
      label: t("contact.lifecycle"),
      kind: "choice",
      options: lifecycles.map((value) => ({ value, label: t(`lifecycle.${value}`) })),
    },
    {
      name: "doNotContact",
      label: t("contact.doNotContact"),
      kind: "choice",
      options: channels.flatMap((each) =>
        [true, false].map((off) => ({ value: `${each} ${off}`, label: t(`doNotContact.${each}${off ? "" : ".again"}`) })),
      ),
    },
  ];
  if (mayMove && pipelines.length > 0)
    fields.push({ name: "stageId", label: t("contact.stage"), kind: "choice", options: placesOf(pipelines, t("contact.stageOff")) });

  const submit = async (values: Values, key: string) => {
    const change = changeOf(values, pipelines);
    if (Object.keys(change).length === 0) throw new Problem("nothing_chosen", 0, { detail: t("bulk.nothing") });
    const stage = stageOf(pipelines, change.stageId);
    if (stage?.kind === "lost") {
      const required = pipelines.find(({ pipelineId }) => pipelineId === change.pipelineId)?.requireLostReason ?? false;
      const reason = await new Promise<string | null>((answer) => setAsked({ stage, required, answer }));
      setAsked(null);
      if (reason === null) return;
      await begin(which, { ...change, lostReason: reason }, `${key}-lost`);
      writeDraft(lostDraft(many), undefined);
    } else await begin(which, change, key);
    onBegun();
  };
  return (
    <>
      <Dialog open title={t("bulk.title", { many })} onClose={onClose}>
        <p>{t("bulk.about")}</p>
        <Form<Values>
          first={part}
          fields={fields}
          initial={unchanged}
          schema={schema}
          submit={submit}
          act={t("act.edit")}
          draft="bulk"
          onCancel={() => (writeDraft("bulk", undefined), onClose())}
        />
      </Dialog>
      {asked && <LostDialog {...asked} name={many} />}
    </>
  );
}

/** Every stage, and the way off each board. */
const placesOf = (pipelines: readonly Pipeline[], takeOff: string) =>
  pipelines.flatMap((pipeline) => {
    const named = (name: string) => (pipelines.length > 1 ? `${pipeline.name}: ${name}` : name);
    return [
      ...stagesOf(pipeline).map(({ stageId, name }) => ({ value: stageId, label: named(name) })),
      { value: `${off}${pipeline.pipelineId}`, label: named(takeOff) },
    ];
  });

function changeOf({ addTags, removeTags, ownerUserId, lifecycle, doNotContact, stageId }: Values, pipelines: readonly Pipeline[]): Change {
  const cycle = lifecycles.find((each) => each === lifecycle);
  const pipelineId = stageId?.startsWith(off)
    ? stageId.slice(off.length)
    : pipelines.find(({ stages }) => stages.some((each) => each.stageId === stageId))?.pipelineId;
  return {
    ...(addTags.length > 0 && { addTags: [...addTags] }),
    ...(removeTags.length > 0 && { removeTags: [...removeTags] }),
    ...(ownerUserId && { ownerUserId: ownerUserId === nobody ? null : ownerUserId }),
    ...(cycle && { lifecycle: cycle }),
    ...(doNotContact && { doNotContact: { [doNotContact.split(" ")[0] as string]: doNotContact.endsWith("true") } }),
    ...(stageId && pipelineId && { pipelineId, stageId: stageId.startsWith(off) ? null : stageId }),
  };
}
