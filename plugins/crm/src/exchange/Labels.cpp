#include "exchange/Labels.h"

#include "text/Folding.h"

#include <array>
#include <utility>

namespace portico::crm
{

namespace
{

constexpr auto knownLabels = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"work", "work"},
    {"business", "work"},
    {"home", "home"},
    {"personal", "home"},
    {"other", "other"},
    {"mobile", "mobile"},
    {"cell", "mobile"},
    {"cellular", "mobile"},
    {"iphone", "mobile"},
    {"main", "main"},
    {"fax", "fax"},
    {"workfax", "work fax"},
    {"businessfax", "work fax"},
    {"homefax", "home fax"},
    {"otherfax", "fax"},
    {"pager", "pager"},
    {"car", "car"},
});

} // namespace

std::string plainLabel(std::string_view label)
{
    label = trim(label);
    if (label.starts_with("_$!<") && label.ends_with(">!$_")) label = label.substr(4, label.size() - 8);
    std::string key;
    for (const char c : fold(label))
        if (c != ' ' && c != '_' && c != '-') key += c;
    for (const auto& [name, plain] : knownLabels)
        if (name == key) return std::string(plain);
    return std::string(label);
}

std::string capitalLabel(std::string_view label)
{
    std::string capital(label);
    for (const auto& [name, plain] : knownLabels)
    {
        if (plain != label) continue;
        bool first = true;
        for (char& c : capital)
        {
            if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
            first = c == ' ';
        }
        break;
    }
    return capital;
}

} // namespace portico::crm
