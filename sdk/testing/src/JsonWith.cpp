#include "portico/testing/JsonWith.h"

#include "portico/Json.h"

#include <stdexcept>

namespace portico::testing
{

std::string fillJson(std::string_view pattern, std::initializer_list<std::string> values)
{
    std::string json;
    const auto* next = values.begin();
    bool inString = false;
    for (std::size_t i = 0; i < pattern.size(); ++i)
    {
        if (pattern[i] == '"') inString = !inString;
        if (pattern[i] != '$')
        {
            json += pattern[i];
            if (pattern[i] == '\\' && i + 1 < pattern.size()) json += pattern[++i];
            continue;
        }
        if (next == values.end()) throw std::logic_error("more $ than values: " + std::string(pattern));
        std::string quoted;
        if (inString) appendJsonString(quoted, *next);
        json += inString ? std::string_view(quoted).substr(1, quoted.size() - 2) : std::string_view(*next);
        ++next;
    }
    if (next != values.end()) throw std::logic_error("more values than $: " + std::string(pattern));
    return json;
}

} // namespace portico::testing
