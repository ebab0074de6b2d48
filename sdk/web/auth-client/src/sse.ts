/**
 * One event of a stream of server-sent events. The type `reset` says that some may have been missed: read again what they are about. `lost`: nothing
 * arrives for now; the next event, or a `reset`, ends that.
 *
 * @example
 * const event: StreamEvent = { type: "changed", data: '{"ids":["con_1"]}' };
 * console.log(event.type, JSON.parse(event.data));
 */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** A stream that keeps an event open for longer is not ours. */
const longestEvent = 1_048_576;

/**
 * Reads server-sent events (WHATWG HTML, 9.2.6): takes the next piece of text, cut anywhere. `identify` gets what a new connection sends as
 * `Last-Event-ID`. @throws RangeError for an event without end
 */
export function createEventReader(
  take: (event: StreamEvent) => void,
  identify: (id: string) => void = () => undefined,
): (text: string) => void {
  let rest = "";
  let type = "";
  let data: string[] = [];
  let size = 0;

  const line = (text: string) => {
    if (!text) {
      if (data.length) take({ type: type || "message", data: data.join("\n") });
      [type, data, size] = ["", [], 0];
      return;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? [];
    if (name === "event") type = value;
    else if (name === "id" && !value.includes("\0")) identify(value);
    else if (name === "data") {
      data.push(value);
      size += value.length;
    }
  };

  return (text) => {
    rest += text;
    // A carriage return at the end may be half of a line's end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    lines.forEach(line);
    if (rest.length + size > longestEvent) throw new RangeError("an event without end");
  };
}
