#pragma once

#include "host/config/Setting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::config
{

std::optional<bool> parseBoolean(std::string_view text) noexcept;
std::optional<std::int64_t> parseInteger(std::string_view text) noexcept;
/// `10`, `64K`, `25M`, `2G`.
std::optional<std::int64_t> parseBytes(std::string_view text) noexcept;
/// Trimmed, empty items left out.
std::vector<std::string> parseList(std::string_view text);

/// What a value had to be, when it is not: empty if it is right. Looks at the text alone, never at the file system.
std::string fault(Kind kind, std::int64_t minimum, std::int64_t maximum, std::string_view choices, std::string_view value);

} // namespace portico::host::config
