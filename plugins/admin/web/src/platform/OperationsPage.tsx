import { setQuery, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Card, Chip, Empty } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { Choice, Rows, When } from "../parts.tsx";
import { whole } from "../service.ts";
import { PlatformFrame, StepList, Took } from "./Frame.tsx";
import { useStates } from "./states.ts";
import { useServiceStatus, useSystem, type Operation } from "./system.ts";
import page from "@portico/ui/page.module.css";

/** What was done to the host, by whomever, the newest first. */
export default function OperationsPage() {
  const { t } = useTexts();
  const say = useStates();
  const api = useSystem();
  const services = useServiceStatus().data;
  const [service] = useAddressQuery("service");
  const operations = useQuery({
    queryKey: ["/api/system/operations", "list", service],
    refetchInterval: 5_000,
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/system/operations", { query: { limit: 100, ...(service && { service }) }, signal })))
        .operations as Operation[],
  });
  return (
    <PlatformFrame>
      <Card
        title={t("operations.title")}
        tools={
          <Choice
            bare
            label={t("operations.service")}
            value={service ?? ""}
            options={[["", t("operations.all")], ...(services ?? []).map((each) => [each.service, each.service] as const)]}
            onChange={(value) => setQuery({ service: value || null })}
          />
        }
      >
        <Rows query={operations} lines={8} empty={<Empty icon={History} title={t("operations.none")} />}>
          {(each) => (
            <li key={each.id}>
              <details className={page["grow"]}>
                <summary>
                  <strong>{each.command}</strong> {each.service && <code>{each.service}</code>}{" "}
                  <Chip kind={each.status === "done" ? "good" : "bad"}>{say(each.status)}</Chip>{" "}
                  <span className={page["more"]}>
                    <bdi>{each.requestedBy}</bdi> · <When at={each.endedAt} /> · <Took microseconds={each.microseconds} />
                  </span>
                </summary>
                <StepList operation={each} />
              </details>
            </li>
          )}
        </Rows>
      </Card>
    </PlatformFrame>
  );
}
