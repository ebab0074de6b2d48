import { Button, CloseButton, TextInput } from "@mantine/core";
import { ArrowDown, ArrowDownUp, ArrowUp, Bookmark, Columns3, ListFilter, Search } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { IconMenu, Menu, MenuItem } from "../Menu.tsx";
import { Confirm } from "../dialogs.tsx";
import { instantOf, localOf } from "../form/instants.ts";
import { Steps } from "../Steps.tsx";
import { useUi } from "../ui.tsx";
import type { Column, Filter, List, Option } from "./useList.ts";
import { MAX_WIDTH, MIN_WIDTH, type SavedView } from "./view.ts";
import classes from "./list.module.css";

interface BarProps<Row> {
  readonly list: List<Row>;
  readonly narrow: boolean;
  readonly tools: ReactNode;
  readonly views: { readonly list: readonly SavedView[]; readonly save: (list: readonly SavedView[]) => void } | undefined;
  readonly shown: readonly Column<Row>[];
}

/** Search, filters, columns, views and the number of what is found. */
export function ListBar<Row>({ list, narrow, tools, views, shown }: BarProps<Row>): ReactNode {
  const { say, texts } = useUi();
  const { options, view, state, show, dropped } = list;
  const [opened, setOpened] = useState("");
  const filters = options.filters ?? [];
  const set = filters.filter(({ key }) => (view.filters[key]?.length ?? 0) > 0 || key === opened);
  const unset = filters.filter((filter) => !set.includes(filter));
  const sorts = options.columns.filter(({ sort }) => sort !== undefined);
  return (
    <div className={classes["bar"]}>
      <div className={classes["line"]}>
        {options.search !== false && <SearchField value={view.q} onChange={(q) => show({ q })} />}
        {unset.length > 0 && (
          <Menu
            label={say("list.filter.add")}
            opener={(props) => (
              <Button {...props} leftSection={<ListFilter size={16} aria-hidden />}>
                {say("list.filter")}
              </Button>
            )}
          >
            {(close) =>
              unset.map(({ key, label }) => (
                <MenuItem key={key} onClick={() => (close(), setOpened(key))}>
                  {label}
                </MenuItem>
              ))
            }
          </Menu>
        )}
        {narrow && sorts.length > 0 && (
          <IconMenu className={classes["tool"]} label={say("list.sort", { label: "…" })} icon={<ArrowDownUp size={16} aria-hidden />}>
            {(close) =>
              sorts.map(({ key, label, sort = "" }) => (
                <MenuItem
                  key={key}
                  hint={
                    view.sort === sort ? (
                      <ArrowUp size={14} aria-hidden />
                    ) : view.sort === `-${sort}` ? (
                      <ArrowDown size={14} aria-hidden />
                    ) : null
                  }
                  onClick={() => (close(), show({ sort: view.sort === sort ? `-${sort}` : sort }))}
                >
                  {label}
                </MenuItem>
              ))
            }
          </IconMenu>
        )}
        <ColumnChoice list={list} shown={shown} />
        {views && <Views list={list} views={views} />}
        <span className={classes["spring"]} />
        <span className={classes["total"]} role="status">
          {!state.first &&
            say(state.total === undefined && state.more ? "list.loaded" : "list.total", { count: state.total ?? state.count })}
        </span>
        {tools}
      </div>
      {set.length > 0 && (
        <div className={classes["line"]}>
          {set.map((filter) => (
            <FilterChip
              key={filter.key}
              filter={filter}
              zone={options.zone ?? texts.zone}
              values={view.filters[filter.key] ?? []}
              initiallyOpen={filter.key === opened}
              onChange={(values) => {
                if (values.length === 0) setOpened("");
                show({ filters: { ...view.filters, [filter.key]: values } });
              }}
              onClose={() => setOpened("")}
            />
          ))}
        </div>
      )}
      {dropped.length > 0 && (
        <p className={classes["dropped"]} role="status">
          {say("list.dropped", { names: dropped.join(", "), count: dropped.length })}
        </p>
      )}
    </div>
  );
}

// It goes into the address.
const [SEARCH_MS, LONGEST] = [150, 200];

