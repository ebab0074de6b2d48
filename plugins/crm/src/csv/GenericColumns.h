#pragma once

#include "exchange/ContactBuilder.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// Columns by exact field paths (`emails[0].address`), else by English and German names in any spelling (`E-Mail Address 2`,
/// `work_phone`, `Straße (privat)`).
std::vector<std::optional<Binding>> genericBindings(const std::vector<std::string>& names);

} // namespace portico::crm
