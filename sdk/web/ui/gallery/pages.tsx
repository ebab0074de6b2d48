import type { ComponentType } from "react";
import { BoardPage } from "./BoardPage.tsx";
import { FormPage } from "./FormPage.tsx";
import { ListPage } from "./ListPage.tsx";
import { PartsPage } from "./PartsPage.tsx";
import { RecordPage } from "./RecordPage.tsx";
import { ResourcePage } from "./ResourcePage.tsx";
import { StatesPage } from "./StatesPage.tsx";

/** The pages of the gallery, by their path. */
export const pages: Readonly<Record<string, { title: string; page: ComponentType }>> = {
  list: { title: "List", page: ListPage },
  record: { title: "Record", page: RecordPage },
  form: { title: "Form", page: FormPage },
  board: { title: "Board", page: BoardPage },
  parts: { title: "Parts", page: PartsPage },
  resource: { title: "Resource", page: ResourcePage },
  states: { title: "States", page: StatesPage },
};
