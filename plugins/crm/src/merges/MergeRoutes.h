#pragma once

#include "merges/DuplicatePair.h"
#include "merges/MergeService.h"

#include "portico/Results.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// Duplicates, and merging them. Thread-safe.
class MergeRoutes
{
public:
    MergeRoutes(PluginContext& context, const ContactStore& contacts, MergeService& service);
    void declare(Routes& routes);

    Page<DuplicatePair> list(const Caller& caller, const Query<DuplicateFilter>& filter, const Paging& paging) const;
    MergeResult merge(const Caller& caller, const Path<ContactId>& id, const Body<MergeInput>& body, const IfMatch& ifMatch);
    UndoneMerge undo(const Caller& caller, const Path<MergeId>& id);

private:
    PluginContext& _context;
    const ContactStore& _contacts;
    MergeService& _service;
};

} // namespace portico::crm
