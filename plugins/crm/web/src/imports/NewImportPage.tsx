import { navigate, setQuery, usePreference, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Problem } from "@portico/api";
import { Button } from "@mantine/core";
import { Card, FileDrop, JobView, Note, Page, problemOf, saveAs, useUi } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { Fault, faulty } from "../parts.tsx";
import { Totals } from "../report.tsx";
import { stagesOf, useCrm, usePeople, usePipelines, type ImportReport } from "../service.ts";
import { Choice, Columns, type Faults, FirstRows } from "./Columns.tsx";
import { firstRows } from "./csv.ts";
import { jobOf } from "./ImportPage.tsx";
import { optionsOf, sample, withoutNames, type Mapping, type Options } from "./options.ts";
import { Errors, Sample, totalsOf } from "./Report.tsx";
import classes from "./imports.module.css";
import page from "@portico/ui/page.module.css";

const steps = ["file", "kind", "columns", "preview"] as const;
type Step = (typeof steps)[number];
/** What is said of a file in a step. */
const fieldsOf: Partial<Record<Step, RegExp>> = { columns: /^(defaultCountry|mapping\..+)$/, preview: /^(tags|ownerUserId|stageId)$/ };
const mostBytes = 50 * 1024 * 1024;
const pollMilliseconds = 1_000;
const accepted = ".csv,.txt,.tsv,.vcf,.json,.ndjson,text/csv,text/vcard,text/plain,application/json";
const noMappings: Readonly<Record<string, Mapping>> = {};
const keptMappings = 5;

/**
 * A file becomes contacts in four steps, and nothing is written before the last. The file is sent once: the service keeps it with its dry run, whose id stands
 * in the address, so that one may go on from there after a reload and in another tab.
 */
