/** What a drag tells; coordinates are those of the window. */
export interface DragHandlers {
  /** The pointer has taken a card: false refuses it. */
  readonly lift: (card: HTMLElement) => boolean;
  readonly over: (x: number, y: number) => void;
  readonly drop: () => void;
  readonly cancel: () => void;
}

const MOUSE_PX = 5;
const TOUCH_PX = 10;
const HOLD_MS = 250;

/**
 * Lets cards (`[data-card]`) inside of `root` be carried: by mouse and pen after 5 px, by touch after holding 250 ms, so that a swipe still scrolls. Escape,
 * leaving the window, a page that is no longer seen and a second finger, wherever it is, cancel. Near an edge of what scrolls it scrolls, the faster the
 * nearer, also where the pointer is beyond it: what is told stays inside of `root`. Returns what ends it.
 */
export function carryCards(root: HTMLElement, handlers: DragHandlers): () => void {
  let pressed: {
    card: HTMLElement;
    pointer: number;
    x: number;
    y: number;
    touch: boolean;
    timer: ReturnType<typeof setTimeout> | undefined;
  } | null = null;
  let at = { x: 0, y: 0 };
  /** The next picture, as long as a card is carried; 0: none is. */
  let frame = 0;
  let before = 0;
  const ends = new AbortController();
  const { signal } = ends;

  const point = ({ clientX, clientY }: PointerEvent): void => {
    const { left, right, top, bottom } = root.getBoundingClientRect();
    at = frame
      ? { x: Math.max(left, Math.min(right - 1, clientX)), y: Math.max(top, Math.min(bottom - 1, clientY)) }
      : { x: clientX, y: clientY };
  };
  const lift = (): void => {
    if (!pressed) return;
    clearTimeout(pressed.timer);
    if (!handlers.lift(pressed.card)) return end();
    root.setPointerCapture(pressed.pointer);
    before = performance.now();
    frame = requestAnimationFrame(scroll);
  };
  const end = (): void => {
    clearTimeout(pressed?.timer);
    cancelAnimationFrame(frame);
    if (pressed && root.hasPointerCapture(pressed.pointer)) root.releasePointerCapture(pressed.pointer);
    pressed = null;
    frame = 0;
  };
  const cancel = (): void => {
    const carrying = frame !== 0;
    end();
    if (carrying) handlers.cancel();
  };
  const scroll = (now: number): void => {
    scrollNear(at.x, at.y, now - before);
    before = now;
    handlers.over(at.x, at.y);
    frame = requestAnimationFrame(scroll);
  };

  const down = (event: PointerEvent): void => {
    if (pressed) return cancel();
    const target = event.target as HTMLElement;
    const card = target.closest<HTMLElement>("[data-card]");
    if (!card || !root.contains(card) || event.button !== 0 || target.closest("button, input, select, textarea")) return;
    point(event);
    const touch = event.pointerType === "touch";
    // Touches are the card's for as long as they last, also where others have moved it and it is not in the page any more.
    card.addEventListener("touchmove", still, { signal, passive: false });
    pressed = { card, pointer: event.pointerId, ...at, touch, timer: touch ? setTimeout(lift, HOLD_MS) : undefined };
  };
  const move = (event: PointerEvent): void => {
    if (!pressed || event.pointerId !== pressed.pointer) return;
    point(event);
    if (frame) return event.preventDefault();
    const far = Math.hypot(at.x - pressed.x, at.y - pressed.y);
    if (pressed.touch && far > TOUCH_PX) end();
    else if (!pressed.touch && far > MOUSE_PX) lift();
  };
  const up = (event: PointerEvent): void => {
    if (!pressed || event.pointerId !== pressed.pointer) return;
    if (!frame) return end();
    point(event);
    handlers.over(at.x, at.y);
    end();
    // The click that follows belongs to the drag.
    const swallow = (click: Event): void => (click.preventDefault(), click.stopPropagation());
    window.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener("click", swallow, true));
    handlers.drop();
  };
  const still = (event: Event): void => {
    if (event.cancelable && (frame || (pressed?.touch && event.type === "contextmenu"))) event.preventDefault();
  };
  const key = (event: KeyboardEvent): void => {
    if (!frame || event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    cancel();
  };
  // Wherever it happens: a finger beside the board cancels, and a card that is taken out of the page meanwhile is not carried on.
  window.addEventListener("pointerdown", down, { signal });
  window.addEventListener("pointermove", move, { signal });
  window.addEventListener("pointerup", up, { signal });
  window.addEventListener("pointercancel", cancel, { signal });
  root.addEventListener("touchmove", still, { signal, passive: false });
  root.addEventListener("contextmenu", still, { signal });
  root.addEventListener("dragstart", (event) => event.preventDefault(), { signal });
  window.addEventListener("keydown", key, { signal, capture: true });
  window.addEventListener("blur", cancel, { signal });
  document.addEventListener("visibilitychange", cancel, { signal });
  return () => {
    cancel();
    ends.abort();
  };
}

const EDGE_PX = 48;
/** At the edge itself. */
const PX_PER_MS = 0.9;

/** Scrolls what lies under a point towards the edge that it is near to. */
function scrollNear(x: number, y: number, milliseconds: number): void {
  for (let part = document.elementFromPoint(x, y); part; part = part.parentElement) {
    const page = part === document.scrollingElement;
    const { left, right, top, bottom } = page ? new DOMRect(0, 0, innerWidth, innerHeight) : part.getBoundingClientRect();
    const { overflowX, overflowY } = getComputedStyle(part);
    const by = (from: number, to: number, position: number): number =>
      ((Math.max(0, EDGE_PX - (to - position)) - Math.max(0, EDGE_PX - (position - from))) / EDGE_PX) * PX_PER_MS * milliseconds;
    if (page || /auto|scroll/.test(overflowY)) part.scrollTop += by(top, bottom, y);
    if (/auto|scroll/.test(overflowX)) part.scrollLeft += by(left, right, x);
  }
}
