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
    MergeRoutes(PluginContext& context, MergeService& service) : _context(context), _service(service) {}
    void declare(Routes& routes);

    Page<DuplicatePair> list(const Caller& caller, const Query<DuplicateFilter>& filter, const Paging& paging) const;

private:
    PluginContext& _context;
    MergeService& _service;
};

} // namespace portico::crm
