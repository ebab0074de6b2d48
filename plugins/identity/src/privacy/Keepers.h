#pragma once

#include "portico/Database.h"
#include "portico/interfaces/PersonalData.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Services with personal data: those that offer the interface on this host, and those whose registered manifest declares it, even if they
/// are disabled or run on another host. Excludes retired services, whose data the operator has to remove.
namespace keepers
{
/// After which one that is away is asked again.
inline constexpr std::chrono::minutes awayWait{10};
/// For the operator's list of jobs.
std::string whyWaiting(const std::vector<std::string>& away);
/// Service ids, sorted.
std::vector<std::string> all(Services& services, Session& session);
/// Leases one of them for a call; empty while it is unavailable.
Leased<interfaces::PersonalData> find(Services& services, const std::string& serviceId);
/// The person with that address and all organizations that they ever belonged to.
interfaces::Person person(Session& session, std::string_view userId, std::string email);
} // namespace keepers

} // namespace portico::identity
