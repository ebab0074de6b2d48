#pragma once

#include "contacts/ContactStore.h"
#include "tags/TagStore.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <functional>

namespace portico::crm
{

/// /api/tags. Thread-safe.
class TagRoutes
{
public:
    TagRoutes(PluginContext& context, const ContactStore& contacts);
    void declare(Routes& routes);

    Page<Tag> list(const Caller& caller, const Query<TagFilter>& filter, const Paging& paging) const;
    /// Renames a tag, or joins it with one that exists, in all contacts. @throws Problem 400, 404
    Tag update(const Caller& caller, const Path<std::string>& tag, const Body<Patch<Tag>>& body);
    /// Takes a tag from all contacts. @throws Problem 404
    DeletedTag remove(const Caller& caller, const Path<std::string>& tag);

private:
    /// @throws Problem 404
    Tag require(Tenant tenant, const std::string& tag) const;
    /// Changes the contacts that have a tag, some at a time, so that others need not wait for all. Nothing is lost of what they write
    /// meanwhile; after a crash in the middle, the same call does the rest.
    void changeContactsWith(Tenant tenant, const std::string& tag, const std::function<void(std::vector<std::string>& tags)>& change);

    PluginContext& _context;
    const ContactStore& _contacts;
    TagStore _store;
};

} // namespace portico::crm
