import { useTexts } from "@portico/app-shell";

export default function Dashboard() {
  const { t } = useTexts();
  return <h1>{t("dashboard.title")}</h1>;
}
