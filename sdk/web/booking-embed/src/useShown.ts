import { useEffect, useRef } from "react";

import { eventNames, tell } from "./events.ts";
import type { BookingEvents, BookingOptions, Mode, Shown } from "./options.ts";
import { scriptOf } from "./script.ts";

/**
 * Shows a booking page while a component is mounted, and takes it away with it: a component that is mounted twice shows one frame. What changes is
 * changed in the frame; `more` says what only the browser knows, when the component is mounted. Answers what was shown, for what people do later.
 */
export function useShown(mode: Mode, options: BookingOptions & object, more: () => object = () => ({})) {
  const { origin, link, embedId } = options;
  const latest = useRef(options);
  const shown = useRef<Shown>(undefined);
  const drawn = useRef<object>({});
  const look = JSON.stringify(options);

  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    let mounted = true;
    const callbacks = Object.fromEntries(
      eventNames.map((name) => [name, (payload: unknown) => tell(name, embedId, latest.current, payload)]),
    ) satisfies BookingEvents;
    scriptOf(origin).then(
      (script) => {
        if (mounted) shown.current = script[mode]({ ...latest.current, ...callbacks, ...more() });
      },
      () => {
        if (mounted) callbacks.onError?.({ code: "not_loaded" });
      },
    );
    return () => {
      mounted = false;
      shown.current?.destroy();
      shown.current = undefined;
    };
    // Another page, or another place to get it from, is another frame; everything else is an update.
  }, [mode, origin, link, embedId]);
  useEffect(() => {
    const next: object = JSON.parse(look);
    // What is not said any more is as if it had never been.
    const gone = Object.fromEntries(Object.keys(drawn.current).map((name) => [name, undefined]));
    drawn.current = next;
    shown.current?.update({ ...gone, ...next });
  }, [look]);
  return shown;
}
