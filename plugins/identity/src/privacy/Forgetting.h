#pragma once

#include "portico/Database.h"
#include "portico/interfaces/PersonalData.h"

#include <string>
#include <vector>

namespace portico::identity::forgetting
{

/// Takes a person out of all tables of identity: memberships end, households pass on, what is theirs alone goes, what others still need
/// stays with their id and nothing else of them. Does nothing the second time. @return the sign-ins that ended
std::vector<std::string> run(Transaction& transaction, const interfaces::Person& person, Instant now);

} // namespace portico::identity::forgetting
