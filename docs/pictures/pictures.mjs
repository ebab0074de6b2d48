// The pictures of README.md: pictures.mjs WANTED (JSON of docs/pictures/make).
import { startSteps, fillSignIn } from "./browser.mjs";

const { program, origins, people, out, names } = JSON.parse(process.argv[2]);
const { opened, step, finish } = await startSteps({
  program,
  screens: out,
  suite: "pictures",
  options: { reducedMotion: "reduce", viewport: { width: 960, height: 600 } },
});

const pictures = {
  board: { at: "crm", path: "/pipeline", shown: (page) => page.getByRole("listitem").nth(8) },
  contacts: { at: "crm", path: "/contacts", colorScheme: "dark", shown: (page) => page.getByRole("link", { name: "Ada Lovelace" }) },
  console: { at: "admin", path: "/platform", who: "operator", shown: (page) => page.getByRole("button", { name: "Reload crm" }) },
};

for (const [name, { at, path, shown, who = "owner", colorScheme = "light" }] of Object.entries(pictures)) {
  if (names.length && !names.includes(name)) continue;
  await step(name, async () => {
    const page = await opened({ colorScheme });
    await page.goto(`${origins[at]}/login?return_to=${encodeURIComponent(path)}`);
    await fillSignIn(page, people[who]);
    await page.waitForURL((url) => url.pathname.startsWith(path));
    await shown(page).waitFor();
    await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${out}/${name}.png` });
  });
}
await finish();
