import { navigate, setQuery, usePreference, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { FileDrop, JobView, problemOf, useUi } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { saveAs } from "../download.ts";
import { Card, Page } from "../parts.tsx";
import { stagesOf, useCrm, usePeople, usePipelines, type ImportReport } from "../service.ts";
import { Choice, Columns, FirstRows } from "./Columns.tsx";
import { firstRows } from "./csv.ts";
import { jobOf } from "./ImportPage.tsx";
import { sample, type Mapping, type Options } from "./options.ts";
import { Errors, Totals } from "./Report.tsx";
import classes from "./imports.module.css";
import page from "../page.module.css";

const steps = ["file", "kind", "columns", "preview"] as const;
type Step = (typeof steps)[number];
const mostBytes = 50 * 1024 * 1024;
const pollMilliseconds = 1_000;
const accepted = ".csv,.txt,.tsv,.vcf,.json,.ndjson,text/csv,text/vcard,text/plain,application/json";
const noMappings: Readonly<Record<string, Mapping>> = {};
const keptMappings = 5;

/** A file becomes contacts in four steps, and nothing is written before the last. */
export default function NewImportPage() {
  const { t } = useTexts();
  const { sentence } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const [asked] = useAddressQuery("step");
  const [file, setFile] = useState<File | null>(null);
  const [options, setOptions] = useState<Options>({});
  const [report, setReport] = useState<ImportReport | null>(null);
  const [rows, setRows] = useState<readonly (readonly string[])[]>([]);
  const [working, setWorking] = useState(false);
  const [problem, setProblem] = useState("");
  const [known, setKnown] = usePreference("importMappings", noMappings);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const step: Step = file && report ? (steps.find((each) => each === asked) ?? "file") : "file";
  const go = (to: Step) => setQuery({ step: to === "file" ? null : to });

  /** Sends the file with options. A dry run of many rows goes on at the server: it is asked until it has ended. */
  const send = async (sent: File, said: Options, dryRun: boolean): Promise<ImportReport> => {
    const form = new FormData();
    form.set("options", JSON.stringify({ ...said, dryRun }));
    form.set("file", sent, sent.name);
    stop.current?.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    let found = (await (await api.raw("/api/contacts/import", { method: "POST", body: form, signal })).json()) as ImportReport;
    while (dryRun && found.status === "running") {
      setReport(found);
      await new Promise((done) => setTimeout(done, pollMilliseconds));
      found = (await (await api.raw(`/api/contacts/imports/${found.importId}`, { signal })).json()) as ImportReport;
    }
    return found;
  };
  const attempt = async (act: () => Promise<void>) => {
    setWorking(true);
    setProblem("");
    try {
      await act();
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      setProblem([problemOf(error).errors[0]?.message || sentence(error), problemOf(error).requestId].filter(Boolean).join(" · "));
    }
    setWorking(false);
  };
  const look = (sent: File, said: Options, then?: Step) =>
    attempt(async () => {
      const found = await send(sent, said, true);
      setReport(found);
      setOptions(said);
      setRows(await firstRows(sent, found));
      if (then) go(then);
    });
  const take = (taken: File) => {
    setFile(taken);
    setReport(null);
    void look(taken, {}, "kind");
  };
  const change = (by: Options) => file && void look(file, { ...options, ...by });

  const headers = report?.columns.map(({ name }) => name).join("\u001f") ?? "";
  const leaveKind = () => {
    const mapping = known[headers];
    if (report?.format !== "csv") go("preview");
    else if (file && mapping && !options.mapping) void look(file, { ...options, mapping }, "columns");
    else go("columns");
  };
  const run = () =>
    attempt(async () => {
      if (!file) return;
      const { importId } = await send(file, options, false);
      if (options.mapping && headers) setKnown(Object.fromEntries([[headers, options.mapping], ...Object.entries(known).filter(([key]) => key !== headers)].slice(0, keptMappings)));
      for (const key of ["/api/contacts", "/api/contacts/imports", "/api/tags"]) void client.invalidateQueries({ queryKey: [key] });
      navigate(`/imports/${importId}`, { replace: true });
    });

  const ready = report ? report.totals.created + report.totals.updated : 0;
  return (
    <Page title={t("imports.new")}>
      <ol className={classes["steps"]} aria-label={t("imports.steps")}>
        {steps.map((each) => (
          <li key={each} aria-current={each === step ? "step" : undefined} data-done={steps.indexOf(each) < steps.indexOf(step) || undefined}>
            {t(`imports.step.${each}`)}
          </li>
        ))}
      </ol>
      {problem && (
        <p className={`${page["note"]} ${page["bad"]}`} role="alert">
          {problem}
        </p>
      )}
      {step === "file" && (
        <Card title={t("imports.chooseFile")}>
          {working ? <JobView job={report ? jobOf(report) : { state: "running", done: 0 }} /> : <FileDrop accept={accepted} limit={mostBytes} onFiles={([taken]) => taken && take(taken)} label={t("imports.drop")} />}
          <p className={page["muted"]}>{t("imports.about")}</p>
          <div className={page["row"]}>
            <Button size="compact-sm" onClick={() => take(new File([sample], "sample.csv", { type: "text/csv" }))}>
              {t("imports.sample")}
            </Button>
            <Button size="compact-sm" variant="subtle" onClick={() => saveAs(new Blob([sample], { type: "text/csv" }), "sample.csv")}>
              {t("imports.sampleSave")}
            </Button>
          </div>
        </Card>
      )}
      {step === "kind" && report && (
        <Card title={t("imports.step.kind")}>
          <div className={classes["fields"]} aria-busy={working}>
            <Choice name="format" value={options.format ?? report.format} onChange={(format) => change({ format })} />
            {report.format === "csv" && (
              <>
                <Choice name="preset" value={options.preset ?? report.preset ?? "auto"} onChange={(preset) => change({ preset, mapping: undefined })} />
                <Choice name="encoding" value={options.encoding ?? report.encoding} onChange={(encoding) => change({ encoding })} />
                <Choice name="delimiter" value={options.delimiter ?? report.delimiter ?? "auto"} onChange={(delimiter) => change({ delimiter, mapping: undefined })} />
              </>
            )}
          </div>
          {report.format === "csv" && (
            <label className={page["check"]}>
              <input type="checkbox" checked={options.hasHeader ?? true} onChange={(event) => change({ hasHeader: event.currentTarget.checked, mapping: undefined })} /> {t("imports.hasHeader")}
            </label>
          )}
          <FirstRows rows={rows} hasHeader={options.hasHeader ?? true} />
          <Foot onBack={() => go("file")} onNext={leaveKind} working={working} />
        </Card>
      )}
      {step === "columns" && report && (
        <Card title={t("imports.step.columns")}>
          <Columns report={report} rows={rows} options={options} working={working} onChange={change} />
          <Foot onBack={() => go("kind")} onNext={() => go("preview")} working={working} />
        </Card>
      )}
      {step === "preview" && report && (
        <>
          <Card title={t("imports.step.preview")}>
            <div aria-busy={working}>
              <Totals report={report} />
            </div>
            {report.duplicatesInFile > 0 && <p className={page["muted"]}>{t("imports.duplicatesInFile", { count: report.duplicatesInFile })}</p>}
          </Card>
          <Card title={t("imports.rules")}>
            <Rules options={options} onChange={change} />
            <Foot onBack={() => go(report.format === "csv" ? "columns" : "kind")} onNext={() => void run()} working={working} act={t("imports.run", { count: ready })} off={ready === 0} />
          </Card>
          <Errors report={report} />
        </>
      )}
    </Page>
  );
}

/** What is done with contacts that exist, and what all of the file get. */
function Rules({ options, onChange }: { options: Options; onChange: (by: Options) => void }) {
  const { t } = useTexts();
  const people = usePeople();
  const pipelines = usePipelines() ?? [];
  const setTags = (typed: string) => {
    const tags = typed.split(",").map((each) => each.trim()).filter(Boolean);
    if (tags.join() !== (options.tags ?? []).join()) onChange({ tags });
  };
  const setStage = (stageId: string) => onChange({ stageId: stageId || undefined, pipelineId: pipelines.find(({ stages }) => stages.some((each) => each.stageId === stageId))?.pipelineId });
  return (
    <div className={classes["fields"]}>
      <Choice name="onDuplicate" value={options.onDuplicate ?? "skip"} onChange={(onDuplicate) => onChange({ onDuplicate })} />
      <label>
        {t("imports.addTags")}
        <input defaultValue={options.tags?.join(", ") ?? ""} onBlur={(event) => setTags(event.currentTarget.value)} />
      </label>
      <label>
        {t("contact.owner")}
        <select value={options.ownerUserId ?? ""} onChange={(event) => onChange({ ownerUserId: event.currentTarget.value || undefined })}>
          <option value="">{t("imports.nobody")}</option>
          {people.list.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("contact.stage")}
        <select value={options.stageId ?? ""} onChange={(event) => setStage(event.currentTarget.value)}>
          <option value="">{t("contact.noStage")}</option>
          {pipelines.map((pipeline) => (
            <optgroup key={pipeline.pipelineId} label={pipeline.name}>
              {stagesOf(pipeline).map(({ stageId, name }) => (
                <option key={stageId} value={stageId}>
                  {name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
    </div>
  );
}

function Foot({ onBack, onNext, working, act, off = false }: { onBack: () => void; onNext: () => void; working: boolean; act?: string; off?: boolean }) {
  const { t } = useTexts();
  return (
    <div className={classes["foot"]}>
      <Button onClick={onBack}>{t("act.back")}</Button>
      <Button variant="filled" loading={working} disabled={off} onClick={onNext}>
        {act ?? t("act.next")}
      </Button>
    </div>
  );
}
