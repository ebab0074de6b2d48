#pragma once

#include "tags/Tag.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <functional>

namespace portico::crm
{

/// /api/tags. Thread-safe.
class TagRoutes
{
public:
    explicit TagRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);

    Page<Tag> list(const Caller& caller, const Query<TagFilter>& filter, const Paging& paging) const;
    /// Renames a tag in all contacts. If the new name exists, both become one tag. @throws Problem 400, 404
    Tag update(const Caller& caller, const Path<std::string>& tag, const Body<Patch<Tag>>& body);
    /// Removes a tag from all contacts. @throws Problem 404
    Deleted<std::string, "name"> remove(const Caller& caller, const Path<std::string>& tag);

private:
    /// @throws Problem 404
    Tag require(Tenant tenant, const std::string& tag) const;
    /// Changes the contacts with a tag in batches, so that other writers need not wait for all. Concurrent changes are kept. After a crash,
    /// the same call continues.
    void changeContactsWith(Tenant tenant, const std::string& tag, const std::function<void(std::vector<std::string>& tags)>& change);

    PluginContext& _context;
};

} // namespace portico::crm
