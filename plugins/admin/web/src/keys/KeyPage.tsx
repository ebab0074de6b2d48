import { navigate, useAuth, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Chip, Confirm, Facts, Note, useDeed, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Choice, Failed, Page, ShownOnce, When } from "../parts.tsx";
import { useIdentity, useServices, whole, type ApiKey } from "../service.ts";
import { Sparkline } from "../Sparkline.tsx";
import { Curl } from "./Curl.tsx";
import { KeyState } from "./KeysPage.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const path = "/api/auth/api-keys/{id}";

/** One key: what it opens, how it is used, its successor and its end. */
export default function KeyPage({ params }: PageProps) {
  const { t, dateTime } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const services = useServices();
  const { busy, run } = useDeed();
  const [revoking, setRevoking] = useState(false);
  const at = { path: { id: params["id"] ?? "" } };
  const { data, error, refetch } = useQuery({
    queryKey: ["/api/auth/api-keys", at.path.id, "one"],
    queryFn: ({ signal }) => whole(api.get(path, { ...at, signal })) as Promise<ApiKey>,
  });
  if (!data)
    return (
      <Page title={t("keys.one")}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting skeleton={<Bones lines={8} />} />}
      </Page>
    );
  const again = () => client.invalidateQueries({ queryKey: ["/api/auth/api-keys"] });
  const live = data.status === "active" || data.status === "disabled" || data.status === "rotating";
  const switchTo = (status: "active" | "disabled") =>
    void run(() => api.patch(path, { ...at, body: { status }, version: data.version }).finally(again));
  const revoke = () => {
    setRevoking(false);
    void run(() => api.delete(path, { ...at, body: { reason: "" } }).then(again), t("keys.revoked", { name: data.name }));
  };
  return (
    <Page title={<bdi>{data.name}</bdi>} tools={<KeyState apiKey={data} />}>
      <Card title={t("keys.about")}>
        <div className={classes["stack"]}>
          <Facts
            list={[
              [t("keys.id"), <code key="id">{`${data.prefix}…${data.last4}`}</code>],
              [t("keys.owner"), t(data.owner_type === "user" ? "keys.ownerMe" : "keys.ownerOrganization")],
              [t("general.created"), <When key="created" at={data.createdAt} />],
              [t("keys.expires"), data.expiresAt ? dateTime(data.expiresAt) : t("keys.never")],
              [t("keys.networks"), data.ipAllowList.join(", ") || t("keys.everywhere")],
              ...data.grants.map(
                (grant) =>
                  [
                    services?.find((each) => each.service_id === grant.service_id)?.name ?? grant.service_id,
                    <span key={grant.service_id} className={page["row"]}>
                      {grant.scopes.map((scope) => (
                        <Chip key={scope}>{scope}</Chip>
                      ))}
                    </span>,
                  ] as const,
              ),
              ...(data.revokedAt ? [[t("keys.revokedAt"), dateTime(data.revokedAt)] as const] : []),
            ]}
          />
          {data.overlapEndsAt && data.status === "rotating" && (
            <Note kind="warn">{t("keys.overlap", { until: dateTime(data.overlapEndsAt) })}</Note>
          )}
          {live && (
            <div className={page["row"]}>
              <Button loading={busy} onClick={() => switchTo(data.status === "disabled" ? "active" : "disabled")}>
                {t(data.status === "disabled" ? "keys.enable" : "keys.disable")}
              </Button>
              <Button color="red" onClick={() => setRevoking(true)}>
                {t("keys.revoke")}
              </Button>
            </div>
          )}
        </div>
      </Card>
      <Usage id={data.id} />
      <Rotate apiKey={data} />
      <Confirm
        open={revoking}
        title={t("keys.revokeTitle", { name: data.name })}
        text={t("keys.revokeText")}
        act={t("keys.revoke")}
        onClose={() => setRevoking(false)}
        onConfirm={revoke}
      />
    </Page>
  );
}

const days = 14;

function Usage({ id }: { id: string }) {
  const { t, number } = useTexts();
  const api = useIdentity();
  const { data } = useQuery({
    queryKey: ["/api/auth/api-keys", id, "usage"],
    queryFn: ({ signal }) => whole(api.get("/api/auth/api-keys/{id}/usage", { path: { id }, query: { days }, signal })),
  });
  if (!data) return null;
  const values = data.daily.map(({ ok }) => ok);
  const sum = (of: (day: { ok: number; denied: number; rateLimited: number }) => number) =>
    number(data.daily.reduce((total, each) => total + of(each), 0));
  return (
    <Card title={t("usage.title", { count: days })}>
      <div className={classes["stack"]}>
        {values.length > 1 && <Sparkline values={values} width={240} height={40} label={t("usage.line", { values: values.join(", ") })} />}
        <Facts
          list={[
            [t("usage.ok"), sum(({ ok }) => ok)],
            [t("usage.denied"), sum(({ denied }) => denied)],
            [t("usage.limited"), sum(({ rateLimited }) => rateLimited)],
            [t("usage.from"), data.lastIps.join(", ") || t("when.never")],
          ]}
        />
      </div>
    </Card>
  );
}

const overlaps = [0, 3_600, 86_400, 604_800] as const;

/** A successor with the same rights. Both are good for a while, so that programs can be changed one after the other. */
function Rotate({ apiKey }: { apiKey: ApiKey }) {
  const { t, dateTime } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [overlap, setOverlap] = useState("86400");
  const [made, setMade] = useState<{ id: string; key: string; until: string } | null>(null);
  const rotate = () =>
    void run(async () => {
      const answer = await whole(
        api.post("/api/auth/api-keys/{id}/rotate", { path: { id: apiKey.id }, body: { overlapSeconds: Number(overlap) } }),
      );
      setMade({ id: answer.apiKey.id, key: answer.key, until: answer.previous.overlapEndsAt });
    });
  const close = () => {
    if (made) navigate(`/api-keys/${made.id}`);
    void client.invalidateQueries({ queryKey: ["/api/auth/api-keys"] });
  };
  // The old key is another one as soon as it is read again; the new one stays until it is kept.
  if (apiKey.status !== "active" && !made) return null;
  return (
    <Card title={t("rotate.title")} text={t("rotate.text")}>
      <div className={classes["ends"]}>
        <Choice
          label={t("rotate.overlap")}
          value={overlap}
          options={overlaps.map((seconds) => [String(seconds), t(`rotate.${seconds}`)] as const)}
          onChange={setOverlap}
        />
        <Button loading={busy} onClick={rotate}>
          {t("rotate.act")}
        </Button>
      </div>
      {made && (
        <ShownOnce title={t("keys.key")} text={t("rotate.once")} file="api-key.txt" value={made.key} onClose={close}>
          <Countdown until={made.until} label={(left) => t("rotate.left", { left, until: dateTime(made.until) })} />
          <Curl services={apiKey.grants.map((grant) => grant.service_id)} secret={made.key} />
        </ShownOnce>
      )}
    </Card>
  );
}

/** How long until then, as a clock that runs: the server's, for whose word it counts. */
function Countdown({ until, label }: { until: string; label: (left: string) => string }) {
  const auth = useAuth();
  const [now, setNow] = useState(auth.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(auth.now()), 1_000);
    return () => clearInterval(timer);
  }, [auth]);
  const seconds = Math.max(0, Math.floor((new Date(until).getTime() - now) / 1_000));
  const two = (value: number) => String(value).padStart(2, "0");
  return <Note>{label(`${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`)}</Note>;
}
