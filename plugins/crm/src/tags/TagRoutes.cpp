#include "tags/TagRoutes.h"

#include "contacts/ContactRules.h"
#include "contacts/ContactSweep.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

bool contains(const std::vector<std::string>& tags, const std::string& tag)
{
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

} // namespace

void TagRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("tags:read", "tags.read");
    const auto writes = access::bearerOrKey("tags:write", "tags.write");
    routes.get("/api/tags", reads, &TagRoutes::list, this, {.summary = "List the tags in use"})
        .put("/api/tags/{tag}", writes, &TagRoutes::update, this, {.summary = "Rename a tag or merge it into another"})
        .del("/api/tags/{tag}", writes, &TagRoutes::remove, this, {.summary = "Remove a tag from all contacts"});
}

Page<Tag> TagRoutes::list(const Caller& caller, const Query<TagFilter>& filter, const Paging& paging) const
{
    auto snapshot = _context.database().snapshot();
    return listTags(snapshot, caller.tenant(), *filter, paging);
}

Tag TagRoutes::update(const Caller& caller, const Path<std::string>& tag, const Body<Patch<Tag>>& body)
{
    const auto tenant = caller.tenant();
    const std::string& old = *tag;
    Tag wanted{old};
    body->applyTo(wanted);
    wanted.name = tagOf(wanted.name);
    if (wanted.name.empty()) throw Problem::invalid("name", "required", "Must not be empty");
    const auto before = require(tenant, old);
    if (wanted.name == old) return before;
    changeContactsWith(tenant, old,
                       [&](std::vector<std::string>& tags)
                       {
                           if (contains(tags, wanted.name))
                               std::erase(tags, old);
                           else
                               std::replace(tags.begin(), tags.end(), old, wanted.name);
                       });
    auto session = _context.database().session();
    wanted.contactCount = countTag(session, tenant, wanted.name);
    return wanted;
}

Deleted<std::string, "name"> TagRoutes::remove(const Caller& caller, const Path<std::string>& tag)
{
    const auto tenant = caller.tenant();
    require(tenant, *tag);
    changeContactsWith(tenant, *tag, [&](std::vector<std::string>& tags) { std::erase(tags, *tag); });
    return {*tag};
}

Tag TagRoutes::require(Tenant tenant, const std::string& tag) const
{
    auto session = _context.database().session();
    const auto count = countTag(session, tenant, tag);
    if (count == 0) throw Problem::notFound();
    return {tag, count};
}

void TagRoutes::changeContactsWith(Tenant tenant, const std::string& tag, const std::function<void(std::vector<std::string>& tags)>& change)
{
    const auto changeOne = [&](Contact& contact)
    {
        if (!contains(contact.tags, tag)) return false;
        change(contact.tags);
        return true;
    };
    std::vector<ContactId> ids;
    do {
        const std::string last = ids.empty() ? std::string() : ids.back().text();
        ids = _context.database().transact(
            [&](Transaction& transaction)
            {
                auto next = contactsWithTag(transaction, tenant, tag, last, sweepBatch);
                changeContacts(_context, transaction, tenant, next, changeOne);
                return next;
            });
    } while (ids.size() == static_cast<std::size_t>(sweepBatch));
}

} // namespace portico::crm
