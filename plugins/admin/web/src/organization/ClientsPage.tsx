import { Link, navigate, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Dialog, Empty, Form, type Field } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { AppWindow, Plus } from "lucide-react";
import { useState } from "react";
import { Choice, Row, Rows, ShownOnce, When } from "../parts.tsx";
import { clientsPath, most, useIdentity, whole, type OAuthClient } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import classes from "../page.module.css";

/** Apps that sign people in with this installation, and programs that sign in themselves. */
export default function ClientsPage() {
  return <OrganizationFrame path="/organization/oauth-clients">{(id) => <Clients key={id} id={id} />}</OrganizationFrame>;
}

export const clientPage = (clientId: string): string => `/organization/oauth-clients/${encodeURIComponent(clientId)}`;

const kinds = ["web", "page", "native", "machine"] as const;
type Kind = (typeof kinds)[number];

/** What a client is, in the words of the form that registers one. */
export function kindOf({ type, grant_types: grants }: OAuthClient): Kind {
  if (type === "public") return "page";
  if (type === "native") return "native";
  return grants.includes("authorization_code") ? "web" : "machine";
}

function Clients({ id }: { id: string }) {
  const { t } = useTexts();
  const api = useIdentity();
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<{ clientId: string; secret: string } | null>(null);
  const clients = useQuery({
    queryKey: [clientsPath, "list", id],
    queryFn: async ({ signal }) =>
      (await whole(api.get(clientsPath, { query: { limit: most }, headers: { "X-Portico-Context": id }, signal }))).items,
  });
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t("clients.add")}
    </Button>
  );
  return (
    <Card title={t("clients.title")} text={t("clients.text")} tools={clients.data?.length ? add : undefined}>
      <Rows query={clients} empty={<Empty icon={AppWindow} title={t("clients.none")} text={t("clients.noneText")} action={add} />}>
        {(each) => (
          <Row
            key={each.client_id}
            name={
              <Link to={clientPage(each.client_id)}>
                <bdi>{each.name}</bdi>
              </Link>
            }
            sign={<Chip>{t(`client.${kindOf(each)}`)}</Chip>}
            more={
              <>
                <code>{each.client_id}</code> · {t("general.created")} <When at={each.createdAt} />
              </>
            }
          />
        )}
      </Rows>
      <Dialog open={adding} wide title={t("clients.add")} onClose={() => setAdding(false)}>
        {adding && (
          <NewClient
            id={id}
            onCancel={() => setAdding(false)}
            onMade={(clientId, secret) => (setAdding(false), secret ? setMade({ clientId, secret }) : navigate(clientPage(clientId)))}
          />
        )}
      </Dialog>
      {made && (
        <ShownOnce
          title={t("clients.secret")}
          text={t("clients.secretText")}
          file="client-secret.txt"
          value={made.secret}
          onClose={() => navigate(clientPage(made.clientId))}
        />
      )}
    </Card>
  );
}

interface Values {
  name: string;
  redirect_uris: string[];
  scopes: string[];
  scim: boolean;
  token_endpoint_auth_method: string;
  jwks_uri: string;
}

/** What the kind of a client settles stays out of its form. */
function NewClient({
  id,
  onCancel,
  onMade,
}: {
  id: string;
  onCancel: () => void;
  onMade: (clientId: string, secret: string | undefined) => void;
}) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const [kind, setKind] = useState<Kind>("web");
  const keepsSecret = kind === "web" || kind === "machine";
  const fields: Field<keyof Values>[] = [
    { name: "name", label: t("clients.name"), hint: t("clients.nameHint") },
    ...(kind === "machine"
      ? ([{ name: "scim", label: t("clients.scim"), kind: "yes", hint: t("clients.scimHint") }] as const)
      : ([
          {
            name: "redirect_uris",
            label: t("clients.redirects"),
            kind: "tags",
            hint: t(kind === "native" ? "clients.redirectsNative" : "clients.redirectsHint"),
          },
          { name: "scopes", label: t("clients.scopes"), kind: "tags", options: scopeOptions, hint: t("clients.scopesHint") },
        ] as const)),
    ...(keepsSecret ? methodFields(t) : []),
  ];
  const submit = async (values: Values, key: string): Promise<void> => {
    const machine = kind === "machine";
    const body = {
      name: values.name,
      type: ({ web: "confidential", machine: "confidential", page: "public", native: "native" } as const)[kind],
      grant_types: machine ? ["client_credentials"] : ["authorization_code", "refresh_token"],
      redirect_uris: machine ? [] : values.redirect_uris,
      scopes: machine ? (values.scim ? ["scim"] : []) : values.scopes,
      token_endpoint_auth_method: (keepsSecret ? values.token_endpoint_auth_method : "none") as OAuthClient["token_endpoint_auth_method"],
      ...(keepsSecret && values.jwks_uri && { jwks_uri: values.jwks_uri }),
    };
    const made = await whole(api.post(clientsPath, { body, headers: { "X-Portico-Context": id }, idempotencyKey: key }));
    await client.invalidateQueries({ queryKey: [clientsPath] });
    onMade(made.client_id, (made as { client_secret?: string | null }).client_secret ?? undefined);
  };
  return (
    <div className={classes["stack"]}>
      <Choice
        label={t("clients.kind")}
        value={kind}
        options={kinds.map((each) => [each, t(`client.kind.${each}`)] as const)}
        onChange={(value) => setKind(value as Kind)}
      />
      <Form
        fields={fields}
        initial={initial}
        schema={clientSchema(kind !== "machine")}
        act={t("clients.register")}
        submit={submit}
        onCancel={onCancel}
        first="name"
      />
    </div>
  );
}

const initial: Values = {
  name: "",
  redirect_uris: [],
  scopes: ["openid", "profile", "email"],
  scim: false,
  token_endpoint_auth_method: "client_secret_basic",
  jwks_uri: "",
};
export const scopeOptions = ["openid", "profile", "email", "organizations", "offline_access"].map((value) => ({ value, label: value }));

/** How a client with a secret or a key proves who it is. */
export const methodFields = (t: (key: string) => string) =>
  [
    {
      name: "token_endpoint_auth_method",
      label: t("clients.method"),
      kind: "choice",
      options: ["client_secret_basic", "client_secret_post", "private_key_jwt"].map((value) => ({
        value,
        label: t(`client.method.${value}`),
      })),
    },
    { name: "jwks_uri", label: t("clients.keys"), kind: "url", hint: t("clients.keysHint") },
  ] as const;

const address = { format: "uri" };
export const clientSchema = (returns: boolean) => ({
  required: ["name", "token_endpoint_auth_method", ...(returns ? ["redirect_uris"] : [])],
  properties: {
    name: { maxLength: 120 },
    jwks_uri: address,
    logo_uri: address,
    policy_uri: address,
    tos_uri: address,
    backchannel_logout_uri: address,
  },
});
