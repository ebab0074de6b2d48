import { Link, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Empty } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { Page, Row, Rows, Used } from "../parts.tsx";
import { most, useIdentity, whole, type ApiKey } from "../service.ts";

const dead = new Set(["revoked", "expired"]);

/** Keys of programs: one's own, and the organization's. */
export default function KeysPage() {
  const { t } = useTexts();
  const api = useIdentity();
  const { organizationId } = useMe();
  const keys = useQuery({
    queryKey: ["/api/auth/api-keys", organizationId],
    queryFn: async ({ signal }) => (await whole(api.get("/api/auth/api-keys", { query: { limit: most }, signal }))).items as ApiKey[],
  });
  const add = (
    <Button component={Link} to="/api-keys/new" variant="filled" leftSection={<Plus size={16} aria-hidden />}>
      {t("keys.new")}
    </Button>
  );
  const parts = [
    ["keys.mine", keys.data?.filter((each) => each.owner_type === "user" && !dead.has(each.status))],
    ["keys.organization", keys.data?.filter((each) => each.owner_type === "organization" && !dead.has(each.status))],
    ["keys.dead", keys.data?.filter((each) => dead.has(each.status))],
  ] as const;
  const none = keys.data?.length === 0;
  return (
    <Page title={t("keys.title")} text={t("keys.text")} tools={!none && add}>
      {none && <Empty icon={KeyRound} title={t("keys.none")} text={t("keys.noneText")} action={add} />}
      {!none &&
        parts.map(
          ([title, list], part) =>
            (list?.length || (part === 0 && !list)) && (
              <Card key={title} title={t(title)}>
                <Rows query={{ ...keys, data: list }} empty="">
                  {(each) => (
                    <Row
                      key={each.id}
                      name={
                        <Link to={`/api-keys/${each.id}`}>
                          <bdi>{each.name}</bdi>
                        </Link>
                      }
                      sign={<KeyState apiKey={each} />}
                      more={
                        <>
                          <code>{`${each.prefix}…${each.last4}`}</code> · {each.grants.map((grant) => grant.service_id).join(", ")} ·{" "}
                          <Used at={each.lastUsedAt} />
                        </>
                      }
                    />
                  )}
                </Rows>
              </Card>
            ),
        )}
    </Page>
  );
}

const kinds = { active: "good", rotating: "warn", disabled: "plain", revoked: "bad", expired: "plain", blocked: "bad" } as const;

/** How a key stands, in a word. */
export function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTexts();
  return (
    <>
      <Chip kind={kinds[apiKey.status]}>{t(`key.${apiKey.status}`)}</Chip>
      {apiKey.environment === "test" && <Chip>{t("keys.test")}</Chip>}
    </>
  );
}
