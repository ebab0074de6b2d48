#pragma once

#include "portico/Database.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Conditions and their values for a statement that is put together at run time: only texts of ours get into the SQL, values are bound.
class SqlConditions
{
public:
    /// The placeholder of a value, which is kept here.
    std::string bind(std::string value);
    std::string bind(std::int64_t value);

    /// `($3, $4)`.
    std::string bind(const std::vector<std::string>& values);

    /// Adds a condition; all of them must hold.
    void add(std::string_view condition);
    /// `column IN ($3, $4)`.
    void addIn(std::string_view column, const std::vector<std::string>& values);

    /// The conditions, joined by AND.
    const std::string& text() const noexcept { return _text; }
    const std::vector<SqlValue>& values() const noexcept { return _values; }

private:
    std::string _text;
    std::vector<SqlValue> _values;
    /// Values are views of these; a deque does not move them.
    std::deque<std::string> _kept;
};

/// The pattern for LIKE … ESCAPE '\' that finds a text anywhere.
std::string containsPattern(std::string_view text);

/// What a SELECT ends with to keep its rows from other writers until the end of the transaction. SQLite has one writer anyway.
std::string_view forUpdate(const Session& session);

/// The same without those that somebody else has locked: for who may not wait for them.
std::string_view forUpdateOfFree(const Session& session);
/// For who refers to a row and may not wait for who changes it: without those, too.
std::string_view forKeysOfFree(const Session& session);

} // namespace portico::crm
