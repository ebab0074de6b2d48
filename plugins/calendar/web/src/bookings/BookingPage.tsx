import { useTexts, type PageProps } from "@portico/app-shell";
import { Card } from "@portico/ui";
import { HostPage } from "../HostPage.tsx";
import { BookingView } from "./BookingView.tsx";

/** A booking by its address, as mails have it. */
export default function BookingPage({ params }: PageProps) {
  const { t } = useTexts();
  return (
    <HostPage title={t("booking.one")}>
      {(host) => (
        <Card title={t("booking.all")}>
          <BookingView id={params["id"] ?? ""} host={host} />
        </Card>
      )}
    </HostPage>
  );
}
