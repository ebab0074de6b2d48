import { Link, useCan, useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Card, Confirm, Dialog, Loaded, Note, problemOf, Steps, Text, useOrder, useRequestKey, useUi } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { Fault, faulty, StageName } from "../parts.tsx";
import { stagesOf, useCrm, useReadPipelines, whole, type Pipeline } from "../service.ts";
import classes from "./settings.module.css";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

/** The pipelines of the workspace, each opened to be changed. */
export default function Pipelines() {
  return (
    <Loaded query={useReadPipelines()} lines={6}>
      {(pipelines) => <Cards pipelines={pipelines} />}
    </Loaded>
  );
}

function Cards({ pipelines }: { pipelines: readonly Pipeline[] }) {
  const { t } = useTexts();
  const mayChange = useCan("pipeline:admin");
  const [edited, setEdited] = useState<string | null>(null);
  const left = useRef("");
  const close = () => ((left.current = edited ?? ""), setEdited(null));
  // Who is done is again at the button that began it.
  useEffect(() => (edited === null ? document.querySelector<HTMLElement>(`[data-edits="${left.current}"]`)?.focus() : undefined), [edited]);
  return (
    <>
      {pipelines.map((pipeline) =>
        edited === pipeline.pipelineId ? (
          <Editor key={pipeline.pipelineId} pipeline={pipeline} others={pipelines} onClose={close} />
        ) : (
          <Card
            key={pipeline.pipelineId}
            title={pipeline.name}
            tools={
              <div className={page["row"]}>
                <Link to={`/pipeline/${pipeline.pipelineId}`}>{t("dashboard.board")}</Link>
                {mayChange && (
                  <Button
                    size="compact-sm"
                    disabled={edited !== null}
                    data-edits={pipeline.pipelineId}
                    aria-label={t("act.editWhat", { what: pipeline.name })}
                    onClick={() => setEdited(pipeline.pipelineId)}
                  >
                    {t("act.edit")}
                  </Button>
                )}
              </div>
            }
          >
            <div className={page["row"]} style={{ gap: "0.25rem 1rem" }}>
              {stagesOf(pipeline).map((stage) => (
                <StageName key={stage.stageId} stage={stage} />
              ))}
            </div>
            <p className={`${page["muted"]} ${page["small"]}`}>
              {[
                pipeline.isDefault && t("pipelines.isDefault"),
                pipeline.currency,
                pipeline.requireLostReason && t("pipelines.requireLostReason"),
                pipeline.transitions && t("pipelines.transitionsSome"),
              ]
                .filter(Boolean)
                .join(" · ")}
            </p>
          </Card>
        ),
      )}
      {mayChange &&
        (edited === "new" ? (
          <Editor pipeline={null} others={pipelines} onClose={close} />
        ) : (
          <div>
            <Button
              leftSection={<Plus size={16} aria-hidden />}
              disabled={edited !== null}
              data-edits="new"
              onClick={() => setEdited("new")}
            >
              {t("pipelines.new")}
            </Button>
          </div>
        ))}
    </>
  );
}

interface StageDraft {
  /** Empty: not at the server yet. */
  readonly stageId: string;
  /** Its name in the draft: the id, where it has one. */
  readonly key: string;
  readonly name: string;
  readonly kind: "open" | "won" | "lost";
  readonly probability: number | null;
  readonly color: string;
  readonly staleAfterDays: number | null;
}

/** What is changed of a pipeline, and saved as one. `allowed`: moves as `from to`, by the keys of the stages; null: all. */
interface Draft {
  readonly name: string;
  readonly currency: string;
  readonly isDefault: boolean;
  readonly requireLostReason: boolean;
  readonly stages: readonly StageDraft[];
  readonly allowed: readonly string[] | null;
}

const draftOf = (pipeline: Pipeline | null, others: readonly Pipeline[], first: StageDraft): Draft => ({
  name: pipeline?.name ?? "",
  currency: pipeline?.currency ?? others[0]?.currency ?? "USD",
  isDefault: pipeline?.isDefault ?? false,
  requireLostReason: pipeline?.requireLostReason ?? false,
  stages: pipeline
    ? stagesOf(pipeline).map(({ stageId, name, kind, probability, color, staleAfterDays }) => ({
        stageId,
        key: stageId,
        name,
        kind,
        probability: probability ?? 0,
        color,
        staleAfterDays,
      }))
    : [first],
  allowed: pipeline?.transitions?.map(({ from, to }) => `${from} ${to}`) ?? null,
});

