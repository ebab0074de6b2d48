import { useCan, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Copied, Empty, Facts, Form, Loaded, Note, SidePanel, useDeed } from "@portico/ui";
import { Plus, Share2 } from "lucide-react";
import { useState } from "react";
import { BrandPage } from "../parts.tsx";
import { useAccounts, useReload, useSocial, type Brand, type Integration, type Platform } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface Provider {
  readonly platform: Platform;
  readonly readiness: "planned" | "setup-required" | "sandbox-only" | "production-ready";
  readonly connectable: boolean;
  readonly reasons: readonly Reason[];
}

interface Reason {
  readonly code: string;
  readonly message: string;
  readonly setting?: string;
}

/** Returns the app's words for a reason. Without words for its code, it returns the server's message. */
function useReason(): (reason: Reason) => string {
  const { t, has } = useTexts();
  return ({ code, message, setting = "" }) => (has(`reason.${code}`) ? t(`reason.${code}`, { setting }) : message);
}

/** Accounts of a brand at networks, and which networks the server offers. */
export default function AccountsPage() {
  const { t } = useTexts();
  const mayWrite = useCan("accounts:write");
  const [connecting, setConnecting] = useState(false);
  return (
    <BrandPage
      title={t("accounts.title")}
      tools={() =>
        mayWrite && (
          <Button variant="filled" leftSection={<Plus size={16} aria-hidden />} onClick={() => setConnecting(true)}>
            {t("accounts.connect")}
          </Button>
        )
      }
    >
      {(brand) => <Accounts key={brand.brandId} brand={brand} mayWrite={mayWrite} connecting={connecting} onConnect={setConnecting} />}
    </BrandPage>
  );
}

function Accounts({
  brand,
  mayWrite,
  connecting,
  onConnect,
}: {
  brand: Brand;
  mayWrite: boolean;
  connecting: boolean;
  onConnect: (open: boolean) => void;
}) {
  const { t } = useTexts();
  const accounts = useAccounts(brand.brandId);
  const [connected] = useAddressQuery("connected");
  const [refused] = useAddressQuery("error");
  const [again, setAgain] = useState<Integration | null>(null);
  const providers = (accounts.data?.providers ?? []) as unknown as Provider[];
  return (
    <>
      {connected && <Note kind="good">{t("accounts.connected")}</Note>}
      {refused && (
        <Note kind="warn" alert>
          {t("accounts.refused")}
        </Note>
      )}
      <Loaded query={accounts} lines={8}>
        {({ items }) => {
          const list = items as unknown as Integration[];
          return list.length === 0 ? (
            <Empty icon={Share2} title={t("accounts.none")} text={t("accounts.noneText")} />
          ) : (
            list.map((each) => <Account key={each.integrationId} account={each} mayWrite={mayWrite} onReconnect={() => setAgain(each)} />)
          );
        }}
      </Loaded>
      {providers.length > 0 && <Networks providers={providers} />}
      {connecting && <Connect brand={brand} providers={providers} onClose={() => onConnect(false)} />}
      {again && <Connect brand={brand} providers={providers} again={again} onClose={() => setAgain(null)} />}
    </>
  );
}

function Account({ account, mayWrite, onReconnect }: { account: Integration; mayWrite: boolean; onReconnect: () => void }) {
  const { t, relative } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { busy, run } = useDeed();
  const [removing, setRemoving] = useState(false);
  const path = { integrationId: account.integrationId };
  const query = { brandId: account.brandId };
  const name = account.displayName || account.handle || account.externalId;
  return (
    <Card
      title={`${t(`platform.${account.platform}`)} · ${name}`}
      tools={<Chip kind={account.connectionState === "connected" ? "good" : "bad"}>{t(`connection.${account.connectionState}`)}</Chip>}
    >
      <div className={classes["stack"]}>
        {account.lastError && <Note kind="bad">{String(account.lastError)}</Note>}
        <Facts
          list={[
            [t("accounts.handle"), account.handle],
            [t("accounts.server"), account.instanceUrl],
            [t("accounts.checked"), account.lastCheckedAt ? relative(account.lastCheckedAt) : null],
          ]}
        />
        {mayWrite && (
          <div className={classes["actions"]}>
            {account.connectionState !== "connected" && (
              <Button variant="filled" onClick={onReconnect}>
                {t("act.reconnect")}
              </Button>
            )}
            <Button
              disabled={busy}
              onClick={() =>
                void run(
                  () => api.post("/api/integrations/{integrationId}/check", { path, query }).finally(reload),
                  t("accounts.checkedNow"),
                )
              }
            >
              {t("accounts.check")}
            </Button>
            <Button color="red" variant="subtle" onClick={() => setRemoving(true)}>
              {t("accounts.disconnect")}
            </Button>
          </div>
        )}
      </div>
      <Confirm
        open={removing}
        title={t("accounts.disconnectWhat", { name })}
        text={t("accounts.disconnectText")}
        act={t("accounts.disconnect")}
        onClose={() => setRemoving(false)}
        onConfirm={() => (
          setRemoving(false),
          void run(
            () => api.delete("/api/integrations/{integrationId}", { path, query }).finally(reload),
            t("accounts.disconnected", { name }),
          )
        )}
      />
    </Card>
  );
}

