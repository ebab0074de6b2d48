import { Link, navigate, useMe, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button, TextInput } from "@mantine/core";
import { Card, Copied, Note, problemOf, readDraft, useUi, writeDraft } from "@portico/ui";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { PageFrame } from "../embed/PageFrame.tsx";
import { WeekEditor } from "../availability/WeekEditor.tsx";
import { goToWrong, ownZone, useMedia, ZoneSelect } from "../parts.tsx";
import { linkOf, slugOf, useAnew, useCalendar, useEventTypes, whole, type useContext, type WeeklyRule } from "../service.ts";
import { ShortTypeForm } from "../types/ShortTypeForm.tsx";
import { handlePattern, useHandle } from "./handle.ts";
import { HandleField } from "./HandleField.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const office: readonly WeeklyRule[] = [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: "09:00", end: "17:00" }));
const steps = ["name", "week", "type", "share"] as const;

/** What is asked for before there is a host. */
interface Answers {
  readonly displayName: string;
  readonly handle: string;
  /** The handle is not the name's any more. */
  readonly own: boolean;
  readonly timeZone: string;
  readonly weeklyRules: readonly WeeklyRule[];
}
const draft = "setup";

/** The first minutes: from nothing to a page that can be shared. */
export default function Setup({ context: { host, user } }: { context: NonNullable<ReturnType<typeof useContext>["data"]> }) {
  const { t } = useTexts();
  const me = useMe();
  const anew = useAnew();
  const [wanted] = useAddressQuery("setup");
  const [answers, setAnswers] = useState((): Answers => {
    const displayName = user?.displayName || me.user.displayName;
    return {
      displayName,
      handle: slugOf(displayName, 40),
      own: false,
      timeZone: me.user.timezone && me.user.timezone !== "UTC" ? me.user.timezone : ownZone(),
      weeklyRules: office,
      ...readDraft(draft),
    };
  });
  const change = (part: Partial<Answers>) => {
    const next = { ...answers, ...part };
    setAnswers(next);
    writeDraft(draft, next as unknown as Record<string, unknown>);
  };
  // What needs a host comes after it, whatever the address says.
  const step = host ? (wanted === "share" ? "share" : "type") : wanted === "week" && handlePattern.test(answers.handle) ? "week" : "name";
  // Back leads to the step before.
  const go = (to: (typeof steps)[number]) => navigate(`?setup=${to}`);
  const room = useRef<HTMLDivElement>(null);
  const was = useRef(step);
  useEffect(() => {
    const title = was.current === step ? null : room.current?.querySelector("h2");
    was.current = step;
    title?.setAttribute("tabindex", "-1");
    title?.focus();
  }, [step]);
  return (
    <div ref={room} className={classes["stack"]}>
      <ol className={classes["steps"]}>
        {steps.map((each) => (
          <li key={each} aria-current={each === step ? "step" : undefined}>
            {t(`setup.step.${each}`)}
          </li>
        ))}
      </ol>
      {step === "name" && <Name answers={answers} onChange={change} onNext={() => go("week")} />}
      {step === "week" && (
        <Week
          answers={answers}
          onChange={change}
          onBack={() => go("name")}
          onDone={() => {
            writeDraft(draft, undefined);
            // With a host it goes on by itself: whoever is quick may have made the type before all is read anew.
            void anew();
          }}
        />
      )}
      {step === "type" && host && (
        <Card title={t("setup.typeTitle")} text={t("setup.typeText")}>
          <ShortTypeForm
            initial={{ title: t("setup.firstType"), slug: slugOf(t("setup.firstType")) }}
            act={t("setup.typeAct")}
            handle={host.handle}
            onMade={() => anew().then(() => go("share"))}
          />
        </Card>
      )}
      {step === "share" && host && <Share handle={host.handle} onDone={() => navigate("/app")} />}
    </div>
  );
}

interface StepProps {
  readonly answers: Answers;
  readonly onChange: (part: Partial<Answers>) => void;
}

