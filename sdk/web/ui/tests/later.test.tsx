// @vitest-environment jsdom
import { act, render } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ChunkError, later, prepare } from "../src/later.tsx";

const Name = ({ name }: { name: string }) => <b>{name}</b>;

it("a part is shown as soon as its code is here, and something else until then", async () => {
  let come: (module: { default: typeof Name }) => void = () => undefined;
  const Part = later(
    () => new Promise<{ default: typeof Name }>((done) => (come = done)),
    () => <i>…</i>,
  );
  const { container } = render(<Part name="Ada" />);
  expect(container.innerHTML).toBe("<i>…</i>");
  // No timer goes on: nothing waits.
  vi.useFakeTimers();
  await act(async () => come({ default: Name }));
  vi.useRealTimers();
  expect(container.innerHTML).toBe("<b>Ada</b>");
});

it("what was prepared is there at once", async () => {
  const load = () => Promise.resolve({ default: Name });
  const Part = later(load);
  prepare(load);
  await Promise.resolve();
  expect(render(<Part name="Ada" />).container.innerHTML).toBe("<b>Ada</b>");
});

it("code that comes between what is rendered and its effects is seen", async () => {
  // Comes at once, as no promise does.
  const load = () =>
    ({ then: (take: (module: { default: typeof Name }) => unknown) => take({ default: Name }) }) as unknown as Promise<{
      default: typeof Name;
    }>;
  const Part = later(load);
  const Preparing = () => (prepare(load), null);
  const { container } = render(
    <>
      <Part name="Ada" />
      <Preparing />
    </>,
  );
  await act(async () => undefined);
  expect(container.innerHTML).toBe("<b>Ada</b>");
});

it("a failure is told after three tries", async () => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const load = vi.fn(() => Promise.reject(new Error("gone")));
  const Part = later(load);
  render(<Part />);
  const told = expect(act(() => vi.advanceTimersByTimeAsync(5_000))).rejects.toThrow(ChunkError);
  await told;
  expect(load).toHaveBeenCalledTimes(3);
  vi.restoreAllMocks();
  vi.useRealTimers();
});