function SearchField({ value, onChange }: { value: string; onChange: (q: string) => void }): ReactNode {
  const { say } = useUi();
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    // The address changed from elsewhere: a view, Back.
    if (value !== told.current) setTyped(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === told.current) return;
    const timer = setTimeout(() => onChange((told.current = typed)), SEARCH_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput
      type="search"
      className={classes["search"] ?? ""}
      aria-label={say("list.search")}
      placeholder={say("list.search")}
      leftSection={<Search size={16} aria-hidden />}
      value={typed}
      maxLength={LONGEST}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        if (typed) setTyped("");
        else event.currentTarget.blur();
      }}
    />
  );
}

interface ChipProps {
  readonly filter: Filter;
  readonly zone: string | undefined;
  readonly values: readonly string[];
  readonly initiallyOpen: boolean;
  readonly onChange: (values: readonly string[]) => void;
  readonly onClose: () => void;
}

function FilterChip({ filter, zone, values, initiallyOpen, onChange, onClose }: ChipProps): ReactNode {
  const { say, texts } = useUi();
  const options = useOptions(filter);
  const nameOf = (value: string): string =>
    filter.kind === "yes"
      ? say(value === "true" ? "list.yes" : "list.no")
      : filter.kind === "date"
        ? texts.date(dayOf(value, zone)) || value
        : (options.find((option) => option.value === value)?.label ?? value);
  const words = values.length ? say("list.filter.is", { label: filter.label, value: texts.list(values.map(nameOf), "or") }) : filter.label;
  return (
    <span className={classes["chip"]}>
      <Menu
        kind="dialog"
        label={filter.label}
        initiallyOpen={initiallyOpen}
        onClose={onClose}
        opener={(props) => (
          <button {...props} type="button">
            <bdi>{words}</bdi>
          </button>
        )}
      >
        {(close) => <FilterEditor filter={filter} zone={zone} options={options} values={values} onChange={onChange} done={close} />}
      </Menu>
      <CloseButton size="sm" aria-label={say("act.remove", { name: filter.label })} onClick={() => (onChange([]), onClose())} />
    </span>
  );
}

/** The day of an instant in a zone, as a date field takes it; empty for none. */
const dayOf = (instant: string | undefined, zone: string | undefined): string => localOf(instant ?? "", zone).slice(0, 10);

function FilterEditor({
  filter,
  zone,
  options,
  values,
  onChange,
  done,
}: {
  filter: Filter;
  zone: string | undefined;
  options: readonly Option[];
  values: readonly string[];
  onChange: ChipProps["onChange"];
  done: () => void;
}): ReactNode {
  const { say } = useUi();
  const [typed, setTyped] = useState(filter.kind === "date" ? dayOf(values[0], zone) : (values[0] ?? ""));
  const [search, setSearch] = useState("");
  // Services take instants, people choose days.
  const value = filter.kind === "date" ? instantOf(`${typed}T00:00`, zone) : typed;
  if (filter.kind === "text" || filter.kind === "date")
    return (
      <form className={classes["editor"]} onSubmit={(event) => (event.preventDefault(), onChange(value ? [value] : []), done())}>
        <TextInput
          label={filter.label}
          type={filter.kind}
          max="9999-12-31"
          maxLength={LONGEST}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
        <Button type="submit" variant="filled">
          {say("list.filter")}
        </Button>
      </form>
    );
  const yes = filter.kind === "yes";
  const choices = yes
    ? [
        { value: "true", label: say("list.yes") },
        { value: "false", label: say("list.no") },
      ]
    : options;
  const found = choices.filter(({ label }) => label.toLocaleLowerCase().includes(search.toLocaleLowerCase()));
  return (
    <div className={classes["editor"]}>
      {choices.length > 8 && (
        <TextInput
          aria-label={say("list.search")}
          placeholder={say("list.search")}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-autofocus
        />
      )}
      <div className={classes["choices"]} role="group" aria-label={filter.label}>
        {found.slice(0, 200).map(({ value, label }) => (
          <label key={value}>
            <input
              type={yes ? "radio" : "checkbox"}
              checked={values.includes(value)}
              onChange={(event) =>
                onChange(yes ? [value] : event.currentTarget.checked ? [...values, value] : values.filter((each) => each !== value))
              }
            />
            <bdi>{label}</bdi>
          </label>
        ))}
      </div>
    </div>
  );
}