/** What is sent of a draft. Stages that the service does not have yet have no id: moves of them are said once they have. */
function bodyOf({ stages, allowed, ...rest }: Draft) {
  const ids = new Map(stages.map(({ key, stageId }) => [key, stageId]));
  return {
    ...rest,
    stages: stages.map(({ stageId, key: _, probability, ...each }, order) => ({
      ...(stageId && { stageId }),
      ...each,
      probability: probability ?? 0,
      order,
    })),
    transitions:
      allowed &&
      allowed.map((pair) => pair.split(" ").map((key) => ids.get(key))).flatMap(([from, to]) => (from && to ? [{ from, to }] : [])),
  };
}

/** The same with the ids that the service has given to the stages. */
function named(draft: Draft, made: Pipeline): Draft {
  const ids = new Map(draft.stages.map(({ key }, at) => [key, stagesOf(made)[at]?.stageId ?? ""]));
  const idOf = (key: string) => ids.get(key) ?? "";
  return {
    ...draft,
    stages: draft.stages.map((each) => ({ ...each, key: idOf(each.key), stageId: idOf(each.key) })),
    allowed: draft.allowed && draft.allowed.map((pair) => pair.split(" ").map(idOf).join(" ")),
  };
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What others have made of it, with one's own changes on top, member by member. */
function over<T extends object>(mine: T, before: T, after: T): T {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [
      name,
      same(mine[name as keyof T], before[name as keyof T]) ? value : mine[name as keyof T],
    ]),
  ) as T;
}

/** The same with stages one by one: those that others have added stand at the end; one that they have removed stays where it was changed here, as a new one. */
function merged(mine: Draft, before: Draft, after: Draft): Draft {
  if (same(mine.stages, before.stages)) return over(mine, before, after);
  const of = ({ stages }: Draft, id: string) => stages.find(({ stageId }) => stageId === id);
  const stages = mine.stages.flatMap((each) => {
    const [was, is] = [of(before, each.stageId), of(after, each.stageId)];
    if (was && is) return [over(each, was, is)];
    return same(each, was) ? [] : [{ ...each, stageId: "" }];
  });
  return { ...over(mine, before, after), stages: [...stages, ...after.stages.filter(({ stageId }) => !of(before, stageId))] };
}

const colors = ["#64748b", "#3b82f6", "#06b6d4", "#8b5cf6", "#f59e0b", "#22c55e", "#ef4444"];
const mostStages = 30;
/** What is typed; null: nothing, or no number, which the browser refuses. */
const numberOf = ({ valueAsNumber }: HTMLInputElement): number | null => (Number.isNaN(valueAsNumber) ? null : valueAsNumber);

