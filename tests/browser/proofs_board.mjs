// A board worked by one way only, with moves that are closed, refused by the server and asked about: by keyboard, by touch, by the accessibility tree.
import assert from "node:assert/strict";
import { carryCard, fingerOf } from "./browser.mjs";
import { client, profile, signedIn, soon, step, wanted } from "./proofs_kit.mjs";

const { origin } = wanted;
const first = await client();
const { pipelineId, stages } = (await first.api("GET", "/api/pipeline")).items[0];
const names = stages.map(({ name }) => name);
const idOf = (stage) => stages.find(({ name }) => name === stage).stageId;
// Nobody wins without a negotiation, and who loses says why.
const isClosed = (from, to) => to === "Won" && from !== "Negotiation";
const transitions = stages.flatMap((from) =>
  stages.filter((to) => to !== from && !isClosed(from.name, to.name)).map((to) => ({ from: from.stageId, to: to.stageId })),
);
await first.api("PUT", `/api/pipeline/${pipelineId}`, { transitions, requireLostReason: true });

const card = (page, name) => page.locator("[data-card]", { hasText: name });

/** How a card is moved; answers once it is dropped. */
const ways = {
  keyboard: {
    options: {},
    begin: (page) => async (name, to, from) => {
      await card(page, name).focus();
      await page.keyboard.press("Space");
      const by = names.indexOf(to) - names.indexOf(from);
      for (let left = Math.abs(by); left; --left) await page.keyboard.press(by > 0 ? "ArrowRight" : "ArrowLeft");
      await page.waitForFunction((stage) => document.querySelector("[data-said]").textContent.startsWith(stage), to);
      await page.keyboard.press("Enter");
      return () =>
        page.keyboard
          .insertText("Too dear")
          .then(() => page.keyboard.press("Tab"))
          .then(() => page.keyboard.press("Tab"))
          .then(() => page.keyboard.press("Enter"));
    },
  },
  touch: {
    options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    begin: async (page) => {
      const finger = await fingerOf(page);
      return async (name, to) => {
        await carryCard(page, finger, card(page, name), idOf(to));
        await page.locator(`[data-column="${idOf(to)}"]:is([data-over], [data-closed])`).waitFor();
        await finger.up();
        return () =>
          page
            .getByRole("textbox")
            .last()
            .fill("Too dear")
            .then(() => page.getByRole("dialog").getByRole("button", { name: "Move" }).tap());
      };
    },
  },
  tree: {
    options: {},
    begin: async (page) => {
      const tree = await treeOf(page);
      return async (name, to, from) => {
        await tree.act("button", `Move ${name}`);
        const entry = await tree.find("menuitem", new RegExp(`^${to}`));
        if (entry.closed) {
          assert.match(entry.name, new RegExp(`Not allowed from ${from}`));
          await page.keyboard.press("Escape");
          return undefined;
        }
        await tree.act("menuitem", new RegExp(`^${to}`));
        return async () => {
          await tree.find("dialog", "Move to Lost");
          await tree.act("textbox", /^Why/, "focus");
          await page.keyboard.insertText("Too dear");
          await tree.act("button", "Move");
        };
      };
    },
    announced: async (page, words) => (await treeOf(page)).find("status", words),
  },
};

/** What a screen reader has of a page: roles, names and announcements, and the one thing to do with a node. */
async function treeOf(page) {
  const session = await page.context().newCDPSession(page);
  const find = async (role, name) => {
    let found;
    await soon(async () => {
      const { nodes } = await session.send("Accessibility.getFullAXTree");
      const byId = new Map(nodes.map((node) => [node.nodeId, node]));
      // Announcements have no name of their own, but what stands in them.
      const textOf = (node) => node.name?.value || (node.childIds ?? []).map((id) => (byId.has(id) ? textOf(byId.get(id)) : "")).join("");
      const fits = (text) => (typeof name === "string" ? text === name : name.test(text));
      found = nodes.find((node) => !node.ignored && node.role?.value === role && fits(textOf(node)));
      if (found)
        found = {
          node: found.backendDOMNodeId,
          name: textOf(found),
          closed: found.properties?.some(({ name: key, value }) => key === "disabled" && value.value) ?? false,
        };
      return found !== undefined;
    });
    return found;
  };
  return {
    find,
    async act(role, name, deed = "click") {
      const { object } = await session.send("DOM.resolveNode", { backendNodeId: (await find(role, name)).node });
      await session.send("Runtime.callFunctionOn", { objectId: object.objectId, functionDeclaration: `function () { this.${deed}(); }` });
    },
  };
}

