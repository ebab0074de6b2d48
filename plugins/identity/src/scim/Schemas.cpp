#include "scim/Schemas.h"

#include "portico/Http.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::identity::scim
{

namespace
{

using enum AttributeType;
using enum Mutability;

const Attribute* findIn(std::span<const Attribute> attributes, std::string_view name) noexcept
{
    const auto found = std::ranges::find_if(attributes, [&](const Attribute& one) { return equalsIgnoreCase(one.name, name); });
    return found == attributes.end() ? nullptr : &*found;
}

constexpr Attribute plain(std::string_view name, std::string_view description) { return {.name = name, .description = description}; }

constexpr Attribute primaryFlag{.name = "primary", .type = Boolean, .description = "The one that is meant where one is wanted"};

constexpr std::array valueParts{plain("value", "The value"), plain("display", "How it is shown"), plain("type", "work, home, other"),
                                primaryFlag};

constexpr Attribute several(std::string_view name, std::string_view description)
{
    return {.name = name, .type = Complex, .description = description, .multiValued = true, .sub = valueParts};
}

constexpr std::array nameParts{plain("formatted", "The whole name"),    plain("familyName", "Family name"),
                               plain("givenName", "Given name"),        plain("middleName", "Middle names"),
                               plain("honorificPrefix", "Ms., Dr., …"), plain("honorificSuffix", "III, M.D., …")};

constexpr std::array addressParts{plain("formatted", "The whole address"),
                                  plain("streetAddress", "Street and house"),
                                  plain("locality", "City"),
                                  plain("region", "State or region"),
                                  plain("postalCode", "Postal code"),
                                  plain("country", "ISO 3166-1 alpha-2"),
                                  plain("type", "work, home, other"),
                                  primaryFlag};

constexpr Attribute shownOnly(std::string_view name, std::string_view description, AttributeType type = String)
{
    return {.name = name, .type = type, .description = description, .caseExact = true, .mutability = ReadOnly};
}

constexpr std::array groupOfUserParts{shownOnly("value", "Id of the group"), shownOnly("$ref", "Where the group is", Reference),
                                      shownOnly("display", "Name of the group"), shownOnly("type", "direct")};

constexpr std::array roleParts{shownOnly("value", "guest, member, admin, super_admin or owner"),
                               shownOnly("primary", "There is one", Boolean)};

constexpr std::array userAttributes{
    Attribute{.name = "userName",
              .description = "What the provider calls the person; once in the organization",
              .required = true,
              .uniqueness = "server"},
    Attribute{.name = "name", .type = Complex, .description = "Parts of the name", .sub = nameParts},
    plain("displayName", "How the person is shown"),
    plain("nickName", "What the person is called"),
    Attribute{.name = "profileUrl", .type = Reference, .description = "A page about the person"},
    plain("title", "Title in the organization"),
    plain("userType", "Kind of employment"),
    plain("preferredLanguage", "As in Accept-Language"),
    plain("locale", "BCP 47"),
    plain("timezone", "Europe/Berlin"),
    Attribute{.name = "active", .type = Boolean, .description = "False: the membership is suspended"},
    several("emails", "Addresses; the primary one, or else the first for work, is that of the account"),
    several("phoneNumbers", "Telephone numbers"),
    several("ims", "Addresses for messages"),
    several("photos", "Pictures"),
    Attribute{.name = "addresses", .type = Complex, .description = "Postal addresses", .multiValued = true, .sub = addressParts},
    several("entitlements", "What the provider grants; nothing follows from it here"),
    Attribute{.name = "groups",
              .type = Complex,
              .description = "Groups that the person is in",
              .multiValued = true,
              .mutability = ReadOnly,
              .sub = groupOfUserParts},
    Attribute{.name = "roles",
              .type = Complex,
              .description = "Role in the organization: follows from groups of that name",
              .multiValued = true,
              .mutability = ReadOnly,
              .sub = roleParts},
    several("x509Certificates", "Certificates")};

constexpr std::array managerParts{Attribute{.name = "value", .description = "Id of the manager", .caseExact = true},
                                  Attribute{.name = "$ref", .type = Reference, .description = "Where the manager is"},
                                  shownOnly("displayName", "Name of the manager")};

constexpr std::array enterpriseAttributes{
    plain("employeeNumber", "Number of the employee"),
    plain("costCenter", "Cost center"),
    plain("organization", "Name of the organization"),
    plain("division", "Division"),
    plain("department", "Department"),
    Attribute{.name = "manager", .type = Complex, .description = "Whom the person reports to", .sub = managerParts}};

constexpr std::array memberParts{
    Attribute{.name = "value", .description = "Id of the person", .required = true, .caseExact = true, .mutability = Immutable},
    Attribute{.name = "$ref", .type = Reference, .description = "Where the person is", .mutability = Immutable},
    Attribute{.name = "type", .description = "User", .mutability = Immutable}, shownOnly("display", "Name of the person")};

constexpr std::array groupAttributes{
    Attribute{.name = "displayName",
              .description = "Name; guest, member and admin give that role to those in the group",
              .required = true,
              .uniqueness = "server"},
    Attribute{.name = "members", .type = Complex, .description = "People in the group", .multiValued = true, .sub = memberParts}};

constexpr std::array metaParts{shownOnly("resourceType", "User or Group"), shownOnly("created", "When it was made", DateTime),
                               shownOnly("lastModified", "When it was changed", DateTime), shownOnly("location", "Where it is", Reference),
                               shownOnly("version", "Its entity tag")};

/// Attributes of every kind, in no schema (RFC 7643, 3.1).
constexpr std::array commonAttributes{
    Attribute{.name = "id", .caseExact = true, .mutability = ReadOnly, .uniqueness = "server", .returned = "always"},
    Attribute{.name = "externalId", .description = "What the provider calls it", .caseExact = true},
    Attribute{.name = "schemas", .type = Reference, .multiValued = true, .caseExact = true, .returned = "always"},
    Attribute{.name = "meta", .type = Complex, .mutability = ReadOnly, .sub = metaParts}};

constexpr Schema userSchema{"urn:ietf:params:scim:schemas:core:2.0:User", "User", "A person in the organization", userAttributes};
constexpr Schema enterpriseSchema{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", "EnterpriseUser",
                                  "What enterprises note of people", enterpriseAttributes};
constexpr Schema groupSchema{"urn:ietf:params:scim:schemas:core:2.0:Group", "Group", "People who belong together", groupAttributes};

constexpr ResourceKind kindOfUsers{"User", "/Users", userSchema, &enterpriseSchema};
constexpr ResourceKind kindOfGroups{"Group", "/Groups", groupSchema};

/// Returns the text after the URN and its colon, which may be empty. Returns none if the text does not begin with the URN.
std::optional<std::string_view> behind(std::string_view text, std::string_view urn) noexcept
{
    if (text.size() < urn.size() || !equalsIgnoreCase(text.substr(0, urn.size()), urn)) return std::nullopt;
    text.remove_prefix(urn.size());
    if (text.empty()) return text;
    if (text.front() != ':') return std::nullopt;
    return text.substr(1);
}

} // namespace

const Attribute* Attribute::find(std::string_view subName) const noexcept { return findIn(sub, subName); }
const Attribute* Schema::find(std::string_view attribute) const noexcept { return findIn(attributes, attribute); }

const Attribute* ResourceKind::find(std::string_view attribute) const noexcept
{
    const auto* own = schema.find(attribute);
    return own != nullptr ? own : findIn(commonAttributes, attribute);
}

bool ResourceKind::isExtension(std::string_view urn) const noexcept
{
    return extension != nullptr && equalsIgnoreCase(urn, extension->urn);
}

std::string nameKey(std::string_view name) { return foldCase(trim(name)); }

const ResourceKind& userKind() noexcept { return kindOfUsers; }
const ResourceKind& groupKind() noexcept { return kindOfGroups; }

std::optional<AttributePath> AttributePath::parse(std::string_view text, const ResourceKind& kind, const Attribute* parent)
{
    AttributePath path;
    if (parent != nullptr)
    {
        path.attribute = parent->find(text);
        return path.attribute != nullptr ? std::optional(path) : std::nullopt;
    }
    if (const auto own = behind(text, kind.schema.urn))
        text = *own;
    else if (const auto rest = kind.extension != nullptr ? behind(text, kind.extension->urn) : std::nullopt)
    {
        path.extension = kind.extension->urn;
        if (rest->empty()) return path;
        text = *rest;
    }
    const auto dot = text.find('.');
    const auto attribute = text.substr(0, dot);
    path.attribute = path.extension.empty() ? kind.find(attribute) : kind.extension->find(attribute);
    // Entra names attributes of the extension without its URN, too.
    if (path.attribute == nullptr && path.extension.empty() && kind.extension != nullptr)
    {
        path.attribute = kind.extension->find(attribute);
        path.extension = kind.extension->urn;
    }
    if (path.attribute == nullptr) return std::nullopt;
    if (dot == std::string_view::npos) return path;
    path.sub = path.attribute->find(text.substr(dot + 1));
    return path.sub != nullptr ? std::optional(path) : std::nullopt;
}

} // namespace portico::identity::scim
