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

constexpr Attribute primaryFlag{.name = "primary", .type = Boolean, .description = "Preferred value of the attribute"};

constexpr std::array valueParts{plain("value", "Value"), plain("display", "Display value"), plain("type", "work, home, other"),
                                primaryFlag};

constexpr Attribute several(std::string_view name, std::string_view description)
{
    return {.name = name, .type = Complex, .description = description, .multiValued = true, .sub = valueParts};
}

constexpr std::array nameParts{plain("formatted", "Full name"),         plain("familyName", "Family name"),
                               plain("givenName", "Given name"),        plain("middleName", "Middle names"),
                               plain("honorificPrefix", "Ms., Dr., …"), plain("honorificSuffix", "III, M.D., …")};

constexpr std::array addressParts{plain("formatted", "Full address"), plain("streetAddress", "Street and house"),
                                  plain("locality", "City"),          plain("region", "State or region"),
                                  plain("postalCode", "Postal code"), plain("country", "ISO 3166-1 alpha-2"),
                                  plain("type", "work, home, other"), primaryFlag};

constexpr Attribute shownOnly(std::string_view name, std::string_view description, AttributeType type = String)
{
    return {.name = name, .type = type, .description = description, .caseExact = true, .mutability = ReadOnly};
}

constexpr std::array groupOfUserParts{shownOnly("value", "ID of the group"), shownOnly("$ref", "URL of the group", Reference),
                                      shownOnly("display", "Name of the group"), shownOnly("type", "direct")};

constexpr std::array roleParts{shownOnly("value", "guest, member, admin, super_admin or owner"),
                               shownOnly("primary", "Always true", Boolean)};

constexpr std::array userAttributes{
    Attribute{.name = "userName", .description = "Unique name of the user at the provider", .required = true, .uniqueness = "server"},
    Attribute{.name = "name", .type = Complex, .description = "Parts of the name", .sub = nameParts},
    plain("displayName", "Display name"),
    plain("nickName", "Nickname"),
    Attribute{.name = "profileUrl", .type = Reference, .description = "URL of the user's profile"},
    plain("title", "Title in the organization"),
    plain("userType", "Kind of employment"),
    plain("preferredLanguage", "As in Accept-Language"),
    plain("locale", "BCP 47"),
    plain("timezone", "Europe/Berlin"),
    Attribute{.name = "active", .type = Boolean, .description = "False if the membership is suspended"},
    several(
        "emails",
        "E-mail addresses. The account has the primary one, else the first of type work or no type, else userName if an address, else any"),
    several("phoneNumbers", "Telephone numbers"),
    several("ims", "Addresses for messages"),
    several("photos", "Pictures"),
    Attribute{.name = "addresses", .type = Complex, .description = "Postal addresses", .multiValued = true, .sub = addressParts},
    several("entitlements", "Entitlements at the provider; stored without effect"),
    Attribute{.name = "groups",
              .type = Complex,
              .description = "Groups of the user",
              .multiValued = true,
              .mutability = ReadOnly,
              .sub = groupOfUserParts},
    Attribute{.name = "roles",
              .type = Complex,
              .description = "Role in the organization, derived from groups of that name",
              .multiValued = true,
              .mutability = ReadOnly,
              .sub = roleParts},
    several("x509Certificates", "Certificates")};

constexpr std::array managerParts{Attribute{.name = "value", .description = "ID of the manager", .caseExact = true},
                                  Attribute{.name = "$ref", .type = Reference, .description = "URL of the manager"},
                                  shownOnly("displayName", "Name of the manager")};

constexpr std::array enterpriseAttributes{
    plain("employeeNumber", "Number of the employee"),
    plain("costCenter", "Cost center"),
    plain("organization", "Name of the organization"),
    plain("division", "Division"),
    plain("department", "Department"),
    Attribute{.name = "manager", .type = Complex, .description = "Manager of the user", .sub = managerParts}};

constexpr std::array memberParts{
    Attribute{.name = "value", .description = "ID of the user", .required = true, .caseExact = true, .mutability = Immutable},
    Attribute{.name = "$ref", .type = Reference, .description = "URL of the user", .mutability = Immutable},
    Attribute{.name = "type", .description = "User", .mutability = Immutable}, shownOnly("display", "Name of the user")};

constexpr std::array groupAttributes{
    Attribute{.name = "displayName",
              .description = "Name. Members of the groups guest, member and admin have that role",
              .required = true,
              .uniqueness = "server"},
    Attribute{.name = "members", .type = Complex, .description = "Members of the group", .multiValued = true, .sub = memberParts}};

constexpr std::array metaParts{shownOnly("resourceType", "User or Group"), shownOnly("created", "Time of creation", DateTime),
                               shownOnly("lastModified", "Time of the last change", DateTime),
                               shownOnly("location", "URL of the resource", Reference), shownOnly("version", "Entity tag")};

/// Attributes of every kind, in no schema (RFC 7643, 3.1).
constexpr std::array commonAttributes{
    Attribute{.name = "id", .caseExact = true, .mutability = ReadOnly, .uniqueness = "server", .returned = "always"},
    Attribute{.name = "externalId", .description = "Identifier at the provider", .caseExact = true},
    Attribute{.name = "schemas", .type = Reference, .multiValued = true, .caseExact = true, .returned = "always"},
    Attribute{.name = "meta", .type = Complex, .mutability = ReadOnly, .sub = metaParts}};

constexpr Schema userSchema{"urn:ietf:params:scim:schemas:core:2.0:User", "User", "User of the organization", userAttributes};
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
