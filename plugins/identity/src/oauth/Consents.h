#pragma once

#include "clients/OAuthClient.h"
#include "common/Requests.h"

#include <string_view>

namespace portico::identity
{

/// What people have allowed clients (`oauth_consents`).
namespace consents
{
/// Whether the user has allowed the client all of that.
bool covers(Session& session, const UserId& user, const OAuthClient& client, std::string_view scope);
void grant(Transaction& transaction, const UserId& user, const OAuthClient& client, std::string_view scope, const Client& from,
           Instant now);
/// Whether a client may sign the user in as of now: one that asks for consent, as long as that is not withdrawn, which then waits for this
/// transaction and finds what it made.
bool holds(Transaction& transaction, const UserId& user, const OAuthClient& client);
} // namespace consents

/// Which words of a scope a page shows as allowed. @param page has a member for each
template <class Page>
void showScope(Page& page, std::string_view scope)
{
    page.profile = hasWord(scope, "profile");
    page.mail = hasWord(scope, "email");
    page.organizations = hasWord(scope, "organizations");
    page.offline = hasWord(scope, "offline_access");
}

} // namespace portico::identity
