import { resource } from "@portico/ui";
import type { paths } from "./api.d.ts";

// A path, a column or a field that the API does not have does not compile.
declare module "@portico/ui" {
  interface Register {
    paths: paths;
  }
}

export default resource("/api/notes", {
  title: "title",
  columns: ["title", "updatedAt"],
  form: { title: {}, text: { multiline: true } },
  sorts: ["title"],
  search: false,
  method: "PUT",
  can: { create: "notes:write", change: "notes:write", delete: "notes:write" },
});
