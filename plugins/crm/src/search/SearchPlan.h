#pragma once

#include "records/ContactView.h"

#include "portico/Arguments.h"
#include "portico/Results.h"

#include <optional>
#include <string_view>

namespace portico::crm
{

/// Plan for finding the contacts that have all words of a search. README.md explains when each is chosen. Used by one thread, for one page.
/// Its arguments must outlive it.
class SearchPlan
{
public:
    virtual ~SearchPlan() = default;
    virtual std::string_view name() const noexcept = 0;
    /// One page. Empty: another way is cheaper.
    virtual std::optional<Page<ContactView>> find(const Paging& paging) = 0;
};

} // namespace portico::crm
