#pragma once

#include "scim/Schemas.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity::scim
{

inline std::string_view viewOf(const boost::json::string& text) noexcept { return {text.data(), text.size()}; }
inline boost::json::string_view keyOf(std::string_view name) noexcept { return {name.data(), name.size()}; }

/// Returns a member of an object, ignoring the case of its name; null: there is none.
const boost::json::value* findMember(const boost::json::object& object, std::string_view name) noexcept;
/// Returns the text of an attribute; empty if there is none.
std::string textOf(const boost::json::object& object, std::string_view name);
/// Returns the text of a sub-attribute.
std::string textOf(const boost::json::object& object, std::string_view name, std::string_view part);

/// Normalizes a resource that a client sent. Uses the schema's spelling of names, and drops read-only and unknown attributes, nulls and
/// empty lists. Keeps at most one `primary` (the last). Accepts booleans as texts.
/// @throws Problem 400 `invalidValue`, `invalidSyntax` (duplicate attribute)
boost::json::object readResource(const boost::json::object& sent, const ResourceKind& kind);

/// Normalizes one value. @param single true for one of the values of a multi-valued attribute. Empty: no value.
std::optional<boost::json::value> readValue(const Attribute& attribute, const boost::json::value& sent, bool single = false);

/// Returns the maximum number of values of a multi-valued attribute.
std::size_t maxValuesOf(const Attribute& attribute) noexcept;

/// Keeps `primary` at one value at most: the winner, or the last one that has it.
void settlePrimary(boost::json::array& values, const boost::json::value* winner = nullptr);

/// Part of a resource that an answer shows: `attributes` and `excludedAttributes` (RFC 7644, 3.9). Ignores unknown names.
class Projection
{
public:
    Projection() = default;
    /// @param attributes,excluded separated by commas
    Projection(std::string_view attributes, std::string_view excluded, const ResourceKind& kind);
    boost::json::object of(const boost::json::object& resource) const;
    /// Returns true if any part of an attribute is shown. Used for attributes that are expensive to read.
    bool shows(std::string_view attribute) const noexcept;

private:
    std::vector<AttributePath> _wanted;
    std::vector<AttributePath> _excluded;
    bool _narrowed = false;
};

} // namespace portico::identity::scim
