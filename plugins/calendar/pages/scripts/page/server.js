// Calls of the public interface.

/** The server's answer, or what it refuses as `{problem}`; a network that fails is a problem, too. `api` is the event type's path. */
async function callServer(api, method, path, body, headers = {}) {
  try {
    const answer = await fetch(api.replace(/(\/api\/public)\/.*/, path.startsWith("/holds") ? "$1" : "$&") + path, {
      method,
      headers: { ...(body ? { "Content-Type": "application/json" } : {}), ...headers },
      body: body && JSON.stringify(body),
      keepalive: method === "DELETE",
    });
    const text = await answer.text();
    if (answer.ok) return text ? JSON.parse(text) : {};
    return { problem: text.startsWith("{") ? JSON.parse(text) : { code: "failed" } };
  } catch {
    return { problem: { code: "offline" } };
  }
}
