import { navigate, unsaved, useCommands, useMe, useTexts } from "@portico/app-shell";
import { Bones, Empty, MayNotSee, Note, Waiting } from "@portico/ui";
import { Building2 } from "lucide-react";
import { useMemo, useRef, type ReactNode } from "react";
import { Failed, Page } from "../parts.tsx";
import { useReadRights } from "../service.ts";

/** The pages of an organization, and what each needs at identity. */
const pages = [
  ["/organization", "general.title", "organizations:read"],
  ["/organization/members", "members.title", "members:read"],
  ["/organization/invitations", "invitations.title", "invitations:manage"],
  ["/organization/roles", "roles.title", "members:read"],
  ["/organization/security", "policy.title", "organizations:manage"],
  ["/organization/domains", "domains.title", "organizations:manage"],
  ["/organization/services", "access.title", "organizations:manage"],
  ["/organization/agents", "agents.title", "members:manage"],
  ["/organization/oauth-clients", "clients.title", "oauth_clients:manage"],
  ["/organization/webhooks", "webhooks.title", "webhooks:manage"],
  ["/organization/audit", "audit.title", "audit:read"],
] as const;

/** A page of the active organization, beside the others that the person may see. `children` get its id, and what the person may do. */
export function OrganizationFrame({
  path,
  tools,
  wide = false,
  children,
}: {
  path: (typeof pages)[number][0];
  tools?: ReactNode;
  wide?: boolean;
  children: (id: string, may: (permission: string) => boolean) => ReactNode;
}) {
  const { t } = useTexts();
  const { organizationId, organizations } = useMe();
  const { data: may, error, refetch } = useReadRights();
  const page = pages.find((each) => each[0] === path);
  const name = organizations.find(({ id }) => id === organizationId)?.name;
  // Who loses the right to a page keeps what is typed on it, until they leave it.
  const opened = useRef(false);
  const seen =
    organizationId === null || !may
      ? ""
      : pages
          .filter(([, , right]) => may(right))
          .map(([to]) => to)
          .join();
  const tabs = useMemo(
    () => pages.filter(([to]) => seen.split(",").includes(to)).map(([to, label]) => ({ to, label: t(label) })),
    [seen, t],
  );
  // The first one stands in the palette as the section.
  useCommands(
    useMemo(
      () => tabs.slice(1).map(({ to, label }) => ({ id: `go.${to}`, label, group: t("organization.title"), run: () => navigate(to) })),
      [tabs, t],
    ),
  );
  if (organizationId === null || !page)
    return (
      <Page title={t("organization.title")}>
        <Empty icon={Building2} title={t("organization.personal")} text={t("organization.personalText")} />
      </Page>
    );
  if (!may)
    return (
      <Page title={name} name={null} wide={wide}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting skeleton={<Bones lines={6} />} />}
      </Page>
    );
  const lost = opened.current && !may(page[2]) && unsaved();
  const open = (opened.current = may(page[2]) || lost);
  return (
    <Page title={<bdi>{name}</bdi>} name={null} tabs={tabs} wide={wide} tools={open && tools}>
      {lost && (
        <Note kind="warn" alert>
          {t("organization.lost")}
        </Note>
      )}
      {open ? children(organizationId, may) : <MayNotSee permission={t(page[1])} />}
    </Page>
  );
}
