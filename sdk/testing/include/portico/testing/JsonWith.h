#pragma once

#include "portico/Export.h"

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace portico::testing
{

/// Puts one value in place of each `$`. Use `jsonWith`.
PORTICO_API std::string fillJson(std::string_view pattern, std::initializer_list<std::string> values);

/// Returns JSON with a value in place of each `$`: escaped within a string, unchanged elsewhere.
///
///     jsonWith(R"({"email":"$","age":$})", email, 36)
///
/// @throws std::logic_error if the numbers of values and of `$` differ
template <class... Values>
std::string jsonWith(std::string_view pattern, const Values&... values)
{
    const auto text = [](const auto& value)
    {
        if constexpr (std::is_convertible_v<decltype(value), std::string_view>)
            return std::string(std::string_view(value));
        else if constexpr (std::same_as<std::decay_t<decltype(value)>, bool>)
            return std::string(value ? "true" : "false");
        else
            return std::to_string(value);
    };
    return fillJson(pattern, {text(values)...});
}

} // namespace portico::testing
