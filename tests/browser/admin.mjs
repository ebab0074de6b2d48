// A part of what is done with the administration's pages: admin.mjs WANTED (JSON of tests/http/admin_pages.py). Ends in "N passed, N failed".
import { finish, part, step } from "./admin_steps.mjs";

const { steps } = await import(`./admin_${part}.mjs`);
for (const [name, work] of steps) await step(name, work);
await finish();
