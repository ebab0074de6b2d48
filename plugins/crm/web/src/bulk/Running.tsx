import { Link } from "@portico/app-shell";
import { JobView, Note } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { useCrm, whole } from "../service.ts";
import { bulkPath, jobOf, useWords, type BulkReport } from "./bulk.ts";

const lookMs = 1_000;

/** Changes of many that go on now, whoever began them and wherever; nothing where there are none. */
export function Running() {
  const api = useCrm();
  const words = useWords();
  const running = useQuery<BulkReport[]>({
    queryKey: [bulkPath, "running"],
    // Nothing at first: what goes on changes contacts, and each change has it asked.
    initialData: [],
    staleTime: Infinity,
    refetchInterval: ({ state }) => (state.data?.length ? lookMs : false),
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/contacts/bulk", { query: { status: ["running"], limit: 5 }, signal }))).items as BulkReport[],
  });
  return running.data.map((report) => (
    <Note key={report.bulkId}>
      <JobView job={jobOf(report)}>
        <Link to={`/contacts/bulk/${report.bulkId}`}>
          <bdi>{words(report.change).join("; ")}</bdi>
        </Link>
      </JobView>
    </Note>
  ));
}
