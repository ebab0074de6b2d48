#pragma once

#include <string_view>

namespace portico::crm
{

/// True for a code of ISO 4217 that is in use as money, in capital letters.
bool isCurrency(std::string_view code);

} // namespace portico::crm
