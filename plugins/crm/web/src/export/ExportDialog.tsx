import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Dialog, Note, problemOf, useUi } from "@portico/ui";
import { useEffect, useRef, useState } from "react";
import { contactCounter, download, fileOnDisk } from "../download.ts";
import { useCrm } from "../service.ts";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

const formats = ["csv", "vcard", "json", "ndjson"] as const;
const presets = ["generic", "google", "outlook", "hubspot"] as const;
/** Members of a contact that may be left out, with their texts where those have other names. */
const members = [
  "displayName",
  "prefix",
  "firstName",
  "middleName",
  "lastName",
  "suffix",
  "nickname",
  "companyName",
  "jobTitle",
  "department",
  "birthday",
  "emails",
  "phones",
  "addresses",
  "websites",
  "tags",
  "lifecycle",
  "ownerUserId",
  "doNotContact",
  "customFields",
  "source",
] as const;
const named: Readonly<Record<string, string>> = { companyName: "company", ownerUserId: "owner" };
const endings = { csv: "csv", vcard: "vcf", json: "json", ndjson: "ndjson" } as const;

/** Contacts as a file: those of `ids`, those that the list shows, or all. A cut answer leaves no file, and says so. `query` is the list's part of the address. */
export default function ExportDialog({
  query,
  ids,
  total,
  onClose,
}: {
  query: string;
  ids: readonly string[];
  total: number | undefined;
  onClose: () => void;
}) {
  const { t, bytes: formatted } = useTexts();
  const ui = useUi();
  const api = useCrm();
  const filter = new URLSearchParams(query);
  for (const name of ["sort", "columns"]) filter.delete(name);
  const choices: (readonly [string, URLSearchParams, string])[] = [];
  if (ids.length > 0)
    choices.push([
      "selected",
      new URLSearchParams({ id: ids.join(), archived: filter.get("archived") ?? "false" }),
      t("export.selected", { count: ids.length }),
    ]);
  if (filter.size > 0)
    choices.push(["filtered", filter, total === undefined ? t("export.filtered") : t("export.filteredCount", { count: total })]);
  choices.push(["all", new URLSearchParams(), t("export.all")]);
  const [what, setWhat] = useState(choices[0]?.[0]);
  const [format, setFormat] = useState<(typeof formats)[number]>("csv");
  const [preset, setPreset] = useState<(typeof presets)[number]>("generic");
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<{ readonly count: number; readonly bytes: number } | null>(null);
  const [all, setAll] = useState<number>();
  const [problem, setProblem] = useState("");
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  // Closing the tab would end it.
  const running = done !== null;
  useEffect(() => (running ? ui.address.guard(() => false) : undefined), [running, ui.address]);

  const run = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setProblem("");
    const asked = new URLSearchParams(choices.find(([name]) => name === what)?.[1]);
    const counted = new URLSearchParams({ ...Object.fromEntries(asked), limit: "1", include: "total" });
    asked.set("format", format);
    if (format === "csv") asked.set("preset", preset);
    if (leftOut.size > 0) asked.set("fields", members.filter((each) => !leftOut.has(each)).join());
    const count = contactCounter(format);
    let bytes = 0;
    try {
      const disk = await fileOnDisk(`contacts-${new Date().toISOString().slice(0, 10).replaceAll("-", "")}.${endings[format]}`);
      setDone({ count: 0, bytes });
      setAll(undefined);
      // How far it is of all is told where it can be; the file does not wait for that.
      void api
        .raw(`/api/contacts?${counted}`, { signal })
        .then(async (answer) => setAll(((await answer.json()) as { total?: number }).total))
        .catch(() => undefined);
      await download(api, `/api/contacts/export?${asked}`, `contacts.${endings[format]}`, {
        disk,
        signal,
        onPart: (part) => setDone({ count: count(part), bytes: (bytes += part.byteLength) }),
      });
      onClose();
      ui.notices.tell({ kind: "done", text: t("export.done", { count: count(new Uint8Array()) }) });
    } catch (error) {
      setDone(null);
      const refused = problemOf(error);
      if (signal.aborted || (error instanceof DOMException && error.name === "AbortError")) return;
      setProblem(
        [error instanceof DOMException ? t("export.notWritten") : refused.status ? ui.sentence(error) : t("export.cut"), refused.requestId]
          .filter(Boolean)
          .join(" · "),
      );
    }
  };
  const choice = (label: string, value: string, list: readonly string[], set: (value: string) => void, prefix: string) => (
    <label style={{ display: "grid", gap: "0.25rem" }}>
      {label}
      <select className={page["select"]} value={value} onChange={(event) => set(event.currentTarget.value)}>
        {list.map((each) => (
          <option key={each} value={each}>
            {t(`${prefix}.${each}`)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Dialog
      open
      title={t("export.title")}
      onClose={onClose}
      actions={
        done === null ? (
          <>
            <Button onClick={onClose}>{t("act.cancel")}</Button>
            <Button variant="filled" disabled={leftOut.size === members.length} onClick={() => void run()}>
              {t("export.act")}
            </Button>
          </>
        ) : (
          <Button onClick={() => stop.current?.abort()}>{t("act.cancel")}</Button>
        )
      }
    >
      {done !== null ? (
        <p role="status">
          {t(all === undefined ? "export.running" : "export.runningOf", { count: done.count, all: all ?? 0, size: formatted(done.bytes) })}{" "}
          <progress aria-label={t("export.title")} {...(all && { value: done.count, max: all })} />
        </p>
      ) : (
        <div style={{ display: "grid", gap: "0.75rem" }}>
          {problem && (
            <Note kind="bad" alert>
              {problem}
            </Note>
          )}
          {choices.length > 1 &&
            choices.map(([name, , words]) => (
              <label key={name} className={page["check"]}>
                <input type="radio" name="what" checked={what === name} onChange={() => setWhat(name)} />
                {words}
              </label>
            ))}
          {choice(
            t("imports.format"),
            format,
            formats,
            (value) => setFormat(formats.find((each) => each === value) ?? "csv"),
            "imports.format",
          )}
          {format === "csv" &&
            choice(
              t("export.preset"),
              preset,
              presets,
              (value) => setPreset(presets.find((each) => each === value) ?? "generic"),
              "imports.preset",
            )}
          <details>
            <summary>{t("export.fields", { count: members.length - leftOut.size, all: members.length })}</summary>
            <div className={own["choices"]}>
              {members.map((each) => (
                <label key={each} className={page["check"]}>
                  <input
                    type="checkbox"
                    checked={!leftOut.has(each)}
                    onChange={(event) =>
                      setLeftOut(new Set(event.currentTarget.checked ? [...leftOut].filter((other) => other !== each) : [...leftOut, each]))
                    }
                  />
                  {t(`contact.${named[each] ?? each}`)}
                </label>
              ))}
            </div>
          </details>
        </div>
      )}
    </Dialog>
  );
}
