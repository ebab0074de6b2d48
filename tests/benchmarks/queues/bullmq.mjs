// Dispatches jobs to a webhook by BullMQ: bullmq.mjs REDIS_URL WEBHOOK COUNT WORKERS. Fills the queue, then works it off and ends.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { Pool } from "undici";

const [redis, webhook, count, workers] = process.argv.slice(2);
const connection = new Redis(redis, { maxRetriesPerRequest: null });
const queue = new Queue("posts", { connection });
const total = Number(count);
for (let at = 0; at < total; at += 500)
  await queue.addBulk(
    Array.from({ length: Math.min(500, total - at) }, (_, of) => ({ name: "post", data: { id: at + of, text: "x".repeat(300) } })),
  );
const { origin, pathname } = new URL(webhook);
const pool = new Pool(origin, { connections: Number(workers) });
let done = 0;
await new Promise((finished) => {
  const worker = new Worker(
    "posts",
    async ({ data }) => {
      const { statusCode, body } = await pool.request({
        path: pathname,
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(data),
      });
      const answer = await body.json();
      if (statusCode >= 300) throw new Error(String(statusCode));
      return answer;
    },
    { connection, concurrency: Number(workers) },
  );
  worker.on("completed", () => ++done === total && finished());
});
process.exit(0);
