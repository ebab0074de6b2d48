#pragma once

#include "portico/Export.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace portico
{

/// The request methods that a route can have (RFC 9110, 9.3). HEAD is answered from GET by the host, OPTIONS by its CORS stage.
enum class Method : std::uint8_t
{
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
    Options
};

/// The method's name on the wire.
PORTICO_API std::string_view name(Method method) noexcept;

/// Case-sensitive, as RFC 9110 demands; empty for a method that Portico does not serve.
PORTICO_API std::optional<Method> parseMethod(std::string_view text) noexcept;

/// The reason phrase of a status; "Status" for one that is not registered.
PORTICO_API std::string_view reason(int status) noexcept;

/// One header of a request, as received: the value without surrounding white space. Views live as long as the request.
struct HeaderField
{
    std::string_view name;
    std::string_view value;
};

/// True if an entity tag of a request matches the tag of a response: equal, or as a compressing proxy has rewritten it, with the
/// name of the coding at the end (`"1-gzip"` of Apache, `"1;gzip"`, `"1--gzip"` of Jetty). Both with their quotes; a `W/` makes them
/// differ.
PORTICO_API bool sameEntityTag(std::string_view sent, std::string_view tag) noexcept;
/// True if a list of entity tags (If-None-Match, RFC 9110, 13.1.2) names the tag of an answer, by weak comparison. `*` names every tag.
PORTICO_API bool namesEntityTag(std::string_view list, std::string_view tag) noexcept;

/// ASCII comparison without regard to case.
PORTICO_API bool equalsIgnoreCase(std::string_view left, std::string_view right) noexcept;

} // namespace portico
