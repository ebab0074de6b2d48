#include "exchange/Binding.h"

#include "portico/Text.h"

namespace portico::crm
{

namespace
{

constexpr std::string_view needEscaping = ",;\\";

std::string_view separatorOf(ListStyle style)
{
    switch (style)
    {
    case ListStyle::Colons:
        return " ::: ";
    case ListStyle::Semicolon:
        return ";";
    default:
        return {};
    }
}

void add(std::vector<std::string>& values, std::string_view value)
{
    if (const auto text = trim(value); !text.empty()) values.emplace_back(text);
}

std::vector<std::string> splitEscaped(std::string_view cell)
{
    std::vector<std::string> values;
    std::string value;
    for (std::size_t i = 0; i < cell.size(); ++i)
    {
        if (cell[i] == '\\' && i + 1 < cell.size() && needEscaping.find(cell[i + 1]) != std::string_view::npos)
            value += cell[++i];
        else if (cell[i] == ',' || cell[i] == ';')
        {
            add(values, value);
            value.clear();
        }
        else
            value += cell[i];
    }
    add(values, value);
    return values;
}

} // namespace

std::vector<std::string> splitList(std::string_view cell, ListStyle style)
{
    if (style == ListStyle::Escaped) return splitEscaped(cell);
    std::vector<std::string> values;
    const auto separator = separatorOf(style);
    while (!separator.empty())
    {
        const auto at = cell.find(separator);
        if (at == std::string_view::npos) break;
        add(values, cell.substr(0, at));
        cell.remove_prefix(at + separator.size());
    }
    add(values, cell);
    return values;
}

std::string joinList(const std::vector<std::string>& values, ListStyle style)
{
    const auto separator = style == ListStyle::Escaped ? std::string_view(";") : separatorOf(style);
    std::string cell;
    for (const auto& value : values)
    {
        if (!cell.empty()) cell += separator;
        for (const char c : value)
        {
            if (style == ListStyle::Escaped && needEscaping.find(c) != std::string_view::npos) cell += '\\';
            cell += c;
        }
    }
    return cell;
}

} // namespace portico::crm
