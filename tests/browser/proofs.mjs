// What the pages promise when the world is against them: proofs.mjs WANTED (JSON of tests/http/web_proofs.py). Ends in "N passed, N failed".
import { end, wanted } from "./proofs_kit.mjs";

await import(`./proofs_${wanted.part}.mjs`);
await end();
