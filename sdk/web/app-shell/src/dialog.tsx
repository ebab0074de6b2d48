import type { ReactNode } from "react";
import { Modal, type ModalProps } from "@portico/ui";
import { useTexts } from "./core.tsx";
import styles from "./dialog.module.css";

/** A dialog of the shell; see `Modal`. */
export function Dialog(props: Omit<ModalProps, "closeName">) {
  const { t } = useTexts();
  return <Modal closeName={t("shell.close")} {...props} />;
}

/** The answers of a dialog, the one to take last. */
export const Answers = ({ children }: { children: ReactNode }) => <div className={styles["answers"]}>{children}</div>;
