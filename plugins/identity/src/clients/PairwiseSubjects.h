#pragma once

#include "clients/OAuthClient.h"
#include "common/Ids.h"

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/HttpClient.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// Pairwise subject identifiers, which clients of different owners cannot correlate (OpenID Connect Core, 8.1). They are random, one for
/// each person and sector, and never reused.
namespace pairwise_subjects
{
/// Returns the host of the address that the client shares with others; else of its redirect addresses, for clients of its owner only. Empty
/// if these have no host, or several.
std::string sectorOf(const OAuthClient& client);
/// Checks that the sector's address lists all redirect addresses of the client, because otherwise the client could join a foreign sector.
/// Does nothing for clients without one.
/// @throws Problem 400 `validation_failed`
void requireSector(HttpClient& http, const OAuthClient& client);

/// Returns the subject under which a client knows a user; for most clients the user's id. Empty if the user has never signed in there.
std::optional<std::string> find(Session& session, const OAuthClient& client, const UserId& userId);
/// Does the same for a user who signs in there now; empty if the subject is their id.
std::optional<std::string> make(Transaction& transaction, const OAuthClient& client, const UserId& userId, Instant now);
} // namespace pairwise_subjects

} // namespace portico::identity
