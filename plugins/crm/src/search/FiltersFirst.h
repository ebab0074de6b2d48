#pragma once

#include "search/RankedSearch.h"

namespace portico::crm
{

/// Reads all contacts that the filters allow, which are few, and looks for the words in them.
class FiltersFirst final : public RankedSearch
{
public:
    FiltersFirst(Session& session, const std::vector<std::string>& words, SqlConditions filters)
        : RankedSearch(session, words, std::move(filters))
    {
    }
    std::string_view name() const noexcept override { return "filters_first"; }

private:
    void read() override;
};

} // namespace portico::crm
