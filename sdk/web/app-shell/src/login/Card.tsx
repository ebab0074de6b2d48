import type { ReactNode } from "react";
import styles from "./login.module.css";

/** The sign of the product, in the accent's colour. */
const Brand = () => (
  <svg width={40} height={40} viewBox="0 0 32 32" aria-hidden className="p-brand">
    <rect width="32" height="32" rx="8" />
    <path d="M8 24V14a8 8 0 0 1 16 0v10M13 24V14a3 3 0 0 1 6 0v10" />
  </svg>
);

/** A page of signing in: the sign of the product, what it is about, and what there is to do. `below`: what stands under the card. */
export const Card = ({ title, below, children }: { title: string; below?: ReactNode; children: ReactNode }) => (
  <div className={styles["page"]}>
    <main className={styles["card"]}>
      <Brand />
      <h1>{title}</h1>
      {children}
    </main>
    {below}
  </div>
);
