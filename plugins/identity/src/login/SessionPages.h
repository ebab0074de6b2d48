#pragma once

#include "common/Core.h"
#include "common/OneTimeSecrets.h"

#include "portico/Routes.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Tickets for the pages that notify other tabs of a logout. Their value is the id of the ended browser session.
inline OneTimeSecrets<std::string> logoutTickets(StateStore& state) { return {state, "logout-ticket"}; }

struct ChannelQuery
{
    std::string serviceId;
};

constexpr auto schemaOf(const ChannelQuery*) { return describe(field<&ChannelQuery::serviceId>("service_id").required().maxLength(40)); }

struct BroadcastQuery
{
    std::string ticket;
};

constexpr auto schemaOf(const BroadcastQuery*) { return describe(field<&BroadcastQuery::ticket>("lt").maxLength(64)); }

/// Two hidden pages of identity that apps embed: one reports when the browser signs out, one notifies other tabs of it. They send messages
/// to registered origins only, and embedding them ends nothing. Thread-safe.
class SessionPages
{
public:
    explicit SessionPages(Core& core);
    void declare(Routes& routes);

    Html channel(const Request& request, const Query<ChannelQuery>& query);
    Html broadcastLogout(const Request& request, const Query<BroadcastQuery>& query);

private:
    /// Returns true if this browser is signed in according to the request's cookies.
    bool isSignedIn(const Request& request);
    /// Returns the origins whose pages may embed these. For previews, which no list can name, returns the origin of the embedding page.
    std::vector<std::string> originsOf(std::string_view serviceId, const Request& request) const;
    Html page(std::string_view state, bool ended, const std::vector<std::string>& parents) const;

    Core& _core;
    /// Hash of the single script for the Content-Security-Policy.
    const std::string _scriptHash;
};

} // namespace portico::identity