function Networks({ providers }: { providers: readonly Provider[] }) {
  const { t } = useTexts();
  const wordsOfReason = useReason();
  const kinds = { planned: "plain", "setup-required": "warn", "sandbox-only": "warn", "production-ready": "good" } as const;
  return (
    <Card title={t("networks.title")} text={t("networks.text")}>
      <ul className={page["plain"]}>
        {providers.map(({ platform, readiness, reasons }) => (
          <li key={platform}>
            <span className={page["grow"]}>
              <span>{t(`platform.${platform}`)}</span>
              {reasons.map((each) => (
                <span key={`${each.code} ${each.setting ?? ""}`} className={page["more"]}>
                  {wordsOfReason(each)}
                </span>
              ))}
            </span>
            <Chip kind={kinds[readiness]}>{t(`readiness.${readiness}`)}</Chip>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const fieldsOf: Partial<Record<Platform, readonly ("url" | "secret" | "identifier" | "appPassword" | "instanceUrl")[]>> = {
  webhook: ["url", "secret"],
  bluesky: ["identifier", "appPassword", "instanceUrl"],
  mastodon: ["instanceUrl"],
  linkedin: ["identifier"],
  facebook_page: ["identifier"],
};
/** What `identifier` means where it is no handle. */
const choiceOf: Partial<Record<Platform, "organization" | "page">> = { linkedin: "organization", facebook_page: "page" };
/** Returns what the user entered when the account was connected. */
function identifierOf({ platform, externalId, handle }: Integration): string {
  if (platform === "linkedin") return externalId.startsWith("urn:li:organization:") ? externalId.slice("urn:li:organization:".length) : "";
  return platform === "facebook_page" ? externalId : handle;
}
const requiredOf: Partial<Record<Platform, readonly string[]>> = {
  webhook: ["url"],
  // Without an app password the user signs in at the server, where this one is set up for that.
  bluesky: ["identifier"],
  mastodon: ["instanceUrl"],
};

/** Connects an account; `again`: one that has to be connected once more. */
function Connect({
  brand,
  providers,
  again,
  onClose,
}: {
  brand: Brand;
  providers: readonly Provider[];
  again?: Integration | undefined;
  onClose: () => void;
}) {
  const { t } = useTexts();
  const wordsOfReason = useReason();
  const api = useSocial();
  const reload = useReload();
  const [platform, setPlatform] = useState<Platform | null>(again?.platform ?? null);
  const [secret, setSecret] = useState<string | null>(null);
  const fields = platform ? (fieldsOf[platform] ?? []) : [];
  const wordOf = (name: string) => (name === "identifier" && platform ? (choiceOf[platform] ?? name) : name);
  return (
    <SidePanel open title={platform ? t(`platform.${platform}`) : t("accounts.connect")} onClose={onClose}>
      {secret !== null ? (
        <div className={classes["stack"]}>
          <p className={page["muted"]}>{t("connect.secretText")}</p>
          <Copied text={secret} label={t("connect.secret")} />
        </div>
      ) : !platform ? (
        <ul className={classes["cards"]}>
          {providers.map((each) => (
            <li key={each.platform}>
              <button type="button" className={classes["way"]} disabled={!each.connectable} onClick={() => setPlatform(each.platform)}>
                <span className={page["grow"]}>
                  <span className={classes["strong"]}>{t(`platform.${each.platform}`)}</span>
                  <span className={page["more"]}>
                    {each.connectable
                      ? t(`connect.${each.platform}Text`)
                      : each.reasons[0]
                        ? wordsOfReason(each.reasons[0])
                        : t(`readiness.${each.readiness}`)}
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <Form
          initial={{
            url: "",
            secret: "",
            identifier: again ? identifierOf(again) : "",
            appPassword: "",
            instanceUrl: again?.instanceUrl ?? "",
          }}
          schema={{ required: [...(requiredOf[platform] ?? [])], properties: {} }}
          first={fields[0]}
          fields={fields.map((name) => ({
            name,
            label: t(`connect.${wordOf(name)}`),
            hint: t(`connect.${wordOf(name)}Hint`),
            kind: name === "appPassword" || name === "secret" ? ("password" as const) : ("text" as const),
          }))}
          act={t("accounts.connect")}
          onCancel={() => (again ? onClose() : setPlatform(null))}
          submit={async (values) => {
            const sent = Object.fromEntries(fields.map((name) => [name, values[name]]).filter(([, value]) => value));
            const answer = (await api.post("/api/integrations/{platform}/connect", {
              path: { platform } as never,
              body: { brandId: brand.brandId, returnUrl: `${location.origin}/accounts`, ...sent } as never,
            })) as unknown as { authorizationUrl?: string; secret?: string };
            if (answer.authorizationUrl) location.assign(answer.authorizationUrl);
            else {
              await reload();
              if (answer.secret) setSecret(answer.secret);
              else onClose();
            }
          }}
        />
      )}
    </SidePanel>
  );
}
