#include "search/FiltersFirst.h"

#include "search/ContactText.h"
#include "text/SearchWords.h"

#include <algorithm>
#include <utility>

namespace portico::crm
{

void FiltersFirst::read()
{
    for (Row row : _session.queryValues(_statements.filtered(_filters), _filters.values()))
    {
        const auto text = row.text(4);
        if (!hasWords(text, _words)) continue;
        const bool begins = row.get<bool>(1) && beginsAll(text);
        if (!begins && _longWords.empty()) continue;
        SearchPlace place{true, _place.leading, {}, {}, row.get<std::int64_t>(0)};
        if (begins) place = {false, _place.leading, firstKey(text), std::string(searchName(text)), place.row};
        if (_place.isBefore(place)) _found.push_back({std::move(place), row.get<std::string>(3)});
    }
    std::sort(_found.begin(), _found.end(), [](const auto& left, const auto& right) { return left.place.isBefore(right.place); });
    takeFound();
}

} // namespace portico::crm
