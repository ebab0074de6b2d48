import { useTexts } from "@portico/app-shell";
import { Facts, Text } from "@portico/ui";
import { StageName, Tags } from "../parts.tsx";
import { stageOf, usePeople, usePipelines, type Contact } from "../service.ts";

/** A contact in a few lines, for a look without leaving the list. */
export function Summary({ contact }: { contact: Contact }) {
  const { t, dateTime } = useTexts();
  const people = usePeople();
  const pipelines = usePipelines();
  const lines: readonly (readonly [string, React.ReactNode])[] = [
    [t("contact.company"), contact.companyName],
    [t("contact.jobTitle"), contact.jobTitle],
    [t("contact.emails"), contact.emails.map(({ address }) => <Text key={address}>{address}</Text>)],
    [t("contact.phones"), contact.phones.map(({ number }) => <Text key={number}>{number}</Text>)],
    [t("contact.stage"), contact.pipelines?.map(({ stageId }) => <StageName key={stageId} stage={stageOf(pipelines, stageId)} />)],
    [t("contact.tags"), contact.tags.length ? <Tags tags={contact.tags} /> : null],
    [t("contact.owner"), people.name(contact.ownerUserId)],
    [t("contact.updatedAt"), dateTime(contact.updatedAt)],
  ];
  return (
    <Facts list={lines.map(([label, value]) => [label, value && typeof value === "string" ? <Text lines={0}>{value}</Text> : value])} />
  );
}
