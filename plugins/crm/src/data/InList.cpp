#include "data/InList.h"

namespace portico::crm
{

void appendPlaceholders(std::string& text, std::size_t first, std::size_t count)
{
    for (std::size_t i = first; i < first + count; ++i) (text += i == first ? "$" : ", $") += std::to_string(i);
}

std::string InList::statement(std::size_t length) const
{
    const auto place = _query.find("{}");
    std::string text(_query.substr(0, place));
    text += '(';
    appendPlaceholders(text, _before + 1, length);
    text += ')';
    return text += _query.substr(place + 2);
}

} // namespace portico::crm