function Name({ answers: { displayName, handle, own }, onChange, onNext }: StepProps & { onNext: () => void }) {
  const { t } = useTexts();
  const answer = useHandle(handle);
  const named = displayName.trim() !== "";
  const next = (event: FormEvent) => {
    event.preventDefault();
    if (named && answer.state === "free") onNext();
  };
  return (
    <Card title={t("setup.nameTitle")} text={t("setup.nameText")}>
      <form className={classes["form"]} onSubmit={next}>
        <TextInput
          label={t("host.displayName")}
          description={t("host.displayNameHint")}
          value={displayName}
          maxLength={120}
          autoComplete="name"
          onChange={({ currentTarget: { value } }) => onChange({ displayName: value, ...(!own && { handle: slugOf(value, 40) }) })}
        />
        <HandleField handle={handle} answer={answer} onChange={(value) => onChange({ own: true, handle: value })} />
        <div className={classes["ends"]}>
          <Button type="submit" variant="filled" disabled={!named || answer.state !== "free"}>
            {t("setup.next")}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Week({
  answers: { displayName, handle, timeZone, weeklyRules },
  onChange,
  onBack,
  onDone,
}: StepProps & { onBack: () => void; onDone: () => void }) {
  const { t, locale, firstWeekday } = useTexts();
  const api = useCalendar();
  const { sentence } = useUi();
  const hours = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const make = async () => {
    if (goToWrong(hours.current)) return;
    setBusy(true);
    setProblem("");
    try {
      const { defaultScheduleId } = await whole(
        api.post("/api/admin/host", { body: { handle, displayName, timeZone, weeklyRules: [...weeklyRules] } }),
      );
      // As it is said where they live; without it the page works as well.
      await Promise.allSettled([
        api.put("/api/admin/host", { body: { locale: locale.slice(0, 2), weekStart: firstWeekday } }),
        api.put("/api/admin/schedules/{scheduleId}", { path: { scheduleId: defaultScheduleId }, body: { name: t("setup.hours") } }),
      ]);
      onDone();
    } catch (error) {
      const { code } = problemOf(error);
      // Made in another tab, or by the click before: it goes on from there.
      if (code === "host_exists") return onDone();
      setProblem(code === "handle_taken" ? t("handle.taken") : sentence(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t("setup.weekTitle")} text={t("setup.weekText")}>
      <div className={classes["stack"]}>
        <ZoneSelect
          className={classes["limit"]}
          label={t("host.timeZone")}
          value={timeZone}
          onChange={(zone) => onChange({ timeZone: zone })}
        />
        <div ref={hours}>
          <WeekEditor rules={weeklyRules} weekStart={firstWeekday} onChange={(rules) => onChange({ weeklyRules: rules })} />
        </div>
        {weeklyRules.length === 0 && <Note kind="warn">{t("availability.noHours")}</Note>}
        {problem && (
          <Note kind="bad" alert>
            {problem}
          </Note>
        )}
        <div className={classes["ends"]}>
          <Button onClick={onBack}>{t("setup.back")}</Button>
          <Button variant="filled" loading={busy} onClick={() => void make()}>
            {t("setup.next")}
          </Button>
        </div>
      </div>
    </Card>
  );
}

function Share({ handle, onDone }: { handle: string; onDone: () => void }) {
  const { t } = useTexts();
  const types = useEventTypes().data ?? [];
  const type = types[0];
  const roomy = useMedia("(min-width: 48rem)");
  return (
    <Card title={t("setup.shareTitle")} text={t("setup.shareText")}>
      <div className={classes["stack"]}>
        {type && <Copied link text={linkOf(handle, type.slug)} label={t("setup.link")} />}
        <div className={page["row"]}>
          {type && (
            <Button component="a" href={linkOf(handle, type.slug)} target="_blank" rel="noopener" variant="filled">
              {t("setup.test")}
            </Button>
          )}
          <Button onClick={onDone}>{t("setup.done")}</Button>
          <Link to="/app/availability">{t("setup.more")}</Link>
        </div>
        {type && roomy && <PageFrame src={`/${handle}/${type.slug}`} title={t("preview.of", { title: type.title })} size="page" />}
      </div>
    </Card>
  );
}
