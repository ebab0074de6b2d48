import { navigate, useCan, useCommands, usePreference, useQuery, useTexts, Link } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Empty, type Filter, type ListOptions, ListView, later, type Option, Page, type SavedView, useList, useUi } from "@portico/ui";
import { Download, History, Plus, Upload, Users, UsersRound } from "lucide-react";
import { useMemo, useState } from "react";
import { Marked, StageName, Tags } from "../parts.tsx";
import {
  lifecycles,
  primaryOf,
  sources,
  stageOf,
  useCrm,
  usePeople,
  usePipelines,
  useTagChoices,
  type Contact,
  type Pipeline,
} from "../service.ts";
import { whichOf, type BulkPart } from "../bulk/bulk.ts";
import { Running } from "../bulk/Running.tsx";
import { Actions } from "./Actions.tsx";
import { Summary } from "./Summary.tsx";

const ExportDialog = later(() => import("../export/ExportDialog.tsx"));

/** What the list shows of a contact; the rest is read when it is opened. */
const members = "displayName,companyName,jobTitle,emails,phones,tags,ownerUserId,lifecycle,pipelines,createdAt,updatedAt,version,deletedAt";

export default function ContactsPage() {
  const texts = useTexts();
  const { t } = texts;
  const mayWrite = useCan("contacts:write");
  const mayImport = useCan("contacts:import");
  const mayExport = useCan("contacts:export");
  const mayMove = useCan("pipeline:move");
  const { notices, undo } = useUi();
  const [part, setPart] = useState<BulkPart | null>(null);
  const [exporting, setExporting] = useState<readonly string[] | null>(null);
  const filters = useContactFilters();
  const pipelines = usePipelines();
  const people = usePeople();
  const options = useMemo<ListOptions<Contact>>(
    () => ({
      label: t("contacts.title"),
      path: "/api/contacts",
      fixed: { fields: members },
      id: (contact) => contact.id,
      name: (contact) => contact.displayName,
      href: (contact) => `/contacts/${contact.id}`,
      record: (contact) => `/api/contacts/${contact.id}`,
      selects: true,
      filters,
      columns: [
        {
          key: "displayName",
          label: t("contact.name"),
          sort: "displayName",
          width: 190,
          text: (contact) => contact.displayName,
          cell: (contact) => <Found text={contact.displayName} />,
        },
        {
          key: "companyName",
          label: t("contact.company"),
          width: 170,
          text: ({ companyName }) => companyName,
          cell: (contact) => <Found text={contact.companyName} />,
        },
        {
          key: "email",
          label: t("contact.email"),
          width: 210,
          text: (contact) => primaryOf(contact.emails)?.address ?? "",
          cell: (contact) => <Found text={primaryOf(contact.emails)?.address ?? ""} />,
        },
        {
          key: "stage",
          label: t("contact.stage"),
          width: 120,
          text: (contact) => `MM${stageOf(pipelines, contact.pipelines?.[0]?.stageId)?.name ?? ""}`,
          cell: (contact) => <Stages contact={contact} pipelines={pipelines} />,
        },
        {
          key: "phone",
          label: t("contact.phone"),
          width: 160,
          text: (contact) => primaryOf(contact.phones)?.number ?? "",
          cell: (contact) => <bdi>{primaryOf(contact.phones)?.number ?? ""}</bdi>,
        },
        {
          key: "tags",
          label: t("contact.tags"),
          width: 180,
          cell: (contact) => <Tags tags={contact.tags} most={2} />,
          text: ({ tags }) =>
            tags
              .slice(0, 2)
              .map((tag) => `${tag}MMM`)
              .join(""),
        },
        {
          key: "owner",
          label: t("contact.owner"),
          width: 130,
          text: (contact) => people.name(contact.ownerUserId),
          cell: (contact) => <bdi>{people.name(contact.ownerUserId)}</bdi>,
        },
        {
          key: "updatedAt",
          label: t("contact.updatedAt"),
          sort: "updatedAt",
          width: 130,
          cell: (contact) => <time dateTime={contact.updatedAt}>{texts.relative(contact.updatedAt)}</time>,
        },
        {
          key: "lifecycle",
          label: t("contact.lifecycle"),
          width: 120,
          optional: true,
          cell: (contact) => t(`lifecycle.${contact.lifecycle}`),
        },
        { key: "jobTitle", label: t("contact.jobTitle"), width: 160, optional: true },
        {
          key: "createdAt",
          label: t("contact.createdAt"),
          sort: "createdAt",
          width: 130,
          optional: true,
          cell: (contact) => texts.date(contact.createdAt),
        },
      ],
    }),
    [t, texts, filters, pipelines, people],
  );
  const list = useList(options);
  const [views, setViews] = usePreference<readonly SavedView[]>("contactViews", noViews);
  const api = useCrm();
  /** Changes those that there are now: another tab may have saved some. */
  const changeViews = async (change: (now: readonly SavedView[]) => readonly SavedView[]) => {
    const { services } = (await api.raw("/api/auth/me/preferences").then(
      (answer) => answer.json(),
      () => ({}),
    )) as { services?: { crm?: { contactViews?: readonly SavedView[] } } };
    setViews(change(services?.crm?.contactViews ?? views));
  };
  /** One view more, another one of its name, or one less, which can be taken back. */
  const saveViews = (next: readonly SavedView[]) => {
    const [gone, added] = [views.filter((each) => !next.includes(each)), next.filter((each) => !views.includes(each))];
    void changeViews((now) => [...without(now, [...gone, ...added]), ...added]);
    for (const view of without(gone, added))
      undo.push({
        text: t("contacts.viewRemoved", { name: view.name }),
        undo: () => changeViews((now) => without(now, [view]).toSpliced(views.indexOf(view), 0, view)),
      });
  };
  useCommands(
    useMemo(
      () =>
        mayWrite ? [{ id: "contact.create", label: t("contact.create"), key: "c", icon: Plus, run: () => navigate("/contacts/new") }] : [],
      [mayWrite, t],
    ),
  );

  const change = (to: BulkPart) => () => {
    const which = whichOf(list);
    if (typeof which === "string") notices.tell({ kind: "refused", text: t(which) });
    else setPart(to);
  };
  const keys = [
    { key: "e", label: t("act.edit"), act: change("addTags") },
    { key: "t", label: t("contact.tags"), act: change("addTags") },
    { key: "o", label: t("contact.owner"), act: change("ownerUserId") },
    ...(mayMove ? [{ key: "m", label: t("contact.stage"), act: change("stageId") }] : []),
  ];

  return (
    <Page
      full
      title={t("contacts.title")}
      tools={
        <>
          <Button component={Link} to="/contacts/duplicates" variant="subtle" leftSection={<UsersRound size={16} aria-hidden />}>
            {t("duplicates.title")}
          </Button>
          {mayWrite && (
            <Button component={Link} to="/contacts/bulk" variant="subtle" leftSection={<History size={16} aria-hidden />}>
              {t("bulk.list")}
            </Button>
          )}
          {mayExport && (
            <Button variant="subtle" leftSection={<Download size={16} aria-hidden />} onClick={() => setExporting([])}>
              {t("export.export")}
            </Button>
          )}
          {mayImport && (
            <Button component={Link} to="/imports/new" leftSection={<Upload size={16} aria-hidden />}>
              {t("imports.import")}
            </Button>
          )}
          {mayWrite && (
            <Button component={Link} to="/contacts/new" variant="filled" leftSection={<Plus size={16} aria-hidden />}>
              {t("contact.create")}
            </Button>
          )}
        </>
      }
    >
      <Running />
      <ListView
        list={list}
        views={{ list: views, save: saveViews }}
        peek={(contact) => <Summary contact={contact} />}
        actions={(all) => <Actions list={all} part={part} onPart={setPart} onExport={setExporting} />}
        keys={mayWrite ? keys : []}
        empty={
          <Empty
            icon={Users}
            title={t("contacts.empty")}
            text={t("contacts.emptyText")}
            action={
              mayWrite && (
                <Button component={Link} to="/contacts/new" variant="filled">
                  {t("contact.create")}
                </Button>
              )
            }
          />
        }
      />
      {exporting && <ExportDialog query={list.query} ids={exporting} total={list.state.total} onClose={() => setExporting(null)} />}
    </Page>
  );
}

