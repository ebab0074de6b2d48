#include "scim/Groups.h"

#include "audit/Audit.h"
#include "organizations/Invitations.h"
#include "sessions/SessionEvents.h"

#include "portico/Problem.h"

#include <algorithm>
#include <iterator>

namespace portico::identity::scim
{

namespace
{

Problem groupNameTaken() { return Problem::conflict("uniqueness", "There is a group of that name already."); }

GroupId groupIdOf(std::string_view id)
{
    const auto parsed = GroupId::parse(id);
    if (!parsed) throw Problem::notFound();
    return *parsed;
}

std::set<std::string> membersOf(const boost::json::object& resource)
{
    std::set<std::string> members;
    const auto* list = resource.if_contains("members");
    if (list == nullptr || !list->is_array()) return members;
    for (const auto& one : list->get_array())
        if (one.is_object()) members.insert(textOf(one.get_object(), "value"));
    return members;
}

std::set<std::string> membersOf(Session& session, const OrganizationId& organization, const GroupId& id)
{
    const auto all = session.values<std::string>("SELECT user_id FROM scim_group_members WHERE organization_id = $1 AND group_id = $2",
                                                 organization, id);
    return {all.begin(), all.end()};
}

template <class Set>
Set difference(const Set& from, const Set& without)
{
    Set rest;
    std::ranges::set_difference(from, without, std::inserter(rest, rest.end()));
    return rest;
}

void requireFreeName(Session& session, const OrganizationId& organization, const Group& group)
{
    if (session.value<std::int64_t>("SELECT 1 FROM scim_groups WHERE organization_id = $1 AND display_name_key = $2 AND id <> $3",
                                    organization, group.displayNameKey, group.id))
        throw groupNameTaken();
}

void rename(Group& group, const boost::json::object& resource)
{
    group.displayName = textOf(resource, "displayName");
    group.displayNameKey = nameKey(group.displayName);
    const auto externalId = textOf(resource, "externalId");
    group.externalId = externalId.empty() ? std::nullopt : std::optional(externalId);
}

/// Whom a change concerns: with another role all, else those who come or go.
std::set<std::string> concerned(std::optional<Role> roleBefore, std::optional<Role> roleAfter, const std::set<std::string>& before,
                                const std::set<std::string>& after)
{
    auto all = roleBefore == roleAfter ? difference(before, after) : before;
    if (!roleBefore && !roleAfter) return {};
    const auto more = roleBefore == roleAfter ? difference(after, before) : after;
    all.insert(more.begin(), more.end());
    return all;
}

/// Returns the role that a user had before groups changed it. @param keep role to store if none is stored; empty to delete it
std::optional<Role> exchangeRoleBefore(Transaction& transaction, const OrganizationId& organization, const UserId& user,
                                       std::optional<Role> keep)
{
    std::optional<Role> before;
    for (Row row : transaction.query("SELECT role_before_groups FROM memberships WHERE organization_id = $1 AND user_id = $2 AND "
                                     "role_before_groups IS NOT NULL",
                                     organization, user))
        before = parseEnum<Role>(row.text(0));
    if (before.has_value() != keep.has_value())
        transaction.execute("UPDATE memberships SET role_before_groups = $3 WHERE organization_id = $1 AND user_id = $2", organization,
                            user, keep ? std::optional<std::string>(toString(*keep)) : std::nullopt);
    return before;
}

} // namespace

std::optional<Role> Group::role() const
{
    // Groups grant no higher roles: those require an actor with a higher rank.
    for (const auto one : {Role::Guest, Role::Member, Role::Admin})
        if (displayNameKey == toString(one)) return one;
    return std::nullopt;
}

boost::json::object Groups::resource(Session& session, const OrganizationId& organization, const Group& group, bool whole) const
{
    boost::json::object out;
    out["schemas"] = boost::json::array{keyOf(groupKind().schema.urn)};
    out["id"] = group.id.text();
    if (group.externalId) out["externalId"] = *group.externalId;
    out["displayName"] = group.displayName;
    boost::json::array members;
    if (whole)
        for (Row row : session.query("SELECT u.id, u.display_name FROM scim_group_members gm JOIN users u ON u.id = gm.user_id "
                                     "WHERE gm.organization_id = $1 AND gm.group_id = $2 ORDER BY u.id",
                                     organization, group.id))
        {
            const auto id = row.get<std::string>(0);
            members.push_back({{"value", id}, {"$ref", _base + "/Users/" + id}, {"type", "User"}, {"display", row.get<std::string>(1)}});
        }
    if (!members.empty()) out["members"] = std::move(members);
    out["meta"] = {{"resourceType", "Group"},
                   {"created", toString(group.createdAt)},
                   {"lastModified", toString(group.updatedAt)},
                   {"location", _base + "/Groups/" + group.id.text()},
                   {"version", "W/\"" + std::to_string(group.version) + '"'}};
    return out;
}

boost::json::object Groups::find(const Call& call, std::string_view id, const Projection& projection) const
{
    auto session = _core.database.snapshot();
    const auto group = groupTable.require(session, call.organization, groupIdOf(id));
    return resource(session, call.organization, group, projection.shows("members"));
}

boost::json::object Groups::list(const Call& call, const ListQuery& query) const
{
    auto session = _core.database.snapshot();
    auto select = groupTable.select(call.organization);
    const auto name = query.filter ? query.filter->demanded("displayName") : std::nullopt;
    if (name) select.where(&Group::displayNameKey, nameKey(*name));
    if (const auto id = query.filter ? query.filter->demanded("id") : std::nullopt)
        select.where(&Group::id, GroupId::parse(*id).value_or(GroupId()));
    const auto groups = select.orderBy(&Group::id).all(session);
    ListBuilder builder(query);
    // A filter may refer to members even if the answer does not show them.
    const bool whole = query.filter || query.projection.shows("members");
    for (std::size_t i = 0; i < groups.size(); ++i)
    {
        const auto place = static_cast<std::int64_t>(i) + 1;
        const bool shown = query.filter || (place >= query.startIndex && place < query.startIndex + query.count);
        builder.add(resource(session, call.organization, groups[i], whole && shown));
    }
    return std::move(builder).response();
}

boost::json::object Groups::create(const Call& call, const boost::json::object& sent)
{
    const auto wanted = readResource(sent, groupKind());
    std::vector<UserId> changed;
    auto shown = _core.changes.run({call.organization},
                                   [&](Transaction& transaction)
                                   {
                                       const auto now = _core.clock.now();
                                       organizations::lock(transaction, call.organization);
                                       Group group;
                                       rename(group, wanted);
                                       requireFreeName(transaction, call.organization, group);
                                       group = groupTable.create(transaction, call.organization, group, {now});
                                       const auto members = membersOf(wanted);
                                       write(transaction, call.organization, group, {}, members);
                                       AuditLog::of(call.request, now).record(transaction, "scim.group_created", group.id);
                                       changed = settleRoles(transaction, call, concerned({}, group.role(), {}, members));
                                       return resource(transaction, call.organization, group, true);
                                   });
    tell(changed);
    return shown;
}

boost::json::object Groups::change(const Call& call, std::string_view id, std::string_view ifMatch, const Edit& edit)
{
    const auto groupId = groupIdOf(id);
    std::vector<UserId> changed;
    auto answer =
        _core.changes.run({call.organization},
                          [&](Transaction& transaction)
                          {
                              const auto now = _core.clock.now();
                              organizations::lock(transaction, call.organization);
                              const auto group = groupTable.require(transaction, call.organization, groupId);
                              const auto shown = resource(transaction, call.organization, group, true);
                              requireVersion(ifMatch, shown);
                              const auto after = edit(shown);
                              const auto before = membersOf(shown);
                              const auto members = membersOf(after);
                              auto renamed = group;
                              rename(renamed, after);
                              requireFreeName(transaction, call.organization, renamed);
                              renamed.version = group.version + 1;
                              renamed.updatedAt = now;
                              groupTable.set(transaction, call.organization, groupId, {now}, &Group::displayName, renamed.displayName,
                                             &Group::displayNameKey, renamed.displayNameKey, &Group::externalId, renamed.externalId);
                              write(transaction, call.organization, renamed, before, members);
                              AuditLog::of(call.request, now).record(transaction, "scim.group_updated", groupId, call.budget.details());
                              changed = settleRoles(transaction, call, concerned(group.role(), renamed.role(), before, members));
                              return resource(transaction, call.organization, renamed, true);
                          });
    tell(changed);
    return answer;
}

void Groups::write(Transaction& transaction, const OrganizationId& organization, const Group& group, const Members& before,
                   const Members& after) const
{
    for (const auto& gone : difference(before, after))
        transaction.execute("DELETE FROM scim_group_members WHERE organization_id = $1 AND group_id = $2 AND user_id = $3", organization,
                            group.id, gone);
    for (const auto& added : difference(after, before))
    {
        const auto user = UserId::parse(added);
        if (!user || !people::find(transaction, organization, *user))
            throw Problem::badRequest("invalidValue", "A member of the group does not belong to the organization.");
        transaction.execute("INSERT INTO scim_group_members (organization_id, group_id, user_id) VALUES ($1, $2, $3)", organization,
                            group.id, *user);
    }
}

std::vector<UserId> Groups::settleRoles(Transaction& transaction, const Call& call, const Members& concerned) const
{
    std::vector<UserId> changed;
    if (concerned.empty()) return changed;
    const auto now = _core.clock.now();
    std::map<std::string, Role, std::less<>> given;
    for (Row row : transaction.query(
             "SELECT gm.user_id, g.display_name_key FROM scim_group_members gm JOIN scim_groups g "
             "ON g.organization_id = gm.organization_id AND g.id = gm.group_id WHERE gm.organization_id = $1 AND g.display_name_key IN "
             "('guest', 'member', 'admin')",
             call.organization))
    {
        const auto role = parseEnum<Role>(row.text(1)).value_or(Role::Guest);
        auto& best = given.try_emplace(row.get<std::string>(0), role).first->second;
        best = std::max(best, role);
    }
    for (const auto& id : concerned)
    {
        const auto user = UserId::parse(id);
        const auto person = user ? people::find(transaction, call.organization, *user) : std::nullopt;
        if (!person || !isWithinReach(transaction, *person)) continue;
        const auto found = given.find(id);
        const bool isGiven = found != given.end();
        const auto before = exchangeRoleBefore(transaction, call.organization, *user, isGiven ? std::optional(person->role) : std::nullopt);
        // Without a stored role, an administrator has assigned the current one.
        const auto role = isGiven ? found->second : before.value_or(person->role);
        if (role == person->role) continue;
        auto membership = membershipTable.find(transaction, call.organization, *user).value();
        membership.role = role;
        memberships::changeAs(transaction, rank(Role::SuperAdmin), call.organization, membership, now);
        AuditLog::of(call.request, now).record(transaction, "membership.changed", id, {{"from", person->role}, {"to", role}});
        changed.push_back(*user);
    }
    return changed;
}

void Groups::tell(const std::vector<UserId>& changed) const
{
    if (changed.empty()) return;
    auto session = _core.database.session();
    for (const auto& id : changed)
        if (const auto user = users::find(session, id.text())) _core.sessionEvents.revised(id.text(), user->revision);
}

void Groups::remove(const Call& call, std::string_view id, std::string_view ifMatch)
{
    const auto groupId = groupIdOf(id);
    std::vector<UserId> changed;
    _core.changes.run({call.organization},
                      [&](Transaction& transaction)
                      {
                          organizations::lock(transaction, call.organization);
                          const auto group = groupTable.require(transaction, call.organization, groupId);
                          requireVersion(ifMatch, resource(transaction, call.organization, group, false));
                          const auto members = membersOf(transaction, call.organization, groupId);
                          write(transaction, call.organization, group, members, {});
                          groupTable.erase(transaction, call.organization, groupId);
                          AuditLog::of(call.request, _core.clock.now()).record(transaction, "scim.group_deleted", groupId);
                          changed = settleRoles(transaction, call, concerned(group.role(), {}, members, {}));
                      });
    tell(changed);
}

} // namespace portico::identity::scim
