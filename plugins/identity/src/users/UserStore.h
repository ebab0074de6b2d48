#pragma once

#include "users/User.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Two spellings of one address have one key: white space around it gone, ASCII in lower case.
std::string emailKey(std::string_view email);

/// Rows of users. Every function works in the session that it is given.
namespace users
{
std::optional<User> find(Session& session, std::string_view id);
std::optional<User> findByEmail(Session& session, std::string_view email);
/// @throws DatabaseError UniqueViolation when the address is taken.
void insert(Session& session, const User& user);
/// @throws Problem 412 when the row no longer has `user.version`; leaves `user` with the next one.
void updateProfile(Session& session, User& user, Instant now);
void setPassword(Session& session, const UserId& id, std::string_view hash, Instant now);
void setPlatformRole(Session& session, const UserId& id, PlatformRole role, Instant now);
void noteLogin(Session& session, const UserId& id, Instant now);
/// Raises the number that tells tokens of this user that something changed.
void raiseRevision(Session& session, std::string_view id);
} // namespace users

} // namespace portico::identity
