import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { readAgain } from "../src/states.tsx";

/** A part of a page. The test answers its requests. */
function part(client: QueryClient, name: string) {
  const answers: { good: (data: string) => void; bad: () => void }[] = [];
  const seen: string[] = [];
  const observer = new QueryObserver(client, {
    queryKey: [name],
    retry: false,
    queryFn: () => new Promise<string>((good, no) => answers.push({ good, bad: () => no(new Error("failed")) })),
  });
  observer.subscribe(({ status }) => seen.push(status));
  return { answers, seen, observer };
}
const settled = () => new Promise((done) => setTimeout(done));

it("an error that comes after the click is not shown", async () => {
  const client = new QueryClient();
  const [failed, late] = [part(client, "failed"), part(client, "late")];
  failed.answers[0]?.bad();
  await settled();
  expect(failed.observer.getCurrentResult().status).toBe("error");

  readAgain(client, () => void failed.observer.refetch());
  late.answers[0]?.bad();
  await settled();
  expect(late.observer.getCurrentResult().status).toBe("pending");
  for (const each of [failed, late]) {
    expect(each.answers).toHaveLength(2);
    each.answers[1]?.good("here");
  }
  await settled();
  expect([failed, late].map(({ observer }) => observer.getCurrentResult().data)).toEqual(["here", "here"]);
  expect(late.seen).not.toContain("error");
});

it("a request without an answer begins again once", async () => {
  const client = new QueryClient();
  const waits = part(client, "waits");
  readAgain(client, () => void waits.observer.refetch());
  expect(waits.answers).toHaveLength(2);
  waits.answers[1]?.good("here");
  await settled();
  expect(waits.observer.getCurrentResult().data).toBe("here");
});

it("data that is present is not read again", async () => {
  const client = new QueryClient();
  const whole = part(client, "whole");
  whole.answers[0]?.good("here");
  await settled();
  readAgain(client);
  await settled();
  expect(whole.answers).toHaveLength(1);
});
