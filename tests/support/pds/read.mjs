// Reads an account's posts with @atproto/api, as a second opinion: read.mjs URL HANDLE PASSWORD
import { AtpAgent, RichText } from "@atproto/api";

const [service, identifier, password] = process.argv.slice(2);
const agent = new AtpAgent({ service });
await agent.login({ identifier, password });
const posts = [];
for (let cursor; ;) {
  const { data } = await agent.com.atproto.repo.listRecords({
    repo: agent.session.did,
    collection: "app.bsky.feed.post",
    limit: 100,
    cursor,
  });
  for (const { uri, cid, value } of data.records) {
    const rich = new RichText({ text: value.text, facets: value.facets });
    const marks = [...rich.segments()]
      .filter((segment) => segment.facet)
      .map((segment) => ({
        text: segment.text,
        link: segment.link?.uri,
        mention: segment.mention?.did,
        tag: segment.tag?.tag,
      }));
    posts.push({
      uri,
      cid,
      text: value.text,
      graphemes: rich.graphemeLength,
      langs: value.langs,
      labels: value.labels,
      embed: value.embed,
      reply: value.reply,
      createdAt: value.createdAt,
      marks,
    });
  }
  cursor = data.cursor;
  if (!cursor) break;
}
console.log(JSON.stringify(posts));
