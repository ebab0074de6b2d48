import { useTexts } from "@portico/app-shell";
import { Bones, Card, type Field, Form, Note, useUi, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Failed } from "../parts.tsx";
import { most, useIdentity, whole, type Organization } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";

type Policy = Organization["securityPolicy"];

/** What the organization asks of those who sign in to it. */
export default function PolicyPage() {
  return (
    <OrganizationFrame path="/organization/security">
      {(id, may) => <PolicyForm key={id} id={id} sees={may("users:read")} />}
    </OrganizationFrame>
  );
}

const schema = {
  required: ["maxSessionHours", "idleHours", "apiKeyMaxDays", "allowedLoginMethods"],
  properties: {
    maxSessionHours: { type: "integer", minimum: 1, maximum: 2160 },
    idleHours: { type: "integer", minimum: 1, maximum: 720 },
    apiKeyMaxDays: { type: "integer", minimum: 1, maximum: 3650 },
  },
};

function PolicyForm({ id, sees }: { id: string; sees: boolean }) {
  const { t } = useTexts();
  const { notices } = useUi();
  const api = useIdentity();
  const client = useQueryClient();
  const key = ["/api/auth/organizations", "policy", id];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => whole(api.get("/api/auth/organizations/{organizationId}", { path: { organizationId: id }, signal })),
  });
  // How many it would lock out is seen before it is saved.
  const without = useQuery({
    queryKey: ["/api/auth/users", "without", id],
    enabled: sees,
    queryFn: async ({ signal }) => {
      const { items } = await whole(api.get("/api/auth/users", { query: { organizationId: id, limit: most, status: ["active"] }, signal }));
      const people = items.filter(({ principalType }) => principalType === "user");
      return {
        all: people.length,
        factor: people.filter(({ mfa }) => !mfa.totp && mfa.passkeys === 0).length,
        passkey: people.filter(({ mfa }) => mfa.passkeys === 0).length,
      };
    },
  }).data;
  if (!data) return error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting skeleton={<Bones lines={8} />} />;
  const fields: Field<keyof Policy>[] = [
    {
      name: "mfaRequired",
      label: t("policy.mfa"),
      kind: "yes",
      ...(without && { hint: t("policy.mfaHint", { count: without.factor, all: without.all }) }),
    },
    {
      name: "allowedLoginMethods",
      label: t("policy.methods"),
      kind: "tags",
      options: ["password", "passkey"].map((value) => ({ value, label: value })),
      hint: without ? t("policy.methodsHint", { count: without.passkey, all: without.all }) : t("policy.methodsPlain"),
    },
    { name: "maxSessionHours", label: t("policy.maxSession"), kind: "number", hint: t("policy.maxSessionHint") },
    { name: "idleHours", label: t("policy.idle"), kind: "number" },
    { name: "apiKeyMaxDays", label: t("policy.keyDays"), kind: "number" },
    { name: "ipAllowList", label: t("policy.networks"), kind: "tags", hint: t("policy.networksHint") },
  ];
  const save = async (securityPolicy: Policy): Promise<void> => {
    await api
      .patch("/api/auth/organizations/{organizationId}", { path: { organizationId: id }, body: { securityPolicy }, version: data.version })
      .finally(() => client.invalidateQueries({ queryKey: ["/api/auth/organizations"] }));
    notices.tell({ kind: "done", text: t("policy.saved") });
  };
  return (
    <Card title={t("policy.title")} text={t("policy.text")}>
      {without && without.factor > 0 && data.securityPolicy.mfaRequired && (
        <Note kind="warn">{t("policy.waiting", { count: without.factor })}</Note>
      )}
      <Form stays fields={fields} initial={data.securityPolicy} schema={schema} submit={save} />
    </Card>
  );
}
