// Dispatches jobs to a webhook by pg-boss: pgboss.mjs DATABASE_URL WEBHOOK COUNT WORKERS. Fills the queue, then works it off and ends.
import { PgBoss } from "pg-boss";
import { Pool } from "undici";

const [database, webhook, count, workers] = process.argv.slice(2);
const boss = new PgBoss({ connectionString: database, max: 16 });
boss.on("error", (error) => console.error(error.message));
await boss.start();
await boss.createQueue("posts");
const total = Number(count);
for (let at = 0; at < total; at += 500)
  await boss.insert(
    "posts",
    Array.from({ length: Math.min(500, total - at) }, (_, of) => ({ data: { id: at + of, text: "x".repeat(300) } })),
  );
const { origin, pathname } = new URL(webhook);
const pool = new Pool(origin, { connections: Number(workers) });
let done = 0;
await new Promise((finished) => {
  const send = async ([{ data }]) => {
    const { statusCode, body } = await pool.request({
      path: pathname,
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(data),
    });
    const answer = await body.json();
    if (statusCode >= 300) throw new Error(String(statusCode));
    if (++done === total) setTimeout(finished, 200);
    return answer;
  };
  // Fetches one job at a time, so that each job has its own outcome. The polling interval is the shortest that pg-boss allows.
  for (let at = 0; at < Number(workers); ++at) void boss.work("posts", { batchSize: 1, pollingIntervalSeconds: 0.5 }, send);
});
process.exit(0);
