#pragma once

#include "common/OneTimeSecrets.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"

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

/// The two pages of identity that apps embed without showing them, to hear and to tell that a browser has signed out. They tell the
/// registered origins alone, and end nothing by being embedded. Thread-safe.
class SessionPages
{
public:
    explicit SessionPages(Core& core);
    void declare(Routes& routes);

    Html channel(const Request& request, const Query<ChannelQuery>& query);
    Html broadcastLogout(const Request& request, const Query<BroadcastQuery>& query);

private:
    /// Whether this browser is signed in, as far as the request's cookies tell.
    bool isSignedIn(const Request& request);
    /// Origins whose pages may embed ours; of previews that of the page that does, which no list can name.
    std::vector<std::string> originsOf(std::string_view serviceId, const Request& request) const;
    Html page(std::string_view state, bool ended, const std::vector<std::string>& parents) const;

    Core& _core;
    Cookies _cookies;
    RefreshFamilies _families;
    /// As a Content-Security-Policy names the one script.
    const std::string _scriptHash;
};

} // namespace portico::identity
