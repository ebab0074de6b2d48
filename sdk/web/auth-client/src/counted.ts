import { Problem } from "./problem.ts";

/**
 * As `fetch`, and tells how many bytes of the body are on their way: browsers count them for `XMLHttpRequest` only. The answer is read to its end before it
 * is given. Of `init` it takes method, headers, body and signal. A file of a form that has gone, or was changed, is the problem `file_unreadable`: to browsers
 * it looks like a lost network.
 */
export function fetchCounted(
  url: URL,
  { method = "GET", headers, body, signal }: RequestInit,
  onSent: (bytes: number) => void,
): Promise<Response> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = "blob";
    new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value));
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      const lines = request
        .getAllResponseHeaders()
        .trim()
        .split(/\r?\n/)
        .map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
      const bare = [204, 205, 304].includes(request.status);
      done(new Response(bare ? null : (request.response as Blob), { status: request.status, headers: lines }));
    };
    const files = body instanceof FormData ? [...body.values()].filter((each) => each instanceof File) : [];
    const lost = () => fail(new TypeError("Failed to fetch"));
    request.onerror = () =>
      void Promise.all(files.map((each) => each.slice(0, 1).arrayBuffer())).then(lost, () => fail(new Problem("file_unreadable", 0)));
    request.onabort = () => fail(signal?.reason as Error);
    signal?.addEventListener("abort", () => request.abort());
    request.send(body as XMLHttpRequestBodyInit);
  });
}
