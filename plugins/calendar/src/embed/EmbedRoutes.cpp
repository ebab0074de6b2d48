#include "embed/EmbedRoutes.h"

#include "records/EventType.h"
#include "service/AdminRoutes.h"
#include "service/Live.h"

#include "portico/CrossOrigin.h"
#include "portico/Problem.h"

#include <algorithm>
#include <map>

namespace portico::calendar
{

namespace
{
/// Returns a React component without further dependencies. It loads the script when it is mounted, and removes its frame when it is
/// unmounted.
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
              {.summary = "Create an embed grant for other origins", .problems = {"400 origin_not_allowed"}})
        .get("/embed", &EmbedRoutes::list, this, {.summary = "List embed grants"})
        .del("/embed/{embedId}", &EmbedRoutes::revoke, this, {.summary = "Revoke an embed grant"});
}

void EmbedRoutes::complete(Session& session, const Host& host, std::span<EmbedGrant> grants) const
{
    std::map<EventTypeId, std::string> slugs;
    for (auto& type : eventTypeTable.select(Tenant::fromStored(host.organizationId)).where(&EventType::hostId, host.hostId).all(session))
        slugs.emplace(type.eventTypeId, std::move(type.slug));
    for (auto& grant : grants)
    {
        grant.status = grant.statusAt(_tools.now());
        const auto type = grant.eventTypeId ? slugs.find(*grant.eventTypeId) : slugs.end();
        if (grant.eventTypeId && type == slugs.end()) continue;
        grant.snippet =
            snippetsOf(_tools.context.host().origin, grant.eventTypeId ? host.handle + "/" + type->second : host.handle, grant.embedId);
    }
}

Page<EmbedGrant> EmbedRoutes::list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *choice);
    auto page = embedTable.select(caller.tenant())
                    .where(&EmbedGrant::hostId, host.hostId)
                    .orderBy(descending(&EmbedGrant::createdAt))
                    .page(session, paging);
    complete(session, host, page.items);
    return page;
}

EmbedGrant EmbedRoutes::revoke(const Caller& caller, const Path<EmbedId>& id, const Query<HostChoice>& choice, const IfMatch& ifMatch) const
{
    return transactLive(_tools.context, caller.tenant(), "calendar.embed_grants",
                        [&](Transaction& transaction)
                        {
                            const auto host = requireHost(transaction, caller, *choice);
                            const auto now = _tools.now();
                            const auto end = [&](EmbedGrant& grant) { grant.revokedAt = grant.revokedAt.value_or(now); };
                            EmbedGrant grant = embedTable.change(transaction, caller.tenant(), host.hostId, *id, ifMatch, {now}, end);
                            complete(transaction, host, {&grant, 1});
                            return grant;
                        });
}

Created<EmbedGrant> EmbedRoutes::issue(const Caller& caller, const Query<HostChoice>& choice, const Body<EmbedRequest>& body) const
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
    return transactLive(_tools.context, caller.tenant(), "calendar.embed_grants",
                        [&](Transaction& transaction) -> Created<EmbedGrant>
                        {
                            const auto host = requireHost(transaction, caller, *choice);
                            const auto tenant = Tenant::fromStored(host.organizationId);
                            if (body->eventTypeId) eventTypeTable.require(transaction, tenant, host.hostId, *body->eventTypeId);
                            grant.hostId = host.hostId;
                            grant.eventTypeId = body->eventTypeId;
                            grant.mode = body->mode;
                            grant.expiresAt = body->expiresAt;
                            grant = embedTable.create(transaction, tenant, std::move(grant), {now});
                            complete(transaction, host, {&grant, 1});
                            return {grant};
                        });
}

} // namespace portico::calendar
