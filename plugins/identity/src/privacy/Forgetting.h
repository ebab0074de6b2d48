#pragma once

#include "portico/Database.h"
#include "portico/interfaces/PersonalData.h"

#include <string>
#include <vector>

namespace portico::identity::forgetting
{

/// Erases a person from all tables of identity. Memberships end and households pass to others. Personal records are deleted; records that
/// others need keep only the id. Idempotent.
/// @return the sign-ins that ended
std::vector<std::string> run(Transaction& transaction, const interfaces::Person& person, Instant now);

} // namespace portico::identity::forgetting
