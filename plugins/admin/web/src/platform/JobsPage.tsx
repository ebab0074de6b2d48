import { setQuery, useCan, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Empty } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { ListTodo } from "lucide-react";
import { useState } from "react";
import { Choice, Row, Rows, When } from "../parts.tsx";
import { whole } from "../service.ts";
import { PlatformFrame, Steps } from "./Frame.tsx";
import { useStates } from "./states.ts";
import { useOperation, useSystem, type Job } from "./system.ts";

const states = ["dead", "waiting", "running", "all"] as const;

/** Work in the background by its state. What was given up can be tried again, or dropped for good. */
export default function JobsPage() {
  const { t } = useTexts();
  const say = useStates();
  const api = useSystem();
  const operates = useCan("system:operate");
  const operation = useOperation();
  const [wanted] = useAddressQuery("status");
  const [dropped, setDropped] = useState<Job | null>(null);
  const status = states.find((each) => each === wanted) ?? "dead";
  const jobs = useQuery({
    queryKey: ["/api/system/jobs", status],
    refetchInterval: 5_000,
    queryFn: async ({ signal }) => (await whole(api.get("/api/system/jobs", { query: { status, limit: 200 }, signal }))).jobs as Job[],
  });
  return (
    <PlatformFrame>
      <Steps operation={operation} />
      <Card
        title={t("jobs.title")}
        tools={
          <Choice
            bare
            label={t("jobs.state")}
            value={status}
            options={states.map((each) => [each, t(`jobs.${each}`)] as const)}
            onChange={(value) => setQuery({ status: value === "dead" ? null : value })}
          />
        }
      >
        <Rows query={jobs} lines={6} empty={<Empty icon={ListTodo} title={t(status === "dead" ? "jobs.noneDead" : "jobs.none")} />}>
          {(each) => (
            <Row
              key={each.id}
              name={`${each.service} ${each.type}`}
              sign={<Chip kind={each.status === "dead" ? "bad" : "plain"}>{say(each.status)}</Chip>}
              more={
                <>
                  {t("jobs.attempts", { attempts: each.attempts })} · <When at={each.dueAt || each.createdAt} />{" "}
                  {each.error && (
                    <>
                      · <bdi>{each.error}</bdi>
                    </>
                  )}
                </>
              }
            >
              {operates && each.status === "dead" && (
                <>
                  <Button
                    disabled={operation.busy}
                    onClick={() => void operation.begin(() => api.post("/api/system/jobs/{jobId}/retry", { path: { jobId: each.id } }))}
                  >
                    {t("jobs.retry")}
                  </Button>
                  <Button color="red" disabled={operation.busy} onClick={() => setDropped(each)}>
                    {t("jobs.discard")}
                  </Button>
                </>
              )}
            </Row>
          )}
        </Rows>
      </Card>
      <Confirm
        open={dropped !== null}
        title={t("jobs.discardTitle")}
        text={t("jobs.discardText")}
        act={t("jobs.discard")}
        onClose={() => setDropped(null)}
        onConfirm={() => {
          if (dropped) void operation.begin(() => api.post("/api/system/jobs/{jobId}/discard", { path: { jobId: dropped.id } }));
          setDropped(null);
        }}
      />
    </PlatformFrame>
  );
}
