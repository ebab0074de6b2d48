// What people do with the CRM's pages, step by step, each part after what the one before has left: crm.mjs WANTED (JSON of tests/http/crm_pages.py).
// Ends in "N passed, N failed".
import { finish } from "./crm_steps.mjs";

for (const part of ["contacts", "board", "imports", "lists", "settings", "looks"]) await import(`./crm_${part}.mjs`);
await finish();