function useOptions({ options }: Filter): readonly Option[] {
  const [loaded, setLoaded] = useState<readonly Option[]>([]);
  useEffect(() => {
    if (typeof options !== "function") return;
    let wanted = true;
    // Without names the values themselves are shown.
    options().then(
      (list) => wanted && setLoaded(list),
      () => undefined,
    );
    return () => void (wanted = false);
  }, [options]);
  return typeof options === "function" ? loaded : (options ?? []);
}

function ColumnChoice<Row>({ list: { options, show }, shown }: { list: List<Row>; shown: readonly Column<Row>[] }): ReactNode {
  const { say } = useUi();
  const [, ...rest] = shown;
  const hidden = options.columns.filter(({ key }) => !shown.some((each) => each.key === key));
  const put = (columns: readonly Column<Row>[]): void =>
    show({
      columns: columns.map(({ key, width }) =>
        width === undefined || width === options.columns.find((each) => each.key === key)?.width ? { key } : { key, width },
      ),
    });
  const swap = (from: number, to: number): void => {
    const next = [...shown];
    next.splice(to, 0, ...next.splice(from, 1));
    put(next);
  };
  const toggle = (column: Column<Row>): void =>
    put(shown.some(({ key }) => key === column.key) ? shown.filter(({ key }) => key !== column.key) : [...shown, column]);
  return (
    <IconMenu className={classes["tool"]} kind="dialog" label={say("list.columns")} icon={<Columns3 size={16} aria-hidden />}>
      {() => (
        <div className={classes["editor"]}>
          {[...rest, ...hidden].map((column) => {
            const at = shown.findIndex(({ key }) => key === column.key);
            return (
              <div key={column.key} className={classes["column"]}>
                <label>
                  <input type="checkbox" checked={at > 0} onChange={() => toggle(column)} /> {column.label}
                </label>
                {at > 0 && (
                  <>
                    <input
                      type="range"
                      min={MIN_WIDTH}
                      max={MAX_WIDTH / 2}
                      step={20}
                      value={column.width ?? 160}
                      aria-label={say("list.column.width", { label: column.label })}
                      onChange={(event) =>
                        put(shown.map((each) => (each === column ? { ...each, width: Number(event.currentTarget.value) } : each)))
                      }
                    />
                    <Steps name={column.label} at={at - 1} count={shown.length - 1} move={(to) => swap(at, to + 1)} />
                  </>
                )}
              </div>
            );
          })}
        </div>
      )}
    </IconMenu>
  );
}

function Views<Row>({ list, views }: { list: List<Row>; views: NonNullable<BarProps<Row>["views"]> }): ReactNode {
  const { say } = useUi();
  const [typed, setName] = useState("");
  const [asking, setAsking] = useState(false);
  const name = typed.trim();
  const save = (): void => {
    views.save([...views.list.filter((each) => each.name !== name), { name, query: list.query }]);
    setName("");
    setAsking(false);
  };
  return (
    <IconMenu className={classes["tool"]} kind="dialog" label={say("list.views")} icon={<Bookmark size={16} aria-hidden />}>
      {(close) => (
        <div className={classes["editor"]}>
          {views.list.length === 0 && <p className={classes["hint"]}>{say("list.views.none")}</p>}
          {views.list.map((view) => (
            <div key={view.name} className={classes["column"]}>
              <Button
                variant="subtle"
                justify="flex-start"
                aria-current={view.query === list.query || undefined}
                onClick={() => (close(), list.open(view.query))}
              >
                <bdi>{view.name}</bdi>
              </Button>
              <CloseButton
                aria-label={say("act.remove", { name: view.name })}
                onClick={(event) => (
                  event.currentTarget.parentElement?.parentElement?.querySelector("input")?.focus(),
                  views.save(views.list.filter((each) => each !== view))
                )}
              />
            </div>
          ))}
          <form
            className={classes["column"]}
            onSubmit={(event) => (event.preventDefault(), views.list.some((each) => each.name === name) ? setAsking(true) : name && save())}
          >
            <TextInput
              aria-label={say("list.views.name")}
              placeholder={say("list.views.name")}
              value={typed}
              maxLength={80}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" disabled={!name}>
              {say("act.save")}
            </Button>
          </form>
          <Confirm
            open={asking}
            title={say("list.views.replace", { name })}
            text={say("list.views.replace.text")}
            act={say("list.views.replace.act")}
            onClose={() => setAsking(false)}
            onConfirm={save}
          />
        </div>
      )}
    </IconMenu>
  );
}
