import { Link, useCan, useTexts } from "@portico/app-shell";
import { Bell } from "lucide-react";
import { useNotifications } from "../service.ts";
import classes from "./dashboard.module.css";

/** A link with the number of unread notifications; nothing without any. The number is read once `ready`, so that the tiles come first. */
export function Unread({ ready }: { readonly ready: boolean }) {
  const { t } = useTexts();
  const may = useCan("notifications:read");
  const { data } = useNotifications(true, 1, may && ready);
  if (!data?.unread) return null;
  return (
    <Link to="/notifications?show=unread" className={classes["unread"]}>
      <Bell size={16} aria-hidden /> {t("notifications.unread", { count: data.unread })}
    </Link>
  );
}