function Found({ text }: { text: string }) {
  const [q] = useQuery("q");
  return <Marked text={text} q={q ?? ""} />;
}

const noViews: readonly SavedView[] = [];
const without = (views: readonly SavedView[], others: readonly SavedView[]) =>
  views.filter(({ name }) => !others.some((each) => each.name === name));

function Stages({ contact, pipelines }: { contact: Contact; pipelines: readonly Pipeline[] | undefined }) {
  return (contact.pipelines ?? []).slice(0, 1).map(({ stageId }) => <StageName key={stageId} stage={stageOf(pipelines, stageId)} />);
}

/** Every filter of the list's route, as a chip. Options that the service has are read when they are needed. */
export function useContactFilters(): readonly Filter[] {
  const { t } = useTexts();
  const tags = useTagChoices();
  const pipelines = usePipelines();
  const people = usePeople();
  return useMemo(() => {
    const named = (values: readonly string[], prefix: string): Option[] =>
      values.map((value) => ({ value, label: t(`${prefix}.${value}`) }));
    const stages = (pipelines ?? []).flatMap((pipeline) =>
      pipeline.stages.map(({ stageId, name }) => ({
        value: stageId,
        label: (pipelines?.length ?? 0) > 1 ? `${pipeline.name}: ${name}` : name,
      })),
    );
    const filters: Filter[] = [
      { key: "tag", label: t("contact.tag"), kind: "choice", options: tags },
      { key: "stageId", label: t("contact.stage"), kind: "choice", options: stages },
      { key: "ownerUserId", label: t("contact.owner"), kind: "choice", options: people.list },
      { key: "lifecycle", label: t("contact.lifecycle"), kind: "choice", options: named(lifecycles, "lifecycle") },
      { key: "source", label: t("contact.source"), kind: "choice", options: named(sources, "source") },
      { key: "email", label: t("contact.email"), kind: "text" },
      { key: "phone", label: t("contact.phone"), kind: "text" },
      { key: "hasEmail", label: t("filter.hasEmail"), kind: "yes" },
      { key: "createdFrom", label: t("filter.createdFrom"), kind: "date" },
      { key: "createdTo", label: t("filter.createdTo"), kind: "date" },
      { key: "updatedFrom", label: t("filter.updatedFrom"), kind: "date" },
      { key: "updatedTo", label: t("filter.updatedTo"), kind: "date" },
      { key: "archived", label: t("filter.archived"), kind: "yes" },
    ];
    if ((pipelines?.length ?? 0) > 1)
      filters.splice(1, 0, {
        key: "pipelineId",
        label: t("pipeline.one"),
        kind: "choice",
        options: (pipelines ?? []).map(({ pipelineId, name }) => ({ value: pipelineId, label: name })),
      });
    return filters;
  }, [t, tags, pipelines, people]);
}
