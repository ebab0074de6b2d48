// What the booking page does more where scripts run: the guest's own zone, months without a reload, a time that is kept while somebody types.
// Without it the page is links and a form. No framework, no storage, no other origin.

const main = document.getElementById("booking");
const byId = (id) => document.getElementById(id);
// A page that came back with faults is the form's own affair.
// So is one whose zone the browser does not know, unless the browser has another one.
if (main && byId("form") && !byId("details").hasAttribute("data-open") && (knowsZone(main.dataset.zone) || knowsZone(ownZone()))) start();

function start() {
  const words = JSON.parse(byId("words").textContent);
  const twelveHours = "twelveHours" in main.dataset;
  const weekStart = Number(main.dataset.weekStart);
  const duration = Number(main.dataset.duration);
  const query = new URLSearchParams(location.search);
  const clientToken = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const [form, days, slotList, dayTitle, zoneBox, alertBox, notice, near, held, submit] = [
    "form",
    "days",
    "slots",
    "day",
    "tz",
    "alert",
    "notice",
    "near",
    "held",
    "submit",
  ].map(byId);
  const months = new Map();

  const drawnZone = main.dataset.zone;
  let zone = knowsZone(drawnZone) ? drawnZone : ownZone();
  let shown = clockOf(zone, twelveHours);
  // The dates that the grid shows, the last one exclusive: a month, or when the page opens the weeks from the first bookable one on.
  let view = { first: main.dataset.first, end: main.dataset.end };
  let date = main.dataset.date;
  let hold = null;
  let taking = null;
  let clock = 0;
  let booked = false;
  let shownMonth = 0;

  const dateOf = (at) => shown.dateOf(at);
  const timeText = (at) => shown.timeText(at);
  const today = () => dateOf(Date.now());
  const call = (...request) => callServer(main.dataset.api, ...request);

  const monthOf = (day) => ({ first: firstOf(day), end: firstOf(day, 1) });
  /** Two weeks at least, from the week of a day on, and the rest of its month. */
  function weeksFrom(day) {
    const week = plusDays(day, -((weekdayOf(day) - weekStart + 7) % 7));
    const first = week < firstOf(day) ? firstOf(day) : week;
    return { first, end: [firstOf(day, 1), plusDays(week, 14)].sort()[1] };
  }
  const isIn = (day, { first, end }) => day >= first && day < end;

  /** The free times of the dates of a grid, by date: `{days: Map, next}`. */
  async function free({ first, end }) {
    const key = `${zone} ${first} ${end}`;
    if (!months.has(key)) {
      const from = first < today() ? today() : first;
      const answer = await call(
        "GET",
        `/availability?${new URLSearchParams({ fromDate: from, toDate: plusDays(end, -1), timeZone: zone, duration })}`,
      );
      if (answer.problem) return answer;
      months.set(key, {
        days: byDate(answer.slots.map(({ start: at, seatsLeft }) => ({ at: Date.parse(at), seatsLeft }))),
        next: answer.nextAvailable,
      });
    }
    return months.get(key);
  }
  function byDate(slots) {
    const found = new Map();
    for (const slot of slots) found.set(dateOf(slot.at), [...(found.get(dateOf(slot.at)) ?? []), slot]);
    return found;
  }

  // ---- The month and the times of a day

  const say = (text) => {
    byId("says").textContent = text;
  };
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    made.append(...children);
    return made;
  };
  const number = (count) => (count === 1 ? words.freeOne : words.freeMany.replace("%n", count));
  const linkOf = (day) => `?${new URLSearchParams({ ...Object.fromEntries(query), tz: zone, date: day })}`;

  /** Shows a grid, and of it the day that is wanted or the next one that is free. */
  async function show(wantedView, wanted, { focus = false } = {}) {
    const turn = ++shownMonth;
    days.setAttribute("aria-busy", "true");
    const found = await free(wantedView);
    if (turn !== shownMonth) return;
    days.removeAttribute("aria-busy");
    // The browser knows a zone that the server does not.
    if (isUnknownZone(found.problem) && zone !== drawnZone && knowsZone(drawnZone)) return stayInDrawnZone();
    if (found.problem) return tell(found.problem);
    view = wantedView;
    date = found.days.has(wanted)
      ? wanted
      : ([...found.days.keys()].sort().find((day) => day >= (wanted ?? "")) ?? [...found.days.keys()].sort()[0] ?? "");
    drawMonth(found, focus ? wanted : date);
    drawTimes(found);
    if (focus) days.querySelector('[tabindex="0"]')?.focus();
  }

  function drawMonth(found, active) {
    const { first, end } = view;
    byId("month").textContent = [...new Set([first, plusDays(end, -1)].map(monthText))].join(" – ");
    drawArrow("previous", firstOf(first) > today() && firstOf(first, -1));
    drawArrow("next", noon(first) - Date.now() < 700 * 86400000 && firstOf(first, 1));
    const focused = isIn(active, view) ? active : first;
    const rows = [];
    for (let day = plusDays(first, -((weekdayOf(first) - weekStart + 7) % 7)); day < end;) {
      const row = element("tr", { role: "row" });
      for (let i = 0; i < 7; ++i, day = plusDays(day, 1))
        row.append(
          element(
            "td",
            { role: "gridcell" },
            ...(!isIn(day, view) ? [] : [drawDay(day, found.days.get(day)?.length ?? 0, day === focused)]),
          ),
        );
      rows.push(row);
    }
    days.setAttribute("role", "grid");
    days.tBodies[0].replaceChildren(...rows);
  }

  function drawDay(day, count, focused) {
    const text = String(Number(day.slice(8)));
    const common = { role: "button", tabindex: focused ? "0" : "-1", "data-date": day, "data-today": day === today() };
    if (!count) return element("span", { ...common, "aria-disabled": "true", "aria-label": `${dayText(day)}, ${words.noTimes}` }, text);
    return element(
      "a",
      {
        ...common,
        href: linkOf(day),
        rel: "nofollow",
        "aria-label": `${dayText(day)}, ${number(count)}`,
        "aria-current": day === date && "true",
      },
      text,
    );
  }

  function drawArrow(id, target) {
    const old = byId(id);
    const made = target
      ? element("a", { id, class: "arrow", href: linkOf(target), rel: "nofollow", "aria-label": main.dataset[id], "data-month": target })
      : element("span", { id, class: "arrow" });
    if (target)
      made.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${id === "next" ? "M9 5l7 7-7 7" : "M15 5l-7 7 7 7"}"/></svg>`;
    const had = document.activeElement === old;
    old.replaceWith(made);
    if (had && target) made.focus();
  }
  function drawTimes(found) {
    const slots = found.days.get(date) ?? [];
    dayTitle.textContent = date ? dayText(date) : words.noneThisMonth;
    byId("next-free")?.remove();
    const texts = slots.map(({ at }) => timeText(at));
    slotList.replaceChildren(
      ...slots.map(({ at, seatsLeft }, place) => {
        const twice = texts.indexOf(texts[place]) !== texts.lastIndexOf(texts[place]);
        const button = element(
          "button",
          { type: "button", "data-start": String(at) },
          element("span", {}, texts[place], ...(twice ? [element("small", {}, ` ${shown.offsetText(at)}`)] : [])),
        );
        if (seatsLeft !== undefined) button.append(element("small", {}, words.seatsLeft.replace("%n", seatsLeft)));
        return element("li", {}, button);
      }),
    );
    if (!date && found.next) {
      const day = dateOf(Date.parse(found.next));
      slotList.after(element("p", { id: "next-free" }, element("a", { href: linkOf(day), "data-goto": day }, dayText(day))));
    }
    say(date ? `${dayText(date)}, ${number(slots.length)}` : words.noneThisMonth);
  }

  /** The free times that came with the page: of its grid, and of two days before and behind it for other zones. */
  const asDrawn = () =>
    main.dataset.starts
      .split(" ")
      .filter(Boolean)
      .map((each) => each.split(":").map(Number))
      .map(([minutes, seatsLeft]) => ({ at: minutes * 60000, seatsLeft }));

  // ---- Keeping a time

  const reason = (problem) => words[problem.code] ?? words.failed;

  /** Says what went wrong, and offers other times where there are some. */
  function tell(problem, others = problem.details?.nearest?.map(({ start: at }) => Date.parse(at)) ?? []) {
    notice.textContent = reason(problem);
    near.replaceChildren();
    if (others.length) {
      near.append(
        element("p", { class: "small" }, words.nearest),
        element(
          "ul",
          { class: "near" },
          ...others.map((at) =>
            element("li", {}, element("button", { type: "button", "data-start": String(at) }, `${dayText(dateOf(at))}, ${timeText(at)}`)),
          ),
        ),
      );
    }
    alertBox.hidden = false;
    alertBox.scrollIntoView({ block: "nearest" });
  }
  const quiet = () => {
    alertBox.hidden = true;
  };

  /**
   * Reserves a time, after the answer to the request before it. Resolves to false if the server refuses; then the form shows the reserved
   * number of places.
   */
  function take(at) {
    const turn = Promise.resolve(taking).then(() => reserve(at));
    taking = turn;
    turn.then((reserved) => {
      if (taking !== turn) return;
      taking = null;
      const seats = byId("seats");
      if (reserved || !hold || !seats) return;
      seats.value = hold.seats;
      keep();
    });
    return turn;
  }

  async function reserve(at) {
    const seats = Math.max(1, Number(byId("seats")?.value ?? 1));
    const isHeld = hold?.at === at;
    for (const button of document.querySelectorAll("[data-start]")) button.disabled = true;
    const answer = await call("POST", "/hold", {
      start: new Date(at).toISOString(),
      durationMinutes: duration,
      timeZone: zone,
      clientToken,
      ...(seats > 1 ? { seats } : {}),
    });
    for (const button of document.querySelectorAll("[data-start]")) button.disabled = false;
    if (isUnknownZone(answer.problem) && zone !== drawnZone && knowsZone(drawnZone)) {
      stayInDrawnZone();
      return reserve(at);
    }
    if (answer.problem) {
      months.clear();
      tell(answer.problem);
      if (main.dataset.step !== "details") await show(view, date);
      around.tell("error", { code: answer.problem.code });
      return false;
    }
    quiet();
    hold = { ...answer, at, seats, until: performance.now() + Date.parse(answer.expiresAt) - Date.parse(answer.serverTime), warned: false };
    byId("held-when").textContent = `${dayText(dateOf(at))}, ${timeText(at)} – ${timeText(Date.parse(answer.end))}, ${zoneText(zone, at)}`;
    held.hidden = false;
    byId("change").hidden = false;
    byId("details").setAttribute("data-open", "");
    main.dataset.step = "details";
    tick();
    clearInterval(clock);
    clock = setInterval(tick, 1000);
    // A guest who has changed the number of places may be typing in the next field.
    if (!isHeld) byId("details-title").focus();
    around.tell("held", { start: answer.start, end: answer.end, expiresAt: answer.expiresAt });
    return true;
  }

  function tick() {
    const left = Math.max(0, Math.ceil((hold.until - performance.now()) / 1000));
    byId("held-left").replaceChildren(`${words.kept} `, element("b", {}, `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`));
    if (left <= 60 && !hold.warned) {
      hold.warned = true;
      say(words.minuteLeft);
    }
    if (!left) expire();
  }

  async function expire() {
    const { at } = hold;
    letGo();
    months.clear();
    held.hidden = true;
    tell({ code: "hold_expired" });
    const [from, to] = [Math.max(Date.now(), at - 7 * 86400000), Math.max(Date.now(), at) + 14 * 86400000];
    const answer = await call(
      "GET",
      `/availability?${new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), timeZone: zone, duration })}`,
    );
    if (hold || answer.problem) return;
    const nearest = answer.slots
      .map((slot) => Date.parse(slot.start))
      .sort((a, b) => Math.abs(a - at) - Math.abs(b - at))
      .slice(0, 5)
      .sort((a, b) => a - b);
    tell({ code: "hold_expired" }, nearest);
  }

  function letGo() {
    clearInterval(clock);
    hold = null;
  }

  function giveBack() {
    if (!hold) return;
    call("DELETE", `/holds/${hold.holdId}`, undefined, { "X-Hold-Token": hold.holdToken });
    letGo();
    months.clear();
  }

  async function change() {
    await taking;
    giveBack();
    pick();
    await show(view, date, { focus: true });
  }
  function pick() {
    delete main.dataset.step;
    byId("details").removeAttribute("data-open");
    held.hidden = true;
    byId("change").hidden = true;
    quiet();
  }

  // ---- The form

  const fields = () =>
    [...form.querySelectorAll("input:not([type=hidden]), select, textarea")].filter(
      ({ name }) => name && name !== "website" && name !== "start",
    );
  // What is typed stays over a reload, with the page's entry in the browser's history: nothing is stored elsewhere. An answer to a sum is for one page.
  const typed = () =>
    fields().map(({ name, type, checked, value }) => [name, type === "checkbox" ? checked : name === "human" ? "" : value]);
  let keeping = 0;
  // Some browsers take a hundred of these in half a minute.
  const keep = () => {
    keeping ||= setTimeout(() => {
      keeping = 0;
      if (!booked) history.replaceState({ typed: typed() }, "");
    }, 400);
  };
  function typeAgain() {
    const all = fields();
    for (const [place, [name, value]] of (history.state?.typed ?? []).entries()) {
      const field = all[place];
      if (field?.name === name && typeof value === (field.type === "checkbox" ? "boolean" : "string"))
        field[field.type === "checkbox" ? "checked" : "value"] = value;
    }
  }
  function mark(id, text) {
    const field = byId(id);
    const fault = byId(`${id}-fault`);
    if (!field || !fault) return null;
    fault.textContent = text;
    if (text) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (text) field.setAttribute("aria-describedby", fault.id);
    return text ? field : null;
  }
  const idOf = (path) =>
    ({
      "guest.name": "name",
      "guest.email": "email",
      "guest.phone": "phone",
      notes: "notes",
      seats: "seats",
      "humanCheck.answer": "human",
    })[path] ?? (path.startsWith("answers.") ? `a_${path.slice(8)}` : path.startsWith("additionalGuests") ? "guests" : path);

  function answers() {
    const found = [];
    for (const field of form.querySelectorAll("[id^=a_]:not(p)")) {
      const value =
        field.tagName === "FIELDSET"
          ? [...field.querySelectorAll(":checked")].map((box) => box.value)
          : field.type === "checkbox"
            ? field.checked
            : field.value.trim();
      if (value === true || (value && value.length)) found.push({ questionId: field.id.slice(2), value });
    }
    return found;
  }

  /** While a form is sent, its number of places cannot change. */
  function setSending(sending) {
    submit.disabled = sending;
    if (byId("seats")) byId("seats").readOnly = sending;
  }

  async function send(event) {
    event.preventDefault();
    if (!hold) return alertBox.hidden ? tell({ code: "hold_expired" }) : alertBox.focus();
    for (const { id, name } of fields()) mark(id || name, "");
    const missing = fields()
      .filter((field) => field.required && (field.type === "checkbox" ? !field.checked : !field.value.trim()))
      .map(({ id }) => mark(id, words.required));
    if (missing.length) return missing[0]?.focus();
    const value = (id) => byId(id)?.value.trim() ?? "";
    const others = value("guests")
      .split(/[\n,;]/)
      .map((each) => each.trim())
      .filter(Boolean)
      .map((email) => ({ email }));
    setSending(true);
    // A changed number of places is a new hold.
    while (taking) if (!(await taking)) return setSending(false);
    say(words.booking);
    const { holdId, holdToken } = hold;
    const answer = await call("POST", "/confirm", {
      holdId,
      holdToken,
      guest: {
        name: value("name"),
        email: value("email"),
        timeZone: zone,
        locale: language,
        ...(value("phone") ? { phone: value("phone") } : {}),
      },
      answers: answers(),
      notes: value("notes"),
      ...(others.length ? { additionalGuests: others } : {}),
      ...(byId("human") ? { humanCheck: { token: form.elements.humanToken.value, answer: value("human") } } : {}),
    });
    setSending(false);
    if (!answer.problem) {
      booked = true;
      letGo();
      history.replaceState(null, "");
      around.tell("booked", {
        bookingId: answer.booking.bookingId,
        status: answer.booking.status,
        start: answer.booking.start,
        end: answer.booking.end,
      });
      location.assign(main.dataset.redirect ?? answer.manageUrl + around.query.replace("?", "&"));
      return;
    }
    const marked = (answer.problem.errors ?? [])
      .map(({ field, code }) => mark(idOf(field), words[code] ?? words.not_valid))
      .filter(Boolean);
    if (marked.length) return marked[0].focus();
    if (answer.problem.status === 410 && hold) return expire();
    if (answer.problem.status === 409) {
      letGo();
      held.hidden = true;
      months.clear();
    }
    tell(answer.problem);
    around.tell("error", { code: answer.problem.code });
  }

  // ---- Zones

  function setZone(name) {
    zone = name;
    shown = clockOf(name, twelveHours);
    if (![...zoneBox.options].some(({ value }) => value === name))
      zoneBox.prepend(element("option", { value: name }, zoneText(name, Date.now())));
    zoneBox.value = name;
    form.elements.tz.value = name;
    byId("zone-note").hidden = true;
  }
  const isUnknownZone = (problem) => problem?.errors?.some(({ code }) => code === "unknown_time_zone") ?? false;
  const sayDrawnZone = () => {
    byId("zone-note").textContent = words.unknownZone.replace("%zone", zoneText(drawnZone, Date.now()));
    byId("zone-note").hidden = false;
  };
  function stayInDrawnZone() {
    setZone(drawnZone);
    sayDrawnZone();
    drawOpening();
  }
  /** All that the browser knows, when somebody looks for theirs. */
  function allZones() {
    if (zoneBox.querySelector("optgroup")) return;
    const known = new Set([...zoneBox.options].map(({ value }) => value));
    const others = (Intl.supportedValuesOf?.("timeZone") ?? []).filter((name) => !known.has(name));
    if (others.length)
      zoneBox.append(
        element(
          "optgroup",
          { label: words.otherZones },
          ...others.map((name) => element("option", { value: name }, name.replaceAll("_", " "))),
        ),
      );
  }

  // ---- What the guest does

  days.addEventListener("click", (event) => {
    const day = event.target.closest("a[data-date]")?.dataset.date;
    if (!day) return;
    event.preventDefault();
    show(view, day, { focus: true });
    if (matchMedia("(max-width: 57.99rem)").matches)
      byId("times").scrollIntoView({
        block: "nearest",
        behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
      });
  });
  days.addEventListener("keydown", (event) => {
    const day = event.target.dataset.date;
    if (!day || event.ctrlKey || event.altKey || event.metaKey) return;
    const column = (weekdayOf(day) - weekStart + 7) % 7;
    const moved = {
      ArrowLeft: () => plusDays(day, -1),
      ArrowRight: () => plusDays(day, 1),
      ArrowUp: () => plusDays(day, -7),
      ArrowDown: () => plusDays(day, 7),
      Home: () => plusDays(day, -column),
      End: () => plusDays(day, 6 - column),
      PageUp: () => firstOf(day, -1),
      PageDown: () => firstOf(day, 1),
    }[event.key]?.();
    if (event.key === " ") event.target.click();
    if (!moved && event.key !== " ") return;
    event.preventDefault();
    if (!moved || moved < firstOf(today())) return;
    if (!isIn(moved, view)) return void show(monthOf(moved), moved, { focus: true });
    days.querySelector('[tabindex="0"]').tabIndex = -1;
    const target = days.querySelector(`[data-date="${moved}"]`);
    target.tabIndex = 0;
    target.focus();
  });
  main.addEventListener("click", (event) => {
    const arrow = event.target.closest("a[data-month]");
    const other = event.target.closest("a[data-goto]");
    const time = event.target.closest("button[data-start]");
    if (!arrow && !other && !time) return;
    event.preventDefault();
    if (arrow) show(monthOf(arrow.dataset.month), arrow.dataset.month);
    if (other) show(monthOf(other.dataset.goto), other.dataset.goto);
    if (time) {
      around.tell("slotSelected", { start: new Date(Number(time.dataset.start)).toISOString() });
      take(Number(time.dataset.start));
    }
  });
  zoneBox.addEventListener("change", () => {
    // One that only the server knows is drawn there.
    if (!knowsZone(zoneBox.value)) return zoneBox.form.submit();
    setZone(zoneBox.value);
    show(date && !isIn(date, view) ? monthOf(date) : view, date);
  });
  zoneBox.addEventListener("pointerdown", allZones);
  zoneBox.addEventListener("focus", allZones);
  byId("zone-change").hidden = true;
  byId("change").addEventListener("click", change);
  byId("seats")?.addEventListener("change", () => {
    if (hold) take(hold.at);
  });
  form.addEventListener("submit", send);
  form.addEventListener("input", keep);
  // Another length is another page.
  for (const other of document.querySelectorAll(".durations a")) {
    other.addEventListener("click", (event) => {
      if (!history.state?.typed || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      history.pushState(history.state, "", other.href);
      location.reload();
    });
  }
  addEventListener("pagehide", () => {
    if (!booked) giveBack();
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    booked = false;
    pick();
    show(view, date);
  });

  typeAgain();
  /** Draws what the server knows in the guest's zone: without a request, unless there is nothing free. */
  function drawOpening() {
    const drawn = { first: main.dataset.first, end: main.dataset.end };
    const slots = asDrawn();
    date = main.dataset.date;
    view = drawn;
    // The first free day may be another one here, and so its week.
    if (zone !== drawnZone && slots.length && !query.has("date")) {
      const opening = weeksFrom(dateOf(slots[0].at));
      view = { first: opening.first, end: [opening.end, drawn.end].sort()[0] };
      date = dateOf(slots[0].at);
    }
    const found = { days: new Map([...byDate(slots)].filter(([day]) => isIn(day, view))) };
    if (!found.days.size) return zone === drawnZone ? undefined : void show(view, date);
    months.set(`${zone} ${view.first} ${view.end}`, found);
    if (!found.days.has(date)) date = [...found.days.keys()].sort().find((day) => day >= date) ?? [...found.days.keys()].sort()[0];
    drawMonth(found, date);
    drawTimes(found);
    say("");
  }
  const own = ownZone();
  if (own !== drawnZone && knowsZone(own) && !(zone === drawnZone && query.has("embed") && query.has("tz"))) setZone(own);
  drawOpening();
  if (zone === drawnZone && !knowsZone(own)) sayDrawnZone();
}
