import { useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { later, Loaded, Page } from "@portico/ui";
import type { ReactNode } from "react";
import { useContext, type Host } from "./service.ts";

const Setup = later(() => import("./setup/Setup.tsx"));

/** Page of a host. A user without a host sets one up first. */
export function HostPage({
  title,
  text,
  tools,
  wide = false,
  children,
}: {
  title: string;
  text?: ReactNode;
  tools?: (host: Host) => ReactNode;
  wide?: boolean;
  children: (host: Host) => ReactNode;
}) {
  const { t } = useTexts();
  const context = useContext();
  const [step] = useAddressQuery("setup");
  const { data } = context;
  if (!data)
    return (
      <Page title={title} text={text} wide={wide}>
        <Loaded query={context} lines={6}>
          {() => null}
        </Loaded>
      </Page>
    );
  if (!data.host || step)
    return (
      <Page title={t("setup.title")} text={t("setup.text")}>
        <Setup context={data} />
      </Page>
    );
  return (
    <Page title={title} text={text} tools={tools?.(data.host)} wide={wide}>
      {children(data.host)}
    </Page>
  );
}
