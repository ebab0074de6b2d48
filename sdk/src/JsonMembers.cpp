#include "JsonMembers.h"

#include <algorithm>

namespace portico::detail
{

namespace
{

/// Where a text ends that starts with its quote: one past the closing quote.
std::size_t endOfString(std::string_view text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at + 1;
}

/// Where `"name":value` ends: at the comma after it or at the end.
std::size_t endOfMember(std::string_view text, std::size_t at)
{
    int depth = 0;
    while (at < text.size() && (depth > 0 || text[at] != ','))
    {
        const char c = text[at];
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        at = c == '"' ? endOfString(text, at) : at + 1;
    }
    return std::min(at, text.size());
}

} // namespace

bool isSelected(const FieldSelection* fields, std::string_view name)
{
    return !fields || fields->empty() || name == "id" || std::find(fields->begin(), fields->end(), name) != fields->end();
}

void appendMembers(std::string& out, std::string_view object, const FieldSelection* fields, bool first)
{
    if (object.size() <= 2) return;
    const auto members = object.substr(1, object.size() - 2);
    const bool all = !fields || fields->empty();
    for (std::size_t at = 0; at < members.size();)
    {
        const auto end = all ? members.size() : endOfMember(members, at);
        const auto name = members.substr(at + 1, endOfString(members, at) - at - 2);
        if (all || isSelected(fields, name))
        {
            if (!first) out += ',';
            first = false;
            out += members.substr(at, end - at);
        }
        at = end + 1;
    }
}

} // namespace portico::detail
