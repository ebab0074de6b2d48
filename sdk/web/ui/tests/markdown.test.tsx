import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Markdown, safeHref } from "../src/Markdown.tsx";

const shown = (text: string): string => renderToStaticMarkup(<Markdown>{text}</Markdown>).replace(/^<div[^>]*>|<\/div>$/g, "");
const LINK = 'rel="noreferrer noopener" target="_blank"';

it.each([
  ["plain & <b>bold</b>", "<p>plain &amp; &lt;b&gt;bold&lt;/b&gt;</p>"],
  ["**a *b* c** ~~d~~", "<p><strong>a <em>b</em> c</strong> <s>d</s></p>"],
  ["snake_case_name 2*3*4", "<p>snake_case_name 2*3*4</p>"],
  ["`<i>` ``a`b``", "<p><code>&lt;i&gt;</code> <code>a`b</code></p>"],
  ["# One\ntext\n\n#### Four", "<h3>One</h3><p>text</p><h5>Four</h5>"],
  ["- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"],
  ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
  ["> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"],
  ["```js\n<script>\n```\nend", "<pre><code>&lt;script&gt;</code></pre><p>end</p>"],
  ["```\nnever ended", "<pre><code>never ended</code></pre>"],
  ["a\nb\\\nc", "<p>a<br/>b<br/>c</p>"],
  ["***", "<hr/>"],
  ["[a](https://b.example/c) ![d](https://e.example/f.png)", `<p><a href="https://b.example/c" ${LINK}>a</a> d</p>`],
  ["see https://a.example/b_c.", `<p>see <a href="https://a.example/b_c" ${LINK}>https://a.example/b_c</a>.</p>`],
  ["[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example)", "<p>[a](javascript:alert(1)) b c</p>"],
  ["\\*not\\*", "<p>*not*</p>"],
])("%j becomes elements", (text, html) => expect(shown(text)).toBe(html));

it.each([
  "javascript:alert(1)",
  "JAVASCRIPT:x",
  "java\tscript:x",
  " https://a.example",
  "https://a.example/\u0000",
  "vbscript:x",
  "data:,x",
  "/relative",
  "//a.example",
  "https:",
  "blob:x",
  "file:///etc/passwd",
])("%j is no link", (target) => expect(safeHref(target)).toBeNull());
it.each(["https://a.example/b?c=d#e", "http://a.example/", "mailto:ada@a.example", "tel:+4912345"])("%j is a link", (target) =>
  expect(safeHref(target)).toBe(target),
);

it.each([
  ["stars", "*".repeat(20_000)],
  ["brackets", "[".repeat(20_000)],
  ["quotes", ">".repeat(5_000)],
  ["lists", "- ".repeat(5_000)],
  ["ticks", "`".repeat(20_000)],
  ["pairs", "**a ".repeat(10_000)],
  ["tildes", "~~x ".repeat(10_000)],
])("%s without end are read in linear time", (_, text) => {
  // No time is measured: what grows with the square of this would end the suite by its own limit.
  expect(shown(text)).not.toBe("");
});
