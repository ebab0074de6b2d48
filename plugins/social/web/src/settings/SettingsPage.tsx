import { useCan, useTexts } from "@portico/app-shell";
import { Button, NativeSelect, Select } from "@mantine/core";
import { Card, Form, useDeed } from "@portico/ui";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { BrandPage } from "../parts.tsx";
import { Mails } from "./Mails.tsx";
import { useReload, useSocial, type Brand } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** The brand: name, zone, approval policy, slot plan. */
export default function SettingsPage() {
  const { t } = useTexts();
  const [creating, setCreating] = useState(false);
  const mayWrite = useCan("brands:write");
  return (
    <BrandPage
      title={t("settings.title")}
      tools={() =>
        mayWrite && (
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(!creating)}>
            {t("brand.new")}
          </Button>
        )
      }
    >
      {(brand) => (
        <>
          {creating && <NewBrand onClose={() => setCreating(false)} />}
          <General key={`g${brand.brandId}`} brand={brand} mayWrite={mayWrite} />
          <Policy key={`p${brand.brandId}`} brand={brand} mayWrite={mayWrite} />
          <Mails />
          <Slots key={`s${brand.brandId}`} brand={brand} mayWrite={mayWrite} />
        </>
      )}
    </BrandPage>
  );
}

function NewBrand({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  return (
    <Card title={t("brand.new")}>
      <Form
        initial={{ name: "" }}
        schema={{ required: ["name"], properties: { name: { type: "string", maxLength: 120 } } }}
        fields={[{ name: "name", label: t("brand.name") }]}
        act={t("brand.create")}
        onCancel={onClose}
        submit={async ({ name }, idempotencyKey) => {
          await api.post("/api/brands", {
            body: { name, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" },
            idempotencyKey,
          });
          await reload();
          onClose();
        }}
      />
    </Card>
  );
}

/** Saves members of the brand. */
function useSave(brand: Brand): (change: object) => Promise<unknown> {
  const api = useSocial();
  const reload = useReload();
  return (change) =>
    api.patch("/api/brands/{brandId}", { path: { brandId: brand.brandId }, body: change as never, version: brand.version }).finally(reload);
}

function General({ brand, mayWrite }: { brand: Brand; mayWrite: boolean }) {
  const { t } = useTexts();
  const save = useSave(brand);
  const off = mayWrite ? {} : { off: t("settings.mayNot") };
  const zones = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), brand.timeZone])].map((value) => ({
    value,
    label: value.replaceAll("_", " "),
  }));
  return (
    <Card title={t("settings.general")}>
      <Form
        stays
        initial={{
          name: brand.name,
          description: brand.description,
          timeZone: brand.timeZone,
          language: brand.language,
          latePublishGraceMinutes: brand.latePublishGraceMinutes,
        }}
        schema={{
          required: ["name", "timeZone", "language"],
          properties: { name: { type: "string", maxLength: 120 }, description: { type: "string", maxLength: 2000 } },
        }}
        fields={[
          { name: "name", label: t("brand.name"), ...off },
          { name: "description", label: t("brand.description"), kind: "multiline", ...off },
          { name: "timeZone", label: t("brand.zone"), hint: t("brand.zoneHint"), kind: "choice", options: zones, ...off },
          { name: "language", label: t("brand.language"), hint: t("brand.languageHint"), ...off },
          { name: "latePublishGraceMinutes", label: t("brand.grace"), hint: t("brand.graceHint"), kind: "number", ...off },
        ]}
        submit={save}
      />
    </Card>
  );
}

function Policy({ brand, mayWrite }: { brand: Brand; mayWrite: boolean }) {
  const { t } = useTexts();
  const save = useSave(brand);
  const { busy, run } = useDeed();
  // Shows the choice until the server has answered.
  const [wanted, setWanted] = useState<Partial<Brand["approvalPolicy"]>>({});
  const { required, steps, allowSelfApproval } = { ...brand.approvalPolicy, ...wanted };
  const change = (part: Partial<Brand["approvalPolicy"]>) => {
    setWanted(part);
    void run(() => save({ approvalPolicy: part }), t("settings.saved")).finally(() => setWanted({}));
  };
  const off = busy || !mayWrite;
  return (
    <Card title={t("policy.title")} text={t("policy.text")}>
      <div className={classes["stack"]}>
        <label className={page["check"]}>
          <input
            type="checkbox"
            checked={required}
            disabled={off}
            onChange={(event) => change({ required: event.currentTarget.checked })}
          />
          <span>{t("policy.required")}</span>
        </label>
        {required && (
          <>
            <NativeSelect
              label={t("policy.steps")}
              disabled={off}
              data={["1", "2", "3"]}
              value={String(steps)}
              onChange={(event) => change({ steps: Number(event.currentTarget.value) })}
            />
            <label className={page["check"]}>
              <input
                type="checkbox"
                checked={allowSelfApproval}
                disabled={off}
                onChange={(event) => change({ allowSelfApproval: event.currentTarget.checked })}
              />
              <span>{t("policy.self")}</span>
            </label>
          </>
        )}
      </div>
    </Card>
  );
}

function Slots({ brand, mayWrite }: { brand: Brand; mayWrite: boolean }) {
  const { t, locale } = useTexts();
  const save = useSave(brand);
  const { busy, run } = useDeed();
  const [weekday, setWeekday] = useState("1");
  const [time, setTime] = useState("09:00");
  // 2024-01-01 was a Monday.
  const names = Array.from({ length: 7 }, (_, at) => ({
    value: String(at + 1),
    label: new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2024, 0, 1 + at))),
  }));
  const plan = [...brand.slotPlan].sort((a, b) => a.weekday - b.weekday || a.time.localeCompare(b.time));
  const change = (slotPlan: readonly object[]) => void run(() => save({ slotPlan }), t("settings.saved"));
  return (
    <Card title={t("slots.title")} text={t("slots.text")}>
      <div className={classes["stack"]}>
        {plan.length === 0 ? (
          <p className={page["muted"]}>{t("slots.none")}</p>
        ) : (
          <ul className={page["plain"]}>
            {plan.map((each) => (
              <li key={`${each.weekday} ${each.time}`}>
                <span className={page["grow"]}>
                  {names[each.weekday - 1]?.label} {each.time}
                </span>
                {mayWrite && (
                  <Button
                    variant="subtle"
                    disabled={busy}
                    leftSection={<X size={16} aria-hidden />}
                    aria-label={t("slots.removeWhat", { day: names[each.weekday - 1]?.label ?? "", time: each.time })}
                    onClick={() => change(plan.filter((other) => other !== each))}
                  >
                    {t("act.remove")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
        {mayWrite && (
          <div className={classes["fields"]}>
            <Select
              label={t("slots.day")}
              data={names}
              value={weekday}
              allowDeselect={false}
              onChange={(value) => value && setWeekday(value)}
            />
            <label className={classes["label"]}>
              {t("slots.time")}
              <input type="time" value={time} onChange={(event) => setTime(event.currentTarget.value)} />
            </label>
            <Button
              disabled={busy || !time || plan.some((each) => each.weekday === Number(weekday) && each.time === time)}
              onClick={() => change([...plan, { weekday: Number(weekday), time }])}
            >
              {t("slots.add")}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