function Editor({ pipeline, others, onClose }: { pipeline: Pipeline | null; others: readonly Pipeline[]; onClose: () => void }) {
  const { t } = useTexts();
  const { say, sentence, fault, address } = useUi();
  const api = useCrm();
  const client = useQueryClient();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const fresh = (at: number): StageDraft => ({
    stageId: "",
    key: `new-${at}-${Date.now()}`,
    name: "",
    kind: "open",
    probability: 50,
    color: colors[at % colors.length] ?? "#64748b",
    staleAfterDays: null,
  });
  const [base, setBase] = useState(pipeline);
  const [draft, setDraft] = useState(() => draftOf(pipeline, others, fresh(0)));
  const [known, setKnown] = useState(draft);
  const [met, setMet] = useState(false);
  const [busy, setBusy] = useState(false);
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const key = useRequestKey();
  const { name, currency, isDefault, requireLostReason: reason, stages } = draft;
  const allowed = draft.allowed && new Set(draft.allowed);
  const dirty = !same(draft, known);
  const put = (by: Partial<Draft>) => setDraft((now) => ({ ...now, ...by }));
  if (pipeline && base && pipeline.version > base.version) {
    const after = draftOf(pipeline, others, fresh(0));
    setBase(pipeline);
    setKnown(after);
    setDraft(merged(draft, known, after));
    if (dirty && !busy) setMet(true);
  }
  useEffect(() => (dirty && !busy ? address.guard((go) => (setLeave(() => go), true)) : undefined), [dirty, busy, address]);
  const [moveTo, setMoveTo] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState("");
  /** What is refused, by the field: `currency`, or of a stage by its key, as `stg_1.name`. */
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), [faults]);
  const marked = (field: string) => faulty(`${id}-${field}`, faults[field]);
  const below = (field: string) => <Fault id={`${id}-${field}`} text={faults[field]} />;
  const [deleting, setDeleting] = useState(false);
  const counts = useQuery({
    queryKey: ["/api/pipeline", pipeline?.pipelineId, "counts"],
    enabled: pipeline !== null,
    queryFn: async ({ signal }) =>
      new Map(
        (await whole(api.get("/api/pipeline/{pipelineId}", { path: { pipelineId: pipeline?.pipelineId ?? "" }, signal }))).stages.map(
          ({ stageId, count }) => [stageId, count ?? 0],
        ),
      ),
  }).data;

  const change = (at: number, by: Partial<StageDraft>) =>
    put({ stages: stages.map((each, index) => (index === at ? { ...each, ...by } : each)) });
  const move = (from: number, to: number) =>
    setDraft((now) => {
      const next = [...now.stages];
      next.splice(to, 0, ...next.splice(from, 1));
      return { ...now, stages: next };
    });
  const order = useOrder(
    stages.map((each) => each.name),
    move,
  );
  const gone = base ? stagesOf(base).filter(({ stageId }) => !stages.some((each) => each.stageId === stageId)) : [];
  const homeless = gone.filter(({ stageId }) => (counts?.get(stageId) ?? 0) > 0);
  const kept = stages.filter(({ stageId }) => stageId);
  const cards = [...(counts?.values() ?? [])].reduce((sum, each) => sum + each, 0);

  const reread = () => ["/api/pipeline", "board", "/api/contacts"].forEach((key) => void client.invalidateQueries({ queryKey: [key] }));
  const attempt = async (act: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(true);
    setProblem("");
    setFaults({});
    try {
      await act();
      reread();
      onClose();
    } catch (error) {
      setBusy(false);
      setDeleting(false);
      key.refused(problemOf(error));
      // What others have made of it comes, and is told.
      if (problemOf(error).code === "version_conflict") return reread();
      const { errors, requestId } = problemOf(error);
      const told = errors.map(
        (wrong) => [wrong.field.replace(/^stages\[(\d+)]/, (_, at) => stages[Number(at)]?.key ?? ""), fault(wrong)] as const,
      );
      const here = (field: string) => /^(name|currency|.+\.name)$/.test(field);
      setFaults(Object.fromEntries(told.filter(([field]) => here(field))));
      const others = told.filter(([field]) => !here(field)).map(([, words]) => words);
      if (others.length || !told.length) setProblem([others.join(" ") || sentence(error), requestId].filter(Boolean).join(" · "));
    }
  };
  const write = async (sent: Draft, to: Pipeline | null, more: object = {}) => {
    const body = { ...bodyOf(sent), ...more };
    return (await whole(
      to
        ? api.put("/api/pipeline/{pipelineId}", { path: { pipelineId: to.pipelineId }, body, version: to.version })
        : api.post("/api/pipeline", { body, idempotencyKey: key.of(JSON.stringify(body)) }),
    )) as Pipeline;
  };
  const save = () =>
    attempt(async () => {
      const made = await write(
        draft,
        base,
        homeless.length > 0
          ? { moveTo: Object.fromEntries(homeless.map(({ stageId }) => [stageId, moveTo[stageId] ?? kept[0]?.stageId ?? ""])) }
          : {},
      );
      const added = stages.filter(({ stageId }) => !stageId).map((each) => each.key);
      if (!draft.allowed?.some((pair) => pair.split(" ").some((each) => added.includes(each)))) return;
      // Where the second step fails, it is that which is sent again.
      const after = named(draft, made);
      setBase(made);
      setKnown(draftOf(made, others, fresh(0)));
      setDraft(after);
      await write(after, made);
    });

  return (
    <Card title={pipeline ? pipeline.name : t("pipelines.new")}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {problem && (
          <Note kind="bad" alert>
            {problem}
          </Note>
        )}
        {met && (
          <Note kind="warn" alert>
            {t("pipelines.met")}
          </Note>
        )}
        <div className={classes["line"]}>
          <div>
            <label>
              {t("pipelines.name")}
              <input
                autoFocus
                required
                maxLength={100}
                {...marked("name")}
                value={name}
                onChange={(event) => put({ name: event.currentTarget.value })}
              />
            </label>
            {below("name")}
          </div>
          <div>
            <label>
              {t("pipelines.currency")}
              <input
                required
                pattern="[A-Z]{3}"
                maxLength={3}
                {...marked("currency")}
                value={currency}
                onChange={(event) => put({ currency: event.currentTarget.value.toUpperCase() })}
              />
            </label>
            {below("currency")}
          </div>
        </div>
        <div className={page["row"]} style={{ margin: "0.75rem 0" }}>
          <label className={page["check"]}>
            <input
              type="checkbox"
              checked={isDefault}
              disabled={pipeline?.isDefault ?? false}
              onChange={(event) => put({ isDefault: event.currentTarget.checked })}
            />{" "}
            {t("pipelines.isDefault")}
          </label>
          <label className={page["check"]}>
            <input type="checkbox" checked={reason} onChange={(event) => put({ requireLostReason: event.currentTarget.checked })} />{" "}
            {t("pipelines.requireLostReason")}
          </label>
          <label className={page["check"]}>
            <input
              type="checkbox"
              checked={allowed === null}
              onChange={(event) =>
                put({
                  allowed: event.currentTarget.checked
                    ? null
                    : stages.flatMap((a) => stages.filter((b) => b !== a).map((b) => `${a.key} ${b.key}`)),
                })
              }
            />{" "}
            {t("pipelines.transitionsAll")}
          </label>
        </div>
        <div className={`${classes["stage"]} ${classes["stageHead"]}`} aria-hidden>
          <span style={{ inlineSize: "5.25rem" }} />
          <span />
          {["stageName", "kind", "probability", "stale"].map((each) => (
            <span key={each}>{t(`pipelines.${each}`)}</span>
          ))}
        </div>
        {order.voice}
        <ol ref={order.root} className={classes["stages"]}>
          {stages.map((stage, at) => (
            <li key={stage.key} className={classes["stage"]}>
              <span className={classes["order"]}>
                {order.grip(at)}
                <Steps name={stage.name} at={at} count={stages.length} move={(to) => move(at, to)} />
              </span>
              <input
                type="color"
                aria-label={t("pipelines.color")}
                value={stage.color}
                onChange={(event) => change(at, { color: event.currentTarget.value })}
              />
              <span>
                <input
                  required
                  maxLength={60}
                  aria-label={t("pipelines.stageName")}
                  {...marked(`${stage.key}.name`)}
                  value={stage.name}
                  onChange={(event) => change(at, { name: event.currentTarget.value })}
                />
                {below(`${stage.key}.name`)}
              </span>
              <select
                aria-label={t("pipelines.kind")}
                value={stage.kind}
                onChange={(event) => change(at, { kind: event.currentTarget.value as StageDraft["kind"] })}
              >
                {(["open", "won", "lost"] as const).map((each) => (
                  <option key={each} value={each}>
                    {t(`pipelines.kind.${each}`)}
                  </option>
                ))}
              </select>
              <label>
                <span>{t("pipelines.probability")}</span>
                <input
                  type="number"
                  min={0}
                  max={100}
                  required
                  value={stage.probability ?? ""}
                  onChange={(event) => change(at, { probability: numberOf(event.currentTarget) })}
                />
              </label>
              <label>
                <span>{t("pipelines.stale")}</span>
                <input
                  type="number"
                  min={1}
                  max={3650}
                  value={stage.staleAfterDays ?? ""}
                  onChange={(event) => change(at, { staleAfterDays: numberOf(event.currentTarget) })}
                />
              </label>
              <ActionIcon
                size={28}
                aria-label={t("act.removeWhat", { what: stage.name })}
                disabled={stages.length === 1}
                onClick={() => put({ stages: stages.filter((_, index) => index !== at) })}
              >
                <Trash2 size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ol>
        <Button
          size="compact-sm"
          variant="subtle"
          disabled={stages.length >= mostStages}
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => put({ stages: [...stages, fresh(stages.length)] })}
        >
          {t("pipelines.addStage")}
        </Button>
        {homeless.map((stage) => (
          <label key={stage.stageId} className={page["check"]}>
            {t("pipelines.moveCards", { stage: stage.name, count: counts?.get(stage.stageId) ?? 0 })}
            <select
              className={page["select"]}
              value={moveTo[stage.stageId] ?? kept[0]?.stageId ?? ""}
              onChange={(event) => setMoveTo({ ...moveTo, [stage.stageId]: event.currentTarget.value })}
            >
              {kept.map((each) => (
                <option key={each.stageId} value={each.stageId}>
                  {each.name}
                </option>
              ))}
            </select>
          </label>
        ))}
        {allowed && <Matrix stages={stages} allowed={allowed} onChange={(pairs) => put({ allowed: [...pairs] })} />}
        <div className={page["row"]} style={{ marginTop: "1rem" }}>
          {pipeline && others.length > 1 && (
            <Button color="red" variant="subtle" onClick={() => setDeleting(true)}>
              {t("pipelines.delete")}
            </Button>
          )}
          <span className={own["spring"]} />
          <Button onClick={onClose}>{t("act.cancel")}</Button>
          <Button type="submit" variant="filled" loading={busy}>
            {t("act.save")}
          </Button>
        </div>
      </form>
      <Confirm
        open={leave !== null}
        title={say("form.leave")}
        text={say("form.leave.text")}
        act={say("act.discard")}
        keep={say("act.keep")}
        onClose={() => setLeave(null)}
        onConfirm={() => (setLeave(null), leave?.())}
      />
      {pipeline && (
        <Delete
          open={deleting}
          pipeline={pipeline}
          others={others}
          cards={cards}
          onClose={() => setDeleting(false)}
          onDelete={(to) =>
            attempt(() =>
              api.delete("/api/pipeline/{pipelineId}", { path: { pipelineId: pipeline.pipelineId }, query: to ? { moveTo: to } : {} }),
            )
          }
        />
      )}
    </Card>
  );
}

function Matrix({
  stages,
  allowed,
  onChange,
}: {
  stages: readonly StageDraft[];
  allowed: ReadonlySet<string>;
  onChange: (allowed: ReadonlySet<string>) => void;
}) {
  const { t } = useTexts();
  const toggle = (pair: string) => onChange(new Set(allowed.has(pair) ? [...allowed].filter((each) => each !== pair) : [...allowed, pair]));
  return (
    <div className={classes["scroll"]}>
      <table className={classes["matrix"]}>
        <caption className={page["muted"]}>{t("pipelines.matrix")}</caption>
        <thead>
          <tr>
            <td />
            {stages.map((to) => (
              <th key={to.key} scope="col">
                <Text>{to.name}</Text>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stages.map((from) => (
            <tr key={from.key}>
              <th scope="row">
                <Text>{from.name}</Text>
              </th>
              {stages.map((to) => (
                <td key={to.key}>
                  {from.key !== to.key && (
                    <input
                      type="checkbox"
                      aria-label={t("pipelines.fromTo", { from: from.name, to: to.name })}
                      checked={allowed.has(`${from.key} ${to.key}`)}
                      onChange={() => toggle(`${from.key} ${to.key}`)}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Delete({
  open,
  pipeline,
  others,
  cards,
  onClose,
  onDelete,
}: {
  open: boolean;
  pipeline: Pipeline;
  others: readonly Pipeline[];
  cards: number;
  onClose: () => void;
  onDelete: (moveTo: string) => void;
}) {
  const { t } = useTexts();
  const places = others
    .filter(({ pipelineId }) => pipelineId !== pipeline.pipelineId)
    .flatMap((each) => stagesOf(each).map(({ stageId, name }) => ({ stageId, label: `${each.name}: ${name}` })));
  const [to, setTo] = useState(places[0]?.stageId ?? "");
  return (
    <Dialog
      open={open}
      title={t("pipelines.deleteTitle", { name: pipeline.name })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("act.cancel")}</Button>
          <Button variant="filled" color="red" onClick={() => onDelete(cards > 0 ? to : "")}>
            {t("act.delete")}
          </Button>
        </>
      }
    >
      {cards > 0 ? (
        <label style={{ display: "grid", gap: "0.25rem" }}>
          {t("pipelines.deleteCards", { count: cards })}
          <select className={page["select"]} value={to} onChange={(event) => setTo(event.currentTarget.value)}>
            {places.map(({ stageId, label }) => (
              <option key={stageId} value={stageId}>
                {label}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p>{t("pipelines.deleteEmpty")}</p>
      )}
    </Dialog>
  );
}
