// Calls a server of OpenAI's form as npm's `openai` does, and prints what that makes of the answers.
//   node check.mjs URL KEY
import OpenAI from "openai";

const [url, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
const said = async (call) => {
  try {
    return await call();
  } catch (error) {
    return `${error.constructor.name} ${error.status ?? ""} ${error.code ?? ""}`.trim();
  }
};
const picture = (more) => client.images.generate({ model: "gpt-image-1", prompt: "A cat", n: 2, size: "1024x1024", ...more });
const chat = () =>
  client.chat.completions.create({
    model: "writer-1",
    messages: [{ role: "user", content: "{}" }],
    response_format: { type: "json_object" },
  });

const seen = {
  pictures: await said(async () => (await picture()).data.map((each) => Buffer.from(each.b64_json, "base64").subarray(1, 4).toString())),
  unknown: await said(() => picture({ seed: 7 })),
  text: await said(async () => (await chat()).choices[0].message.content),
  stranger: await said(() => client.images.generate({ prompt: "x" }, { headers: { Authorization: "Bearer wrong" } })),
};
// The server answers 429 next.
seen.limited = await said(() => chat());
console.log(JSON.stringify(seen));
