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

/// Names of people that clients of different owners cannot compare (OpenID Connect Core, 8.1): made by chance, one a person and sector, and
/// never anybody else's.
namespace pairwise_subjects
{
/// Host of the address that the client shares with others; else of its redirect addresses, for the clients of its owner alone. Empty where
/// these have none, or several.
std::string sectorOf(const OAuthClient& client);
/// The address that a client names must list all its redirect addresses, or it could join a sector of strangers. Does nothing for clients
/// without one. @throws Problem 400 `validation_failed`
void requireSector(HttpClient& http, const OAuthClient& client);

/// What a client knows a person as: for most their id. Empty for one that it has not seen yet.
std::optional<std::string> find(Session& session, const OAuthClient& client, const UserId& userId);
/// The same for who signs in there now; empty where it is their id.
std::optional<std::string> make(Transaction& transaction, const OAuthClient& client, const UserId& userId, Instant now);
} // namespace pairwise_subjects

} // namespace portico::identity
