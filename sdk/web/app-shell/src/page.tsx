import { useEffect, useState, type ComponentType } from "react";
import { useShell, type PageProps, type Section } from "./core.tsx";
import { loadChunk } from "./load.ts";

const loaded = new WeakMap<Section["page"], ComponentType<PageProps>>();

/**
 * The page of a section, once its code is here; until then its name as the only heading. Not `lazy` and `Suspense`: React keeps their fallback for
 * 300 ms, even where the code has been loaded for another section.
 */
export function SectionPage({ section, params }: { section: Section } & PageProps) {
  const { t } = useShell().texts;
  const [, setLoaded] = useState(false);
  const [failure, setFailure] = useState<{ cause: unknown } | null>(null);
  const { label, page } = section;
  const Page = loaded.get(page);

  useEffect(() => {
    if (loaded.has(page)) return undefined;
    let current = true;
    loadChunk(page).then(
      (module) => {
        loaded.set(page, module.default);
        if (current) setLoaded(true);
      },
      (cause: unknown) => current && setFailure({ cause }),
    );
    return () => void (current = false);
  }, [page]);

  // The panel around it says so, and its "Try again" begins anew.
  if (failure) throw failure.cause;
  if (Page) return <Page params={params} />;
  return (
    <div aria-busy="true">
      <h1 className="ui-hidden">{t(label)}</h1>
    </div>
  );
}
