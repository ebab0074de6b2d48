// A receiver of webhooks that counts: receiver.mjs PORT DELAY_MS. GET /reset begins again, GET /stats answers with the count, the first and the last
// arrival in milliseconds, and how late each post was where it names its time.
import http from "node:http";

const [port, delay] = process.argv.slice(2).map(Number);
let count = 0;
let first = 0;
let last = 0;
let late = [];

http
  .createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (request.method === "GET") {
      if (request.url === "/reset") [count, first, last, late] = [0, 0, 0, []];
      response.end(JSON.stringify({ count, first, last, late }));
      return;
    }
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const now = performance.timeOrigin + performance.now();
      first ||= now;
      last = now;
      count += 1;
      const scheduledFor = JSON.parse(Buffer.concat(parts).toString()).data?.scheduledFor;
      if (scheduledFor) late.push(now - Date.parse(scheduledFor));
      const answer = () => response.setHeader("Content-Type", "application/json").end(`{"id":"${count}"}`);
      if (delay) setTimeout(answer, delay);
      else answer();
    });
  })
  .listen(port, "127.0.0.1", () => console.log("ready"));
