import { Component, useEffect, type ReactNode } from "react";
import { ChunkError } from "@portico/ui";
import { lookForBuild, newBuild } from "./build.ts";
import { useShell } from "./core.tsx";
import { useStore } from "./store.ts";

class Boundary extends Component<
  { fallback: (error: Error, again: () => void) => ReactNode; children: ReactNode },
  { error: Error | null }
> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    return error ? this.props.fallback(error, () => this.setState({ error: null })) : this.props.children;
  }
}

/**
 * A part of a page that may fail on its own: it says so, with "Try again", and the rest works.
 *
 * @example
 * const Page = () => <Panel><bdi>…</bdi></Panel>;
 * console.log(typeof Page);
 */
export function Panel({ children }: { children: ReactNode }) {
  return <Boundary fallback={(error, again) => <Broken error={error} again={again} />}>{children}</Boundary>;
}

/** As `Panel`, of the whole page. */
export function PageError({ children }: { children: ReactNode }) {
  return (
    <Boundary
      fallback={(error, again) => (
        <main className="p-alone">
          <Broken error={error} again={again} />
        </main>
      )}
    >
      {children}
    </Boundary>
  );
}

function Broken({ error, again }: { error: Error; again: () => void }) {
  const { texts } = useShell();
  const chunk = error instanceof ChunkError;
  const newer = useStore(newBuild) && chunk;
  useEffect(() => {
    if (chunk) void lookForBuild();
  }, [chunk]);
  return (
    <div className="p-broken" role="alert">
      <h2>{texts.t(newer ? "error.newBuild" : chunk ? "error.chunk" : "error.panel")}</h2>
      <p>{texts.t(newer ? "error.newBuildText" : chunk ? "error.chunkText" : "error.panelText")}</p>
      <button type="button" className="p-button p-quiet" onClick={() => (chunk ? location.reload() : again())}>
        {texts.t(newer ? "error.load" : "shell.tryAgain")}
      </button>
    </div>
  );
}

/** When not even the texts could be loaded: signs that need none. */
export function Failed() {
  return (
    <main className="p-alone">
      <button type="button" className="p-button p-quiet" onClick={() => location.reload()} aria-label="↻">
        ↻
      </button>
    </main>
  );
}
