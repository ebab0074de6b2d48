#include "embed/EmbedRoutes.h"

#include "eventtypes/EventType.h"
#include "service/AdminRoutes.h"

#include "portico/CrossOrigin.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
/// A component that needs React and nothing else: it loads the script once it is mounted, and takes its frame away with itself.
std::string reactSnippet(const std::string& origin, const std::string& link, const EmbedId& id)
{
    return R"(import { useEffect, useRef } from "react";

export function Booking() {
  const place = useRef(null);
  useEffect(() => {
    let shown;
    const script = Object.assign(document.createElement("script"), { src: ")" +
           origin + R"(/embed/v1.js" });
    script.onload = () => {
      shown = window.BookingEmbed.inline({ target: place.current, link: ")" +
           link + R"(", embedId: ")" + id.text() + R"(" });
    };
    document.head.append(script);
    return () => {
      script.onload = null;
      script.remove();
      shown?.destroy();
    };
  }, []);
  return <div ref={place} />;
}
)";
}

EmbedSnippets snippetsOf(const std::string& origin, const std::string& link, const EmbedId& id)
{
    const auto with = [&](const std::string& mode)
    { return "data-booking-" + mode + "=\"" + link + "\" data-embed-id=\"" + id.text() + "\""; };
    const auto script = "\n<script async src=\"" + origin + "/embed/v1.js\"></script>";
    return {"<div " + with("inline") + "></div>" + script, "<button type=\"button\" " + with("link") + ">Book a time</button>" + script,
            "<div " + with("floating") + "></div>" + script, reactSnippet(origin, link, id)};
}
} // namespace

void EmbedRoutes::declare(Routes& routes)
{
    AdminRoutes(routes, "embed:issue", "embed.issue")
        .post("/embed", &EmbedRoutes::issue, this,
              {.summary = "Let pages of other origins show the booking page", .problems = {"400 origin_not_allowed"}});
}

Created<EmbedAnswer> EmbedRoutes::issue(const Caller& caller, const Query<HostChoice>& choice, const Body<EmbedRequest>& body) const
{
    EmbedGrant grant;
    const auto known = _origins.allowed();
    for (const auto& named : body->origins)
    {
        auto origin = normalOrigin(named);
        if (std::ranges::find(known, origin) == known.end())
            throw Problem::badRequest("origin_not_allowed",
                                      "The operator has not put this origin into the manifest's embedOrigins: " + named);
        if (std::ranges::find(grant.origins, origin) == grant.origins.end()) grant.origins.push_back(std::move(origin));
    }
    if (grant.origins.empty()) throw Problem::invalid("origins", "required", "Name one origin at least");
    const auto now = _tools.now();
    if (body->expiresAt && *body->expiresAt <= now) throw Problem::invalid("expiresAt", "out_of_range", "This instant is over");
    return _tools.database().transact(
        [&](Transaction& transaction) -> Created<EmbedAnswer>
        {
            const auto host = requireHost(transaction, caller, *choice);
            const auto tenant = Tenant::fromStored(host.organizationId);
            auto link = host.handle;
            if (body->eventTypeId) link += "/" + eventTypeTable.require(transaction, tenant, host.hostId, *body->eventTypeId).slug;
            grant.embedId = EmbedId::make(now);
            grant.hostId = host.hostId;
            grant.eventTypeId = body->eventTypeId;
            grant.mode = body->mode;
            grant.expiresAt = body->expiresAt;
            grant.createdAt = now;
            embedTable.insert(transaction, tenant, grant);
            return {{grant.embedId, snippetsOf(_tools.context.host().origin, link, grant.embedId), grant.origins}};
        });
}

} // namespace portico::calendar