const moves = wanted.long ? 50 : 10;
for (const [way, { options, begin, announced }] of Object.entries(ways))
  await step(`${moves} moves on a board by ${way} only, some of them refused`, async () => {
    const people = [];
    for (let at = 0; at < 5; ++at) {
      const { api } = await client();
      const { id } = await api("POST", "/api/contacts", { displayName: `${way} ${at}` });
      await api("PUT", `/api/pipeline/${id}/move`, { pipelineId, stageId: idOf("New") });
      people.push({ id, name: `${way} ${at}`, stage: "New" });
    }
    const page = await signedIn(await profile(options));
    // Where changes arrive, the card would be seen to be moved by others.
    await page.route("**/api/changes", (route) => route.abort());
    let sent = 0;
    page.on("request", (request) => request.method() === "PUT" && request.url().endsWith("/move") && ++sent);
    await page.goto(`${origin}/pipeline/${pipelineId}?q=${way}`);
    const move = await begin(page);
    const counts = { moved: 0, closed: 0, late: 0, lost: 0 };
    for (let at = 0; at < moves; ++at) {
      // A token of this run's does not live long.
      const { api } = await client();
      const who = people[at % people.length];
      const others = names.filter((name) => name !== who.stage);
      const to = at % 6 === 3 && who.stage !== "Won" ? "Won" : others[(at * 5 + 1) % others.length];
      const closed = isClosed(who.stage, to);
      const late = at % 7 === 4 && !closed;
      await card(page, who.name).waitFor();
      const meanwhile = others.find((name) => name !== to && name !== "Lost" && name !== "Won");
      if (late) await api("PUT", `/api/pipeline/${who.id}/move`, { pipelineId, stageId: idOf(meanwhile) });
      const before = sent;
      const answer = await move(who.name, to, who.stage);
      if (to === "Lost") {
        await page.getByRole("dialog", { name: "Move to Lost" }).waitFor();
        await answer();
        ++counts.lost;
      }
      const words = closed
        ? new RegExp(`Won is closed for ${who.name}: Not allowed from ${who.stage}`)
        : late
          ? new RegExp(`Another user moved it to ${meanwhile}`)
          : new RegExp(`${who.name} moved to ${to}`);
      if (!closed || way !== "tree") await page.getByLabel("Messages").getByText(words).first().waitFor();
      if (announced && !closed) await announced(page, late ? words : new RegExp(`${who.name} dropped. ${to}, position`));
      who.stage = closed ? who.stage : late ? meanwhile : to;
      ++counts[closed ? "closed" : late ? "late" : "moved"];
      assert.equal(sent - before, closed ? 0 : 1);
      const { pipelines } = await api("GET", `/api/contacts/${who.id}`);
      assert.equal(stages.find(({ stageId }) => stageId === pipelines[0].stageId).name, who.stage);
      await page.locator(`[data-column="${idOf(who.stage)}"] [data-card]:not([data-pending])`, { hasText: who.name }).waitFor();
      for (const close of await page.getByLabel("Messages").getByRole("button", { name: "Close" }).all())
        await close.click().catch(() => undefined);
    }
    assert.equal(counts.moved + counts.closed + counts.late, moves);
    assert.ok(counts.closed && counts.late && counts.moved, JSON.stringify(counts));
    return JSON.stringify(counts);
  });
