import { Copied } from "@portico/ui";
import { useShell } from "./core.tsx";
import { Dialog } from "./dialog.tsx";
import { lastProblem } from "./sender.ts";
import { usePlace } from "./router.tsx";

/** What somebody who looks for a fault needs, and nothing of what is on the page. */
export default function Report({ onClose }: { onClose: () => void }) {
  const { app, texts } = useShell();
  const { path } = usePlace();
  const last = lastProblem();
  const build = [...document.scripts].map((each) => /index-([\w-]+)\.js$/.exec(each.src)?.[1]).find(Boolean) ?? "dev";
  const text = [
    `service: ${app.service}`,
    `build: ${build}`,
    `route: ${app.sections.find((each) => path.startsWith(each.path.split("/:")[0] ?? ""))?.path ?? path}`,
    `problem: ${last ? `${last.problem.status} ${last.problem.code}` : "-"}`,
    `request: ${last?.problem.requestId || "-"}`,
    `at: ${new Date(last?.at ?? Date.now()).toISOString()}`,
    `browser: ${navigator.userAgent}`,
  ].join("\n");
  return (
    <Dialog title={texts.t("report.title")} onClose={onClose}>
      <p>{texts.t("report.text")}</p>
      <Copied text={text} label={texts.t("report.title")} />
    </Dialog>
  );
}
