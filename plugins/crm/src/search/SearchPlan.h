#pragma once

#include "records/ContactView.h"

#include "portico/Arguments.h"
#include "portico/Results.h"

#include <optional>
#include <string_view>

namespace portico::crm
{

/// A way to find the contacts that have all words of a search. README.md says when each is chosen. Used by one thread, for one page; what
/// it was made with outlives it.
class SearchPlan
{
public:
    virtual ~SearchPlan() = default;
    virtual std::string_view name() const noexcept = 0;
    /// One page. Empty: another way is cheaper.
    virtual std::optional<Page<ContactView>> find(const Paging& paging) = 0;
};

} // namespace portico::crm
