#include "data/SqlText.h"

namespace portico::crm
{

std::string SqlConditions::bind(std::string value)
{
    _values.emplace_back(std::string_view(_kept.emplace_back(std::move(value))));
    return '$' + std::to_string(_values.size());
}

std::string SqlConditions::bind(std::int64_t value)
{
    _values.emplace_back(value);
    return '$' + std::to_string(_values.size());
}

void SqlConditions::add(std::string_view condition)
{
    if (!_text.empty()) _text += " AND ";
    _text += condition;
}

std::string SqlConditions::bind(const std::vector<std::string>& values)
{
    std::string list;
    for (const auto& value : values) (list += list.empty() ? "(" : ", ") += bind(value);
    return list + ')';
}

void SqlConditions::addIn(std::string_view column, const std::vector<std::string>& values)
{
    add(std::string(column) + " IN " + bind(values));
}

std::string containsPattern(std::string_view text)
{
    std::string pattern = "%";
    for (const char c : text)
    {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + '%';
}

std::string_view forUpdate(const Session& session) { return session.dialect() == Dialect::PostgreSQL ? " FOR UPDATE" : ""; }

std::string_view forUpdateOfFree(const Session& session)
{
    return session.dialect() == Dialect::PostgreSQL ? " FOR UPDATE SKIP LOCKED" : "";
}

std::string_view forKeysOfFree(const Session& session)
{
    return session.dialect() == Dialect::PostgreSQL ? " FOR KEY SHARE SKIP LOCKED" : "";
}

} // namespace portico::crm
