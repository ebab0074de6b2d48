#include "scim/People.h"

#include "portico/Crypto.h"
#include "portico/Http.h"
#include "portico/Problem.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace portico::identity::scim
{

namespace
{

constexpr std::string_view selectPersons =
    "SELECT u.id, u.email, u.display_name, u.given_name, u.family_name, u.locale, u.timezone, u.status AS user_status, u.platform_role, "
    "m.role, m.status AS membership_status, m.joined_at, m.updated_at AS membership_updated_at, s.user_name, s.external_id, s.attributes, "
    "s.updated_at AS profile_updated_at FROM memberships m JOIN users u ON u.id = m.user_id "
    "LEFT JOIN scim_users s ON s.organization_id = m.organization_id AND s.user_id = m.user_id "
    "WHERE m.organization_id = $1 AND m.status IN ('active', 'suspended') AND u.principal_type = 'user'";

std::string select(std::string_view rest) { return std::string(selectPersons) + std::string(rest); }

/// Returns the attributes of a person without data from a directory.
boost::json::object attributesOf(const Person& person)
{
    boost::json::object attributes;
    boost::json::object name;
    if (!person.givenName.empty()) name["givenName"] = person.givenName;
    if (!person.familyName.empty()) name["familyName"] = person.familyName;
    if (!person.displayName.empty()) name["formatted"] = person.displayName;
    if (!name.empty()) attributes["name"] = std::move(name);
    attributes["displayName"] = person.displayName;
    if (!person.locale.empty()) attributes["locale"] = person.locale;
    if (!person.timezone.empty()) attributes["timezone"] = person.timezone;
    attributes["emails"] = boost::json::array{{{"value", person.email}, {"type", "work"}, {"primary", true}}};
    return attributes;
}

std::string serialized(const boost::json::object& object)
{
    const auto text = boost::json::serialize(object);
    return {text.data(), text.size()};
}

} // namespace

namespace people
{

std::optional<Person> find(Session& session, const OrganizationId& organization, const UserId& id)
{
    return session.one<Person>(select(" AND u.id = $2"), organization, id);
}

std::vector<Person> page(Session& session, const OrganizationId& organization, const std::string& behindId, std::int64_t most)
{
    return session.all<Person>(select(" AND u.id > $2 ORDER BY u.id LIMIT $3"), organization, behindId, most);
}

std::vector<Person> slice(Session& session, const OrganizationId& organization, std::int64_t offset, std::int64_t most)
{
    return session.all<Person>(select(" ORDER BY u.id LIMIT $2 OFFSET $3"), organization, most, offset);
}

std::int64_t count(Session& session, const OrganizationId& organization)
{
    return session
        .value<std::int64_t>("SELECT COUNT(*) FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND "
                             "m.status IN ('active', 'suspended') AND u.principal_type = 'user'",
                             organization)
        .value_or(0);
}

std::vector<Person> byUserName(Session& session, const OrganizationId& organization, std::string_view userName)
{
    // Each half has its index; in one condition neither would be used.
    auto found = session.all<Person>(select(" AND s.user_name_key = $2"), organization, nameKey(userName));
    auto others = session.all<Person>(select(" AND u.email_key = $2 AND s.user_name_key IS NULL"), organization, emailKey(userName));
    std::ranges::move(others, std::back_inserter(found));
    return found;
}

std::vector<Person> byExternalId(Session& session, const OrganizationId& organization, std::string_view externalId)
{
    return session.all<Person>(select(" AND s.external_id = $2 ORDER BY u.id"), organization, externalId);
}

std::map<std::string, GroupNames, std::less<>> groupsOf(Session& session, const OrganizationId& organization,
                                                        const std::vector<Person>& persons)
{
    std::map<std::string, GroupNames, std::less<>> groups;
    if (persons.empty()) return groups;
    std::string places;
    std::vector<SqlValue> values{SqlValue(organization)};
    for (const auto& person : persons)
    {
        values.push_back(SqlValue(person.id));
        places += (places.empty() ? "$" : ", $") + std::to_string(values.size());
    }
    for (Row row : session.queryValues("SELECT gm.user_id, g.id, g.display_name FROM scim_group_members gm "
                                       "JOIN scim_groups g ON g.organization_id = gm.organization_id AND g.id = gm.group_id WHERE "
                                       "gm.organization_id = $1 AND gm.user_id IN (" +
                                           places + ") ORDER BY g.id",
                                       values))
        groups[row.get<std::string>(0)].emplace_back(row.get<std::string>(1), row.get<std::string>(2));
    return groups;
}

void keep(Transaction& transaction, const OrganizationId& organization, const UserId& id, const boost::json::object& resource, Instant now)
{
    auto attributes = resource;
    for (const auto* name : {"schemas", "id", "meta", "userName", "externalId", "active", "groups", "roles"}) attributes.erase(name);
    const auto userName = textOf(resource, "userName");
    const auto externalId = textOf(resource, "externalId");
    transaction.execute("INSERT INTO scim_users (organization_id, user_id, user_name, user_name_key, external_id, attributes, created_at, "
                        "updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) ON CONFLICT (organization_id, user_id) DO UPDATE SET "
                        "user_name = excluded.user_name, user_name_key = excluded.user_name_key, external_id = excluded.external_id, "
                        "attributes = excluded.attributes, updated_at = excluded.updated_at",
                        organization, id, userName, nameKey(userName),
                        externalId.empty() ? std::optional<std::string>() : std::optional(externalId), serialized(attributes), now);
}

boost::json::object resource(const Person& person, const GroupNames& groups, std::string_view base)
{
    boost::json::object out;
    boost::json::array schemas{keyOf(userKind().schema.urn)};
    out["schemas"] = nullptr;
    out["id"] = person.id.text();
    if (person.externalId) out["externalId"] = *person.externalId;
    out["userName"] = person.userName.value_or(person.email);
    const auto attributes = person.attributes ? boost::json::parse(*person.attributes).as_object() : attributesOf(person);
    for (const auto& [key, value] : attributes) out[key] = value;
    if (out.contains(keyOf(userKind().extension->urn))) schemas.emplace_back(keyOf(userKind().extension->urn));
    out["schemas"] = std::move(schemas);
    out["active"] = person.active();
    boost::json::array shown;
    for (const auto& [id, name] : groups)
        shown.push_back({{"value", id}, {"$ref", std::string(base) + "/Groups/" + id}, {"display", name}, {"type", "direct"}});
    if (!shown.empty()) out["groups"] = std::move(shown);
    out["roles"] = boost::json::array{{{"value", toString(person.role)}, {"primary", true}}};
    const auto version = "W/\"" + toBase64Url(sha256(serialized(out)).bytes().substr(0, 12)) + '"';
    const auto changed = std::max(person.membershipUpdatedAt, person.profileUpdatedAt.value_or(person.membershipUpdatedAt));
    out["meta"] = {{"resourceType", "User"},
                   {"created", toString(person.joinedAt)},
                   {"lastModified", toString(changed)},
                   {"location", std::string(base) + "/Users/" + person.id.text()},
                   {"version", version}};
    return out;
}

} // namespace people

std::string versionOf(const boost::json::object& resource) { return textOf(resource, "meta", "version"); }

void requireVersion(std::string_view ifMatch, const boost::json::object& resource)
{
    if (ifMatch.empty() || namesEntityTag(ifMatch, versionOf(resource))) return;
    throw Problem(412, "version_conflict", "The resource has changed since you read it.");
}

} // namespace portico::identity::scim