export default function NewImportPage() {
  const { t } = useTexts();
  const { sentence, fault } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const [asked] = useAddressQuery("step");
  const [askedId] = useAddressQuery("import");
  const [askedSample] = useAddressQuery("sample");
  const [file, setFile] = useState<File | null>(null);
  /** As it is said on the page, and as the report was made. They differ until the service has looked again. */
  const [options, setOptions] = useState<Options>({});
  const [tried, setTried] = useState<Options>({});
  const [report, setReport] = useState<ImportReport | null>(null);
  const [rows, setRows] = useState<readonly (readonly string[])[]>([]);
  const [working, setWorking] = useState(askedId !== null);
  const [sent, setSent] = useState(0);
  const [problem, setProblem] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const [known, setKnown] = usePreference("importMappings", noMappings);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  /** The dry run that the address names, and the last one that has ended: its file is run again. */
  const shown = useRef("");
  const ended = useRef("");
  const unmapped = report !== null && report.importId === "";
  const step: Step =
    !report || !(ended.current || unmapped)
      ? "file"
      : unmapped && asked === "preview"
        ? "columns"
        : (steps.find((each) => each === asked) ?? "kind");
  const go = (to: Step) => setQuery({ step: to });

  const read = async (importId: string, signal: AbortSignal) =>
    (await (await api.raw(`/api/contacts/imports/${encodeURIComponent(importId)}`, { signal })).json()) as ImportReport;
  const post = async (path: string, body: FormData | string, signal: AbortSignal, idempotencyKey?: string) =>
    (await (
      await api.raw(path, {
        method: "POST",
        body,
        signal,
        ...(idempotencyKey && { idempotencyKey }),
        ...(typeof body !== "string" && { onSent: setSent }),
        ...(typeof body === "string" && { headers: { "Content-Type": "application/json" } }),
      })
    ).json()) as ImportReport;
  /** Runs the file that the service has, with options; where it has none, or no longer, sends it. With the same `key` it is run once, from however many tabs. */
  const send = async (sent: File | null, said: Options, dryRun: boolean, signal: AbortSignal, key?: string): Promise<ImportReport> => {
    const chosen = JSON.stringify({ ...said, dryRun });
    if (ended.current) {
      try {
        return await post(`/api/contacts/imports/${encodeURIComponent(ended.current)}/run`, chosen, signal, key);
      } catch (error) {
        if (!sent || problemOf(error).code !== "import_file_gone") throw error;
      }
    }
    if (!sent) throw new Problem("import_file_gone", 410, { detail: t("imports.fileGone") });
    const form = new FormData();
    form.set("options", chosen);
    form.set("file", sent, sent.name);
    return post("/api/contacts/import", form, signal);
  };
  /** Waits for a dry run: one of many rows goes on at the server. */
  const settle = async (begun: ImportReport, signal: AbortSignal): Promise<ImportReport> => {
    let found = begun;
    shown.current = found.importId;
    setQuery({ import: found.importId });
    while (found.status === "running") {
      setReport(found);
      await new Promise((done) => setTimeout(done, pollMilliseconds));
      found = await read(found.importId, signal);
    }
    ended.current = found.importId;
    setReport(found);
    return found;
  };
  const attempt = async (act: (signal: AbortSignal) => Promise<void>) => {
    stop.current?.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    setWorking(true);
    setProblem("");
    setFaults({});
    try {
      await act(signal);
    } catch (error) {
      if (signal.aborted) return;
      const { code, errors, requestId } = problemOf(error);
      const ofFile = code === "import_file_gone" ? t("imports.fileGone") : code === "file_unreadable" ? t("file.unreadable") : "";
      // At its field where that is in sight.
      const told = errors.map(
        (wrong) =>
          [
            wrong.field.replace(/\[\d+]$/, "").replace("pipelineId", "stageId"),
            wrong.field === "mapping" ? t("imports.sayWhere") : fault(wrong),
          ] as const,
      );
      const here = ([field]: readonly [string, string]) => fieldsOf[step]?.test(field) ?? false;
      setFaults(Object.fromEntries(told.filter(here)));
      const others = told.filter((each) => !here(each)).map(([, words]) => words);
      if (ofFile || others.length || !told.length)
        setProblem([ofFile || others.join(" ") || sentence(error), requestId].filter(Boolean).join(" · "));
    }
    setWorking(false);
  };
  const look = (sent: File | null, said: Options, then?: Step) => {
    setOptions(said);
    return attempt(async (signal) => {
      const found = await send(sent, said, true, signal).then(
        (begun) => settle(begun, signal),
        (error: unknown) => byHand(error, sent, said),
      );
      setTried(said);
      if (sent && found.importId) setRows(await firstRows(sent, found));
      if (then) go(then);
    });
  };
  /** Where no column is known by its name, or none has one, the person says where they go: looking at the file is left to this page. */
  const byHand = async (error: unknown, sent: File | null, said: Options): Promise<ImportReport> => {
    if (!problemOf(error).errors.some(({ field, code }) => code === "no_header" || field === "mapping")) throw error;
    const read = sent
      ? await firstRows(sent, { format: "csv", encoding: said.encoding ?? "auto", delimiter: said.delimiter ?? "auto" } as ImportReport)
      : [];
    const first = read[0] ?? report?.columns.map(({ name }) => name);
    if (!first) throw error;
    setRows(read);
    setReport(withoutNames(sent?.name ?? report?.fileName ?? "", said, first));
    setTried(said);
    throw error;
  };
  const take = (taken: File) => {
    setSent(0);
    setFile(taken);
    setReport(null);
    ended.current = "";
    setQuery({ import: null, sample: null, step: null });
    void look(taken, {}, "kind");
  };
  const cancel = () => {
    stop.current?.abort();
    setFile(null);
    setWorking(false);
  };
  const takeSample = () => take(new File([sample], "sample.csv", { type: "text/csv" }));
  useEffect(() => {
    if (askedSample) takeSample();
  }, [askedSample]);
  const change = (by: Options) => void look(file, { ...options, ...by });

  useEffect(() => {
    if (!askedId || askedId === shown.current) return;
    setFile(null);
    setRows([]);
    void attempt(async (signal) => {
      ended.current = "";
      const begun = (await (await api.raw(`/api/contacts/imports/${encodeURIComponent(askedId)}`, { signal })).json()) as ImportReport;
      if (!begun.dryRun) return navigate(`/imports/${begun.importId}`, { replace: true });
      const found = await settle(begun, signal);
      setOptions(optionsOf(found));
      setTried(optionsOf(found));
      if (!found.fileUntil || new Date(found.fileUntil) <= new Date()) {
        ended.current = "";
        throw new Problem("import_file_gone", 410, { detail: t("imports.fileGone") });
      }
    });
    // Only another address begins anew.
  }, [askedId]);

  const headers = report?.columns.map(({ name }) => name).join("\u001f") ?? "";
  const leaveKind = () => {
    const mapping = known[headers];
    if (report?.format !== "csv") go("preview");
    else if (mapping && !options.mapping) void look(file, { ...options, mapping }, "columns");
    else go("columns");
  };
  const run = () =>
    attempt(async (signal) => {
      let { importId } = await send(file, options, false, signal, ended.current);
      // What was imported from here and undone since is imported once more.
      while ((await read(importId, signal)).undoneAt)
        ({ importId } = await send(file, options, false, signal, `${ended.current}:${importId}`));
      if (options.mapping && headers)
        setKnown(
          Object.fromEntries(
            [[headers, options.mapping], ...Object.entries(known).filter(([key]) => key !== headers)].slice(0, keptMappings),
          ),
        );
      for (const key of ["/api/contacts", "/api/contacts/imports", "/api/tags"]) void client.invalidateQueries({ queryKey: [key] });
      navigate(`/imports/${importId}`, { replace: true });
    });

  // What has not been looked at is not imported: first the service looks again.
  const stale = JSON.stringify(options) !== JSON.stringify(tried);
  const again = () => void look(file, options);
  const ready = report ? report.totals.created + report.totals.updated : 0;
  return (
    <Page title={t("imports.new")}>
      <ol className={classes["steps"]} aria-label={t("imports.steps")}>
        {steps.map((each) => (
          <li
            key={each}
            aria-current={each === step ? "step" : undefined}
            data-done={steps.indexOf(each) < steps.indexOf(step) || undefined}
          >
            {t(`imports.step.${each}`)}
          </li>
        ))}
      </ol>
      {problem && (
        <Note kind="bad" alert>
          {problem}
        </Note>
      )}
      {step === "file" && (
        <Card title={t("imports.chooseFile")}>
          {working && file && !report ? (
            <Sending file={file} sent={sent} onCancel={cancel} />
          ) : working ? (
            <JobView job={report ? jobOf(report) : { state: "running", done: 0 }} />
          ) : (
            <FileDrop accept={accepted} limit={mostBytes} onFiles={([taken]) => taken && take(taken)} label={t("imports.drop")} />
          )}
          <p className={page["muted"]}>{t("imports.about")}</p>
          <div className={page["row"]}>
            <Button size="compact-sm" onClick={takeSample}>
              {t("imports.sample")}
            </Button>
            <Button size="compact-sm" variant="subtle" onClick={() => saveAs(new Blob([sample], { type: "text/csv" }), "sample.csv")}>
              {t("imports.sampleSave")}
            </Button>
          </div>
          {report && ended.current && !working && (
            <div className={classes["foot"]}>
              <span className={page["muted"]}>
                <bdi>{report.fileName}</bdi>
              </span>
              <Button variant="filled" onClick={() => go("kind")}>
                {t("act.next")}
              </Button>
            </div>
          )}
        </Card>
      )}
      {step === "kind" && report && (
        <Card title={t("imports.step.kind")}>
          <div className={classes["fields"]} aria-busy={working}>
            <Choice name="format" value={options.format ?? report.format} onChange={(format) => change({ format })} />
            {report.format === "csv" && (
              <>
                <Choice
                  name="preset"
                  value={options.preset ?? report.preset ?? "auto"}
                  onChange={(preset) => change({ preset, mapping: undefined })}
                />
                <Choice name="encoding" value={options.encoding ?? report.encoding} onChange={(encoding) => change({ encoding })} />
                <Choice
                  name="delimiter"
                  value={options.delimiter ?? report.delimiter ?? "auto"}
                  onChange={(delimiter) => change({ delimiter, mapping: undefined })}
                />
              </>
            )}
          </div>
          {report.format === "csv" && (
            <label className={page["check"]}>
              <input
                type="checkbox"
                checked={options.hasHeader ?? true}
                onChange={(event) => change({ hasHeader: event.currentTarget.checked, mapping: undefined })}
              />{" "}
              {t("imports.hasHeader")}
            </label>
          )}
          <FirstRows rows={rows} hasHeader={options.hasHeader ?? true} />
          <Foot onBack={() => go("file")} onNext={leaveKind} working={working} again={stale ? again : undefined} />
        </Card>
      )}
      {step === "columns" && report && (
        <Card title={t("imports.step.columns")}>
          <Columns report={report} rows={rows} options={options} working={working} faults={faults} onChange={change} />
          <Foot onBack={() => go("kind")} onNext={() => go("preview")} working={working} again={stale ? again : undefined} off={unmapped} />
        </Card>
      )}
      {step === "preview" && report && (
        <>
          <Card title={t("imports.step.preview")}>
            <div aria-busy={working}>
              <Totals prefix="imports.totals" values={totalsOf(report)} />
            </div>
            {report.duplicatesInFile > 0 && (
              <p className={page["muted"]}>{t("imports.duplicatesInFile", { count: report.duplicatesInFile })}</p>
            )}
          </Card>
          <Card title={t("imports.rules")}>
            <Rules options={options} faults={faults} onChange={change} />
            <Foot
              onBack={() => go(report.format === "csv" ? "columns" : "kind")}
              onNext={() => void run()}
              working={working}
              again={stale ? again : undefined}
              act={t("imports.run", { count: ready })}
              off={ready === 0}
            />
          </Card>
          <Sample report={report} />
          <Errors report={report} />
        </>
      )}
    </Page>
  );
}

