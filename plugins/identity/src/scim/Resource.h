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

/// A member of an object whose name may be written in any case; null: there is none.
const boost::json::value* findMember(const boost::json::object& object, std::string_view name) noexcept;
/// The text that an attribute has; empty where it has none.
std::string textOf(const boost::json::object& object, std::string_view name);
/// Of a complex attribute's part.
std::string textOf(const boost::json::object& object, std::string_view name, std::string_view part);

/// A resource as a client sends it, in the form in which it is kept: attributes under the names of their schema, read-only and unknown
/// ones left out, nulls and empty lists as what is not there, one `primary` at most (the last), booleans also from texts.
/// @throws Problem 400 `invalidValue`, `invalidSyntax` (an attribute twice)
boost::json::object readResource(const boost::json::object& sent, const ResourceKind& kind);

/// The same of one value. `single`: one of the values of a multi-valued attribute. Empty: no value.
std::optional<boost::json::value> readValue(const Attribute& attribute, const boost::json::value& sent, bool single = false);

/// How long the list of a multi-valued attribute may be.
std::size_t mostValuesOf(const Attribute& attribute) noexcept;

/// Leaves `primary` with one value at most: this one, or the last that claims it.
void settlePrimary(boost::json::array& values, const boost::json::value* winner = nullptr);

/// What of a resource an answer shows: `attributes` and `excludedAttributes` (RFC 7644, 3.9). Names that there are not are passed over.
class Projection
{
public:
    Projection() = default;
    /// @param attributes, excluded separated by commas.
    Projection(std::string_view attributes, std::string_view excluded, const ResourceKind& kind);
    boost::json::object of(const boost::json::object& resource) const;
    /// Whether anything of an attribute is shown, for those that cost something to read.
    bool shows(std::string_view attribute) const noexcept;

private:
    std::vector<AttributePath> _wanted;
    std::vector<AttributePath> _excluded;
    bool _narrowed = false;
};

} // namespace portico::identity::scim
