import { navigate, useTexts } from "@portico/app-shell";
import { Card } from "@portico/ui";
import { HostPage } from "../HostPage.tsx";
import { useAnew } from "../service.ts";
import { ShortTypeForm } from "./ShortTypeForm.tsx";

/** A new event type: what it needs first. All else is changed on its page, where this leads. */
export default function NewTypePage() {
  const { t } = useTexts();
  const anew = useAnew();
  return (
    <HostPage title={t("types.new")} text={t("types.newText")}>
      {(host) => (
        <Card title={t("type.basics")}>
          <ShortTypeForm
            act={t("type.make")}
            handle={host.handle}
            onCancel={() => navigate("/app/event-types")}
            onMade={(made) => void anew().then(() => navigate(`/app/event-types/${made.eventTypeId}`, { replace: true, force: true }))}
          />
        </Card>
      )}
    </HostPage>
  );
}
