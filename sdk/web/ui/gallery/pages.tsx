import type { ReactNode } from "react";
import { BoardPage } from "./BoardPage.tsx";
import { FormPage } from "./FormPage.tsx";
import { ListPage } from "./ListPage.tsx";
import { RecordPage } from "./RecordPage.tsx";
import { StatesPage } from "./StatesPage.tsx";

/** The pages of the gallery, by their path. */
export const pages: Readonly<Record<string, { title: string; page: () => ReactNode }>> = {
  list: { title: "List", page: ListPage },
  record: { title: "Record", page: RecordPage },
  form: { title: "Form", page: FormPage },
  board: { title: "Board", page: BoardPage },
  states: { title: "States", page: StatesPage },
};
