#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portico::identity::scim
{

enum class AttributeType : std::uint8_t
{
    String,
    Boolean,
    DateTime,
    Reference,
    Complex
};

enum class Mutability : std::uint8_t
{
    ReadWrite,
    ReadOnly,
    Immutable
};

/// One attribute of a schema, with what RFC 7643, 2.2 lets be said of it. Constants; lives for ever.
struct Attribute
{
    std::string_view name;
    AttributeType type = AttributeType::String;
    std::string_view description = {};
    bool multiValued = false;
    bool required = false;
    bool caseExact = false;
    Mutability mutability = Mutability::ReadWrite;
    std::string_view uniqueness = "none";
    std::span<const Attribute> sub = {};
    std::string_view returned = "default";

    /// Without regard to case (RFC 7643, 2.1); null: there is none.
    const Attribute* find(std::string_view subName) const noexcept;
};

struct Schema
{
    std::string_view urn;
    std::string_view name;
    std::string_view description;
    std::span<const Attribute> attributes;

    const Attribute* find(std::string_view attribute) const noexcept;
};

/// A kind of resource: its own schema, and the one that extends it.
struct ResourceKind
{
    std::string_view name;
    std::string_view endpoint;
    const Schema& schema;
    const Schema* extension = nullptr;

    /// Also finds the attributes that all kinds have (RFC 7643, 3.1).
    const Attribute* find(std::string_view attribute) const noexcept;
    /// Returns true for the URN of the extension, ignoring case.
    bool isExtension(std::string_view urn) const noexcept;
};

const ResourceKind& userKind() noexcept;
const ResourceKind& groupKind() noexcept;

/// `attribute` or `attribute.sub`, of a schema that is named in front or follows from the kind: `urn:…:User:name.givenName`.
struct AttributePath
{
    /// Empty: the kind's main schema.
    std::string_view extension;
    /// Null with an extension: all of it.
    const Attribute* attribute = nullptr;
    const Attribute* sub = nullptr;

    /// Parses a path, relative to a complex attribute if `parent` is set (a filter in brackets). Names that the kind's main schema lacks
    /// are looked up in its extension. Returns none for an invalid path.
    static std::optional<AttributePath> parse(std::string_view text, const ResourceKind& kind, const Attribute* parent = nullptr);
    /// Returns the last attribute of the path; null: the whole extension.
    const Attribute* last() const noexcept { return sub != nullptr ? sub : attribute; }
};

inline constexpr std::size_t maxOperations = 500;
inline constexpr std::size_t maxBytes = 1024 * 1024;
inline constexpr std::int64_t maxResults = 200;
/// Maximum values of a person's attribute; a group may have more members.
inline constexpr std::size_t maxValues = 100;
inline constexpr std::size_t maxMembers = 20'000;

/// Documents of `/Schemas`, `/ResourceTypes` and `/ServiceProviderConfig` (RFC 7643, 5 to 7).
/// @param base URL of SCIM: `https://id.example/scim/v2`
boost::json::object schemaDocument(const Schema& schema, std::string_view base);
boost::json::object resourceTypeDocument(const ResourceKind& kind, std::string_view base);
boost::json::object providerDocument(std::string_view base);

/// Returns a name for comparison: case-folded and in one form of Unicode (RFC 7643, 2.2: caseExact false).
std::string nameKey(std::string_view name);

} // namespace portico::identity::scim
