#include "login/SessionPages.h"

#include "catalog/CatalogStore.h"
#include "sessions/BrowserSession.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SignIn.h"

#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <openssl/evp.h>

#include <algorithm>

namespace portico::identity
{

namespace
{

/// Script of both pages. Reports the state to the parent, listens for sign-outs in other tabs and from the server, and asks again when the
/// stream is refused, which also means a sign-out. The browser names the parent or enforces it: a message for another origin is not
/// delivered.
constexpr std::string_view script = R"(const page = document.body.dataset;
const parents = JSON.parse(page.parents).filter((each) => each === (location.ancestorOrigins?.[0] ?? each));
let last = '';
const tell = (state) => {
  if (state === last) return;
  last = state;
  for (const origin of parents) parent.postMessage({type: 'session', state, at: new Date().toISOString()}, origin);
};
const tabs = new BroadcastChannel('session');
tabs.onmessage = (event) => tell(event.data.state === 'ended' ? 'ended' : 'active');
tell(page.state);
if (page.ended) tabs.postMessage({state: 'ended'});
if (page.state === 'active') {
  const stream = new EventSource('/api/auth/session-events');
  stream.addEventListener('session', (event) => tell(JSON.parse(event.data).state));
  stream.onerror = () => { if (stream.readyState === EventSource.CLOSED) tell('ended'); };
})";

std::string scriptHash()
{
    const auto digest = sha256(script);
    std::string text(44, '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(digest.value.data()),
                    static_cast<int>(digest.value.size()));
    return "'sha256-" + text + '\'';
}

std::string attribute(std::string_view text)
{
    std::string out;
    for (const char c : text) out += c == '&' ? "&amp;" : c == '"' ? "&quot;" : c == '<' ? "&lt;" : std::string(1, c);
    return out;
}

} // namespace

SessionPages::SessionPages(Core& core) : _core(core), _scriptHash(scriptHash()) {}

void SessionPages::declare(Routes& routes)
{
    routes
        .get("/session/channel", access::open(), &SessionPages::channel, this,
             {.summary = "Embedded page that reports sign-outs of the browser", .undocumented = true})
        .get("/session/broadcast-logout", access::open(), &SessionPages::broadcastLogout, this,
             {.summary = "Embedded page that reports a logout to other tabs", .undocumented = true});
}

bool SessionPages::isSignedIn(const Request& request)
{
    const auto now = _core.clock.now();
    const auto family = _core.families.live(_core.cookies.refreshHandle(request));
    auto session = _core.database.session();
    const auto browser = browser_sessions::find(session, _core.cookies.browserSessionHandle(request), now);
    if (browser && browser->active(now)) return true;
    const auto signIn = family ? sign_ins::find(session, family->sessionId) : std::nullopt;
    return signIn && signIn->active(now);
}

std::vector<std::string> SessionPages::originsOf(std::string_view serviceId, const Request& request) const
{
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(serviceId);
    if (!service || !service->active()) return {};
    auto origins = service->origins;
    origins.push_back(service->origin);
    auto embedding = originOf(request.header("Referer"));
    if (std::ranges::find(origins, embedding) == origins.end() && service->isOwnOrigin(embedding)) origins.push_back(std::move(embedding));
    return origins;
}

Html SessionPages::page(std::string_view state, bool ended, const std::vector<std::string>& parents) const
{
    std::string list = "[", ancestors;
    for (const auto& origin : parents)
    {
        if (list.size() > 1) list += ',';
        appendJsonString(list, origin);
        ancestors += ' ' + origin;
    }
    Html html;
    html.text = R"(<!doctype html><html lang="en"><meta charset="utf-8"><title>Session</title><body data-state=")" + std::string(state) +
                R"(" data-ended=")" + (ended ? "1" : "") + R"(" data-parents=")" + attribute(list + ']') + R"("><script>)" +
                std::string(script) + "</script></body></html>";
    html.contentSecurityPolicy = "default-src 'none'; script-src " + _scriptHash +
                                 "; connect-src 'self'; base-uri 'none'; form-action 'none'; " + "frame-ancestors" +
                                 (ancestors.empty() ? " 'none'" : ancestors);
    return html;
}

Html SessionPages::channel(const Request& request, const Query<ChannelQuery>& query)
{
    const auto parents = originsOf(query->serviceId, request);
    // A page may hide where it is embedded: then the browser refuses it, by `frame-ancestors`.
    const auto embedding = originOf(request.header("Referer"));
    if (parents.empty() || (!embedding.empty() && std::ranges::find(parents, embedding) == parents.end()))
        throw Problem::forbidden("permission_denied", "No page of a registered service embeds this one.");
    return page(isSignedIn(request) ? "active" : "ended", false, parents);
}

Html SessionPages::broadcastLogout(const Request& request, const Query<BroadcastQuery>& query)
{
    std::vector<std::string> parents;
    for (const auto& [id, service] : _core.catalog.snapshot()->services)
        for (auto& origin : originsOf(id, request)) parents.push_back(std::move(origin));
    // Embedding the page without a logout's ticket changes nothing. A ticket of another browser's logout has no effect either.
    const bool ticket = !query->ticket.empty() && logoutTickets(_core.state).redeem(query->ticket).has_value();
    if (isSignedIn(request)) return page("active", false, parents);
    auto html = page("ended", ticket, parents);
    // Another site may load this page with its author's ticket. Browsers withhold some cookies then, so only received cookies are cleared.
    if (ticket) html.cookies = _core.cookies.clearSent(request);
    return html;
}

} // namespace portico::identity
