import { Fragment, type ReactNode } from "react";
import classes from "./Markdown.module.css";

const SCHEMES = /^(https?|mailto|tel):/i;

/**
 * A link's target where it is one that we follow (http, https, mailto, tel), else null. Control characters that browsers skip are refused.
 *
 * @example
 * console.log(safeHref("https://portico.example"), safeHref("javascript:alert(1)")); // https://portico.example/ null
 */
export function safeHref(target: string): string | null {
  // eslint-disable-next-line no-control-regex
  if (!SCHEMES.test(target) || /[\u0000-\u0020\u007f]/.test(target)) return null;
  try {
    return new URL(target).href;
  } catch {
    return null;
  }
}

/**
 * Markdown as elements: paragraphs, headings, lists (also to tick off), quotes, code, emphasis, links. HTML in it is text, pictures are their words, and
 * links go to http, https, mailto and tel only. Nothing is ever parsed as HTML.
 *
 * @example
 * const note = Markdown({ children: "Met at the **fair**.\n\n- wants an offer" });
 * console.log(note !== null);
 */
export function Markdown({ children }: { children: string }): ReactNode {
  return (
    <div className={classes["markdown"]} dir="auto">
      {blocks(children.replace(/\r\n?/g, "\n").slice(0, MOST).split("\n"), 0)}
    </div>
  );
}

/** Longer texts are cut for showing; they stay whole where they are edited. */
const MOST = 200_000;
const DEEPEST = 6;

function blocks(lines: readonly string[], depth: number): ReactNode[] {
  const out: ReactNode[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const rest = lines.slice(at);
    const key = out.length;
    const run = (test: (line: string) => boolean): string[] => {
      const end = rest.findIndex((each) => !test(each));
      const taken = end < 0 ? rest : rest.slice(0, end);
      at += taken.length;
      return [...taken];
    };
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    const fence = /^(```|~~~)/.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      at += 1;
      const end = lines.findIndex((each, index) => index >= at && each.startsWith(fence[1] ?? "```"));
      out.push(
        <pre key={key}>
          <code>{lines.slice(at, end < 0 ? undefined : end).join("\n")}</code>
        </pre>,
      );
      at = end < 0 ? lines.length : end + 1;
    } else if (heading) {
      // Below the headings of the page.
      const Tag = (heading[1] ?? "").length < 2 ? "h3" : (heading[1] ?? "").length < 3 ? "h4" : "h5";
      out.push(<Tag key={key}>{inline(heading[2] ?? "", 0)}</Tag>);
      at += 1;
    } else if (/^([-*_])(\s*\1){2,}\s*$/.test(line)) {
      out.push(<hr key={key} />);
      at += 1;
    } else if (/^>/.test(line) && depth < DEEPEST)
      out.push(
        <blockquote key={key}>
          {blocks(
            run((each) => /^>/.test(each)).map((each) => each.replace(/^> ?/, "")),
            depth + 1,
          )}
        </blockquote>,
      );
    else if (ITEM.test(line) && depth < DEEPEST)
      out.push(
        list(
          run((each) => ITEM.test(each) || /^\s+\S/.test(each)),
          key,
          depth,
        ),
      );
    else out.push(<p key={key}>{inline(paragraph(run).join("\n"), 0)}</p>);
  }
  return out;
}

const ITEM = /^ {0,3}([-*+]|\d{1,9}[.)])\s+/;
const STARTS = /^(#{1,6}\s|>|```|~~~)/;

function paragraph(run: (test: (line: string) => boolean) => string[]): string[] {
  let first = true;
  return run((line) => {
    const belongs = first || (line.trim() !== "" && !STARTS.test(line) && !ITEM.test(line));
    first = false;
    return belongs;
  });
}

function list(lines: readonly string[], key: number, depth: number): ReactNode {
  const items: string[][] = [];
  const indent = (line: string): number => line.length - line.trimStart().length;
  for (const line of lines) {
    if (ITEM.test(line) && indent(line) < indent(lines[0] ?? "") + 2) items.push([line.replace(ITEM, "")]);
    else items.at(-1)?.push(line.replace(/^ {1,4}/, ""));
  }
  const ordered = /^ {0,3}\d/.test(lines[0] ?? "");
  const content = items.map((item, at) => {
    const box = /^\[([ xX])\]\s+/.exec(item[0] ?? "");
    const [first = "", ...rest] = box ? [(item[0] ?? "").slice(box[0].length), ...item.slice(1)] : item;
    return (
      <li key={at} data-box={box ? true : undefined}>
        {box && <span aria-hidden>{box[1] === " " ? "☐ " : "☑ "}</span>}
        {inline(first, 0)}
        {rest.length > 0 && blocks(rest, depth + 1)}
      </li>
    );
  });
  return ordered ? (
    <ol key={key} start={Number.parseInt(lines[0] ?? "1", 10)}>
      {content}
    </ol>
  ) : (
    <ul key={key}>{content}</ul>
  );
}

/** Code, bold, italic, struck, a link with words, a bare address, a hard break; first match wins, what is left over is text. Each is bounded, so that no text takes
    a time that grows with its square. */
const INLINE =
  /(`{1,5})([^`][^]{0,2000}?)\1(?!`)|\*\*(?=\S)([^]{0,2000}?\S)\*\*|~~(?=\S)([^]{0,2000}?\S)~~|(?<![\w*])[*_](?=\S)([^*_]{0,2000}?\S)[*_](?!\w)|!?\[([^\]\n]{0,500})\]\(([^()\s]{1,2000})\)|\bhttps?:\/\/[^\s<>"']{1,2000}[^\s<>"'.,;:!?)\]]|\\([\\`*_[\]()#>~-])|(?: {2}|\\)?\n/;

function inline(text: string, depth: number): ReactNode[] {
  const out: ReactNode[] = [];
  let left = text;
  while (left) {
    const found = depth < DEEPEST ? INLINE.exec(left) : null;
    if (!found) {
      out.push(left);
      break;
    }
    const [whole, , code, bold, struck, italic, words, target, escaped] = found;
    if (found.index) out.push(left.slice(0, found.index));
    out.push(<Fragment key={out.length}>{part()}</Fragment>);
    left = left.slice(found.index + whole.length);

    function part(): ReactNode {
      if (code !== undefined) return <code>{code.trim()}</code>;
      if (bold !== undefined) return <strong>{inline(bold, depth + 1)}</strong>;
      if (struck !== undefined) return <s>{inline(struck, depth + 1)}</s>;
      if (italic !== undefined) return <em>{inline(italic, depth + 1)}</em>;
      if (escaped !== undefined) return escaped;
      if (whole.endsWith("\n")) return <br />;
      if (whole.startsWith("!")) return words;
      const href = safeHref(target ?? whole);
      return href ? (
        <a href={href} rel="noreferrer noopener" target="_blank">
          {words ? inline(words, DEEPEST) : whole}
        </a>
      ) : (
        (words ?? whole)
      );
    }
  }
  return out;
}
