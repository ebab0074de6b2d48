import type { Mode, Shown } from "./options.ts";

type Script = Record<Mode, (options: object) => Shown>;

declare global {
  interface Window {
    BookingEmbed?: Partial<Script>;
  }
}

const loads = new Map<string, Promise<Script>>();

/** The calendar's own script, once for a page and an origin: what it serves fits what it shows. A load that failed is tried again by who asks next. */
export function scriptOf(origin: string): Promise<Script> {
  const known = loads.get(origin);
  if (known) return known;
  const load = new Promise<Script>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${origin}/embed/v1.js`;
    script.onload = () => {
      if (window.BookingEmbed?.inline) resolve({ ...window.BookingEmbed } as Script);
      else reject(new Error(`${script.src} is not the calendar's script`));
    };
    script.onerror = () => {
      script.remove();
      reject(new Error(`${script.src} cannot be loaded`));
    };
    document.head.append(script);
  });
  loads.set(origin, load);
  load.catch(() => loads.delete(origin));
  return load;
}
