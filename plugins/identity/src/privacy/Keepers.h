#pragma once

#include "portico/Database.h"
#include "portico/interfaces/PersonalData.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Services that keep data of people and have to be asked for it: those that say so here, and those whose manifest in the registry says
/// so, be they switched off or on another host. Retired ones are not: whatever they kept was for the operator to remove.
namespace keepers
{
/// After which one that is away is asked again.
inline constexpr std::chrono::minutes awayWait{10};
/// For the operator's list of jobs.
std::string whyWaiting(const std::vector<std::string>& away);
/// Service ids, sorted.
std::vector<std::string> all(Services& services, Session& session);
/// One of them for a call; empty while it is away.
Leased<interfaces::PersonalData> find(Services& services, const std::string& serviceId);
/// The person with that address and all organizations that they ever belonged to.
interfaces::Person person(Session& session, std::string_view userId, std::string email);
} // namespace keepers

} // namespace portico::identity
