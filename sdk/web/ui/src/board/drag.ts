/** What a drag tells; coordinates are those of the window. */
export interface DragHandlers {
  /** The pointer has taken a card: false refuses it. */
  readonly lift: (card: HTMLElement, x: number, y: number) => boolean;
  readonly over: (x: number, y: number) => void;
  readonly drop: () => void;
  readonly cancel: () => void;
}

const MOUSE_PX = 5;
const TOUCH_PX = 10;
const HOLD_MS = 250;

/**
 * Lets cards (`[data-card]`) inside of `root` be carried: by mouse and pen after 5 px, by touch after holding 250 ms, so that a swipe still scrolls. Escape,
 * leaving the window and a second finger cancel. Near an edge of what scrolls it scrolls. Returns what ends it.
 */
export function carryCards(root: HTMLElement, handlers: DragHandlers): () => void {
  let pressed: { card: HTMLElement; pointer: number; x: number; y: number; touch: boolean; timer: ReturnType<typeof setTimeout> | undefined } | null = null;
  let carrying = false;
  let at = { x: 0, y: 0 };
  let frame = 0;

  const lift = (): void => {
    if (!pressed) return;
    clearTimeout(pressed.timer);
    if (!handlers.lift(pressed.card, at.x, at.y)) return end();
    carrying = true;
    root.setPointerCapture(pressed.pointer);
    frame = requestAnimationFrame(scroll);
  };
  const end = (): void => {
    clearTimeout(pressed?.timer);
    cancelAnimationFrame(frame);
    if (pressed && root.hasPointerCapture(pressed.pointer)) root.releasePointerCapture(pressed.pointer);
    pressed = null;
    carrying = false;
  };
  const cancel = (): void => {
    const was = carrying;
    end();
    if (was) handlers.cancel();
  };
  const scroll = (): void => {
    scrollNear(at.x, at.y);
    handlers.over(at.x, at.y);
    frame = requestAnimationFrame(scroll);
  };

  const down = (event: PointerEvent): void => {
    if (pressed) return cancel();
    const target = event.target as HTMLElement;
    const card = target.closest<HTMLElement>("[data-card]");
    if (!card || event.button !== 0 || target.closest("button, input, select, textarea")) return;
    at = { x: event.clientX, y: event.clientY };
    const touch = event.pointerType === "touch";
    pressed = { card, pointer: event.pointerId, ...at, touch, timer: touch ? setTimeout(lift, HOLD_MS) : undefined };
  };
  const move = (event: PointerEvent): void => {
    if (!pressed || event.pointerId !== pressed.pointer) return;
    at = { x: event.clientX, y: event.clientY };
    if (carrying) return event.preventDefault();
    const far = Math.hypot(at.x - pressed.x, at.y - pressed.y);
    if (pressed.touch && far > TOUCH_PX) end();
    else if (!pressed.touch && far > MOUSE_PX) lift();
  };
  const up = (event: PointerEvent): void => {
    if (!pressed || event.pointerId !== pressed.pointer) return;
    const was = carrying;
    if (was) handlers.over(event.clientX, event.clientY);
    end();
    if (!was) return;
    // The click that follows belongs to the drag.
    const swallow = (click: Event): void => (click.preventDefault(), click.stopPropagation());
    window.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener("click", swallow, true));
    handlers.drop();
  };
  const still = (event: Event): void => {
    if (carrying || (pressed?.touch && event.type === "contextmenu")) event.preventDefault();
  };
  const native = (event: Event): void => event.preventDefault();
  const key = (event: KeyboardEvent): void => {
    if (carrying && event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      cancel();
    }
  };
  const ends = new AbortController();
  const { signal } = ends;
  root.addEventListener("pointerdown", down, { signal });
  root.addEventListener("pointermove", move, { signal });
  root.addEventListener("pointerup", up, { signal });
  root.addEventListener("pointercancel", cancel, { signal });
  root.addEventListener("touchmove", still, { signal, passive: false });
  root.addEventListener("contextmenu", still, { signal });
  root.addEventListener("dragstart", native, { signal });
  window.addEventListener("keydown", key, { signal, capture: true });
  window.addEventListener("blur", cancel, { signal });
  return () => {
    cancel();
    ends.abort();
  };
}

const EDGE_PX = 48;
const SPEED_PX = 14;

/** Scrolls what lies under a point towards the edge that it is near to. */
function scrollNear(x: number, y: number): void {
  for (let part = document.elementFromPoint(x, y); part; part = part.parentElement) {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    const by = (from: number, to: number, position: number): number => (position - from < EDGE_PX ? -SPEED_PX : to - position < EDGE_PX ? SPEED_PX : 0);
    if (part.scrollHeight > part.clientHeight && /auto|scroll/.test(getComputedStyle(part).overflowY)) part.scrollTop += by(top, bottom, y);
    if (part.scrollWidth > part.clientWidth && /auto|scroll/.test(getComputedStyle(part).overflowX)) part.scrollLeft += by(left, right, x);
  }
}
