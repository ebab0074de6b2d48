#pragma once

#include "data/SqlText.h"
#include "records/ContactView.h"

#include "portico/Database.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace portico::crm
{

/// How many contacts are read in one statement. For hundreds PostgreSQL reads all of an organization while it has no statistics.
inline constexpr std::size_t contactBatch = 32;

/// Returns those of up to `contactBatch` contacts, at least one, that match filters on contacts `c`, by their ids.
std::map<std::string, ContactView> readBatch(Session& session, const SqlConditions& filters, std::span<const std::string> ids);

} // namespace portico::crm
