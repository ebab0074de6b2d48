#pragma once

#include "clients/OAuthClient.h"
#include "common/Requests.h"

#include <string_view>

namespace portico::identity
{

/// Consents of users to clients (`oauth_consents`).
namespace consents
{
/// Returns true if the user has consented to all of the scope.
bool covers(Session& session, const UserId& user, const OAuthClient& client, std::string_view scope);
void grant(Transaction& transaction, const UserId& user, const OAuthClient& client, std::string_view scope, const Client& from,
           Instant now);
/// Returns true if a client may sign the user in: its required consent is not withdrawn. A concurrent withdrawal waits for this transaction
/// and ends its sign-in.
bool holds(Transaction& transaction, const UserId& user, const OAuthClient& client);
} // namespace consents

/// Sets the members of a page for the words of a scope. @param page has a member for each
template <class Page>
void showScope(Page& page, std::string_view scope)
{
    page.profile = hasWord(scope, "profile");
    page.mail = hasWord(scope, "email");
    page.organizations = hasWord(scope, "organizations");
    page.offline = hasWord(scope, "offline_access");
}

} // namespace portico::identity
