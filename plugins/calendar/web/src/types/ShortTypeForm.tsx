import { useTexts } from "@portico/app-shell";
import { Form, useSchema, type Field } from "@portico/ui";
import { useMemo } from "react";
import { linkOf, slugOf, useCalendar, whole, type EventType } from "../service.ts";
import { meetingKinds } from "./kinds.ts";
import classes from "../page.module.css";

interface Values {
  title: string;
  slug: string;
  durationMinutes: number;
  meetingKind: EventType["meetingKind"];
  meetingDetails: string;
}

/** What an event type needs first; the rest has values that fit. */
export function ShortTypeForm({
  initial,
  act,
  handle,
  onMade,
  onCancel,
}: {
  initial?: Partial<Values>;
  act: string;
  handle: string;
  onMade: (type: EventType) => unknown;
  onCancel?: () => void;
}) {
  const { t } = useTexts();
  const api = useCalendar();
  const schema = useSchema("/api/admin/event-types", "post");
  const values = useMemo(
    (): Values => ({ title: "", slug: "", durationMinutes: 30, meetingKind: "none", meetingDetails: "", ...initial }),
    [initial?.title, initial?.slug],
  );
  const fields: Field<keyof Values>[] = [
    { name: "title", label: t("type.title"), hint: t("type.titleHint") },
    { name: "slug", label: t("type.slug"), hint: t("type.slugFromName", { link: linkOf(handle, "…") }) },
    { name: "durationMinutes", label: t("type.duration") },
    {
      name: "meetingKind",
      label: t("type.where"),
      kind: "choice",
      options: meetingKinds.map((value) => ({ value, label: t(`meeting.${value}`) })),
    },
    { name: "meetingDetails", label: t("type.details"), hint: t("type.detailsHint"), kind: "text" },
  ];
  return (
    <div className={classes["form"]}>
      <Form<Values>
        fields={fields}
        initial={values}
        schema={schema && { ...schema, required: ["title", "durationMinutes", "meetingKind"] }}
        act={act}
        draft="event-type:new"
        submit={async (body, key) =>
          onMade(
            (await whole(
              api.post("/api/admin/event-types", { body: { ...body, slug: body.slug || slugOf(body.title) }, idempotencyKey: key }),
            )) as EventType,
          )
        }
        {...(onCancel && { onCancel })}
      />
    </div>
  );
}