/** How much of a file is on its way. */
function Sending({ file, sent, onCancel }: { file: File; sent: number; onCancel: () => void }) {
  const { t, bytes } = useTexts();
  const words = t("file.sent", { sent: bytes(Math.min(sent, file.size)), size: bytes(file.size) });
  return (
    <div className={page["row"]}>
      <progress aria-label={t("file.sending", { name: file.name })} value={Math.min(sent, file.size)} max={file.size} />
      <span className={page["muted"]}>{words}</span>
      <Button size="compact-sm" onClick={onCancel}>
        {t("act.cancel")}
      </Button>
    </div>
  );
}

/** What is done with contacts that exist, and what all of the file get. */
function Rules({ options, faults, onChange }: { options: Options; faults: Faults; onChange: (by: Options) => void }) {
  const { t } = useTexts();
  const id = useId();
  const below = (name: string) => <Fault id={`${id}-${name}`} text={faults[name]} />;
  const marked = (name: string) => faulty(`${id}-${name}`, faults[name]);
  const people = usePeople();
  const pipelines = usePipelines() ?? [];
  const setTags = (typed: string) => {
    const tags = typed
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean);
    if (tags.join() !== (options.tags ?? []).join()) onChange({ tags });
  };
  const setStage = (stageId: string) =>
    onChange({
      stageId: stageId || undefined,
      pipelineId: pipelines.find(({ stages }) => stages.some((each) => each.stageId === stageId))?.pipelineId,
    });
  return (
    <div className={classes["fields"]}>
      <Choice name="onDuplicate" value={options.onDuplicate ?? "skip"} onChange={(onDuplicate) => onChange({ onDuplicate })} />
      <div>
        <label>
          {t("imports.addTags")}
          <input {...marked("tags")} defaultValue={options.tags?.join(", ") ?? ""} onBlur={(event) => setTags(event.currentTarget.value)} />
        </label>
        {below("tags")}
      </div>
      <div>
        <label>
          {t("contact.owner")}
          <select
            {...marked("ownerUserId")}
            value={options.ownerUserId ?? ""}
            onChange={(event) => onChange({ ownerUserId: event.currentTarget.value || undefined })}
          >
            <option value="">{t("imports.nobody")}</option>
            {people.list.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {below("ownerUserId")}
      </div>
      <div>
        <label>
          {t("contact.stage")}
          <select {...marked("stageId")} value={options.stageId ?? ""} onChange={(event) => setStage(event.currentTarget.value)}>
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
        {below("stageId")}
      </div>
    </div>
  );
}

function Foot({
  onBack,
  onNext,
  working,
  again,
  act,
  off = false,
}: {
  onBack: () => void;
  onNext: () => void;
  working: boolean;
  again: (() => void) | undefined;
  act?: string;
  off?: boolean;
}) {
  const { t } = useTexts();
  const { say } = useUi();
  return (
    <div className={classes["foot"]}>
      <Button onClick={onBack}>{t("act.back")}</Button>
      <Button variant="filled" loading={working} disabled={off && !again} onClick={again ?? onNext}>
        {again && !working ? say("act.retry") : (act ?? t("act.next"))}
      </Button>
    </div>
  );
}
