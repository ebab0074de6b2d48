import { useTexts } from "@portico/app-shell";
import { Bones, Page, Waiting } from "@portico/ui";
import { useEffect } from "react";

/** Leads to the page of the service that claims a paid checkout, once the user is signed in here. */
export default function ClaimPage() {
  const { t } = useTexts();
  useEffect(() => location.replace("/checkout/claim?signedIn=1"), []);
  return (
    <Page title={t("claim.title")}>
      <Waiting skeleton={<Bones lines={3} />} />
    </Page>
  );
}
