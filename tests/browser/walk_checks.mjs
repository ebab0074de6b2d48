// What is looked at on each page of a walk: that everything is reached by keyboard and seen there, and that a narrow or low window leaves nothing out.

/** What can be used by a pointer, and the faults of it that need no walk; from now on each Tab is noted. In the page. */
function controls() {
  const name = (each) => each.outerHTML.replace(/ (class|style|d)="[^"]*"/g, "").slice(0, 140);
  const patterns =
    "[role=grid],[role=listbox],[role=tablist],[role=radiogroup],[role=menu],[role=tree],[role=toolbar],[data-column],fieldset";
  const all = [...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary,iframe,[tabindex]")].filter(
    (each) =>
      each.checkVisibility({ visibilityProperty: true }) &&
      !each.disabled &&
      !each.closest("[inert],[aria-hidden=true]") &&
      each.getClientRects().length,
  );
  const lost = all.filter((each) => each.tabIndex < 0 && !each.closest(patterns) && each.matches("a[href],button,input,select,textarea"));
  const first = all.filter((each) => each.tabIndex > 0);
  const walk = {
    seen: new Set(),
    faults: [...lost.map((each) => `cannot be reached: ${name(each)}`), ...first.map((each) => `comes before its turn: ${name(each)}`)],
    over: false,
    last: null,
  };
  const marked = (each) => {
    const style = each && getComputedStyle(each);
    return style && ((style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none");
  };
  const look = (at) => {
    // The mark may be around what a field is part of.
    if (
      ![
        at,
        at.parentElement,
        at.parentElement?.parentElement,
        at.nextElementSibling,
        ...(at.labels ?? []),
        at.closest("[role=row],[role=gridcell]"),
      ].some(marked)
    )
      walk.faults.push(`focus is not seen: ${name(at)}`);
    const { left, top, right, bottom } = at.getBoundingClientRect();
    if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight)
      return walk.faults.push(`focus is out of sight: ${name(at)}`);
    const [x, y] = [(Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2];
    const over = document.elementFromPoint(x, y);
    if (
      over &&
      !at.contains(over) &&
      !over.contains(at) &&
      ![...(at.labels ?? [])].some((label) => label.contains(over)) &&
      !over.closest("label,[data-portal]")
    )
      walk.faults.push(`focus is covered: ${name(at)} by ${name(over)}`);
  };
  // When the key comes up, the focus is where it has led, and that is scrolled into sight.
  const stop = ({ key }) => {
    const at = document.activeElement;
    // A field for a date has several stops.
    if (key !== "Tab" || walk.over || at === walk.last) return;
    if (at === document.body || walk.seen.has(at)) return void (walk.over = true);
    walk.seen.add(at);
    walk.last = at;
    look(at);
  };
  addEventListener("keyup", stop, true);
  // Keys within a frame are the frame's.
  addEventListener("blur", () => document.activeElement?.tagName === "IFRAME" && walk.seen.add((walk.last = document.activeElement)));
  walk.unreached = () =>
    all
      .filter(
        (each) =>
          each.tabIndex >= 0 &&
          !(each.type === "radio" && !each.checked) &&
          each.isConnected &&
          each.checkVisibility() &&
          !each.disabled &&
          !walk.seen.has(each),
      )
      .map((each) => `Tab does not reach ${name(each)}`);
  walk.name = name;
  window.walk = walk;
  // Tab goes on from where the focus was, also when that is gone.
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
  return all.length;
}

const tab = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 };
/** Keys are sent together, and come in their order. */
const together = 30;

/** Walks a page by Tab until that leaves it: every control is reached once, in the order of the page, is in sight and shows that it has the focus. */
export async function walked(page) {
  const most = 3 * (await page.evaluate(controls)) + 200;
  const tools = await page.context().newCDPSession(page);
  let steps = 0;
  while (steps < most && !(await page.evaluate(() => window.walk.over))) {
    const keys = Array.from({ length: together }, () => ["rawKeyDown", "keyUp"]).flat();
    await Promise.all(keys.map((type) => tools.send("Input.dispatchKeyEvent", { type, ...tab })));
    steps += together;
  }
  await tools.detach();
  const faults = await page.evaluate(() => [...window.walk.faults, ...window.walk.unreached()]);
  if (steps >= most) faults.push("Tab does not come to an end");
  // Of what arrows lead through, one is reached by Tab, and from there the next.
  for (const widget of await page.locator("[role=grid],[role=tablist],[role=radiogroup]").all()) {
    const items = await widget.evaluate(
      (box) => [...box.querySelectorAll("[tabindex='-1']")].filter((each) => each.checkVisibility()).length,
    );
    if (items < 2) continue;
    const moved = await widget
      .evaluate((box) => (box.querySelector("[tabindex='0']") ?? box).focus())
      .then(async () => {
        const before = await page.evaluateHandle(() => document.activeElement);
        for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
        return page.evaluate(
          (from) => document.activeElement !== from || document.activeElement.hasAttribute("aria-activedescendant"),
          before,
        );
      });
    if (!moved) faults.push(`arrows do not lead through ${await widget.evaluate((box) => window.walk.name(box))}`);
  }
  return faults;
}

/** What a window of this size leaves out: what lies beside it, what is cut off, and what bars take of it. In the page. */
export function leftOut() {
  const name = (each) => each.outerHTML.replace(/ (style|d)="[^"]*"/g, "").slice(0, 140);
  const faults = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) faults.push(`scrolls sideways by ${over} px`);
  const shown = [...document.body.querySelectorAll("*")].filter(
    (each) =>
      !each.closest("[aria-hidden=true]") &&
      each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      each.clientWidth > 1 &&
      each.clientHeight > 1,
  );
  for (const each of shown) {
    const style = getComputedStyle(each);
    const cuts = (overflow) => overflow === "hidden" || overflow === "clip";
    // A text that ends in "…" says so, and is whole elsewhere; that of a block in a week, as high as it is long, is its title, too.
    const told = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none" || each.title;
    if (
      !told &&
      !each.matches("svg,svg *,input,select") &&
      ((cuts(style.overflowX) && each.scrollWidth > each.clientWidth + 1) ||
        (cuts(style.overflowY) && each.scrollHeight > each.clientHeight + 1))
    )
      faults.push(`is cut off: ${name(each)}`);
    if (/auto|scroll/.test(style.overflowY) && each.scrollHeight > each.clientHeight + 1) {
      if (each.clientHeight < 96) faults.push(`scrolls in ${each.clientHeight} px: ${name(each)}`);
      // Else nothing leads out of it again by wheel or finger.
      if (style.overscrollBehaviorY !== "auto" && innerHeight - each.clientHeight < 96 && !each.closest("dialog,[popover]"))
        faults.push(`does not let go of the page: ${name(each)}`);
    }
  }
  const stays = (each) =>
    each && each !== document.body && (/fixed|sticky/.test(getComputedStyle(each).position) ? each : stays(each.parentElement));
  const every = 8;
  const bars = [0, document.documentElement.scrollHeight].map((top) => {
    scrollTo({ top, behavior: "instant" });
    return (
      every *
      Array.from({ length: innerHeight / every }, (_, line) => stays(document.elementFromPoint(innerWidth / 2, line * every))).filter(
        Boolean,
      ).length
    );
  });
  scrollTo({ top: 0, behavior: "instant" });
  if (Math.max(...bars) > innerHeight / 2) faults.push(`bars take ${Math.max(...bars)} of ${innerHeight} px`);
  return faults;
}
