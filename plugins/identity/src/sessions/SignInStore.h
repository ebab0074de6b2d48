#pragma once

#include "sessions/SignIn.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Why a sign-in ended.
namespace end_reason
{
inline constexpr std::string_view logout = "logout";
inline constexpr std::string_view expired = "expired_absolute";
inline constexpr std::string_view idle = "expired_idle";
inline constexpr std::string_view reuse = "reuse_detected";
} // namespace end_reason

/// Rows of sign-ins, and of the browser sessions that they came from.
namespace sign_ins
{
void insert(Session& session, const SignIn& signIn);
std::optional<SignIn> find(Session& session, std::string_view id);
/// Active ones of a user, the newest first.
std::vector<SignIn> ofUser(Session& session, std::string_view userId, Instant now);
/// Ends those that are not yet ended, with their refresh families; the ids that this call ended.
std::vector<std::string> end(Session& session, const std::vector<SignIn>& signIns, std::string_view reason, Instant now);
/// All that came from the same browser session; the sign-in itself when it came from none.
std::vector<SignIn> ofSameBrowser(Session& session, const SignIn& signIn);

void setContext(Session& session, SignIn& signIn, const std::optional<OrganizationId>& organization, Instant now);
/// Ends the sign-in and its refresh families at `end` at the latest, and the families when nobody uses them for `idle`; lengthens nothing.
void limit(Session& session, SignIn& signIn, Instant end, std::chrono::seconds idle, Instant now);
void elevate(Session& session, SignIn& signIn, Instant until, Instant now);
void touch(Session& session, std::string_view id, Instant now);

/// The context that the user last worked in at a service: empty when there was none, an empty id for personal.
std::optional<std::optional<std::string>> lastContext(Session& session, std::string_view userId, std::string_view serviceId);

void insertBrowserSession(Session& session, std::string_view id, std::string_view userId, std::string_view handleHash,
                          Instant idleExpiresAt, Instant expiresAt, Instant now);
void endBrowserSession(Session& session, std::string_view id, Instant now);
} // namespace sign_ins

} // namespace portico::identity
