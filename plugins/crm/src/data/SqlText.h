#pragma once

#include "portico/Database.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Conditions and values of a statement that is built at run time. Its SQL contains constant texts only; values are bound.
class SqlConditions
{
public:
    /// Returns the placeholder of a value, which is stored here.
    std::string bind(std::string value);
    std::string bind(std::int64_t value);

    /// `($3, $4)`.
    std::string bind(const std::vector<std::string>& values);

    /// Adds a condition. All conditions are joined by AND.
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

/// Returns the pattern for LIKE … ESCAPE '\' that finds a text anywhere.
std::string containsPattern(std::string_view text);

/// Returns the suffix of a SELECT that locks its rows until the end of the transaction. Empty on SQLite, which has one writer.
std::string_view forUpdate(const Session& session);

/// Does the same, but skips rows that another transaction has locked.
std::string_view forUpdateOfFree(const Session& session);
/// Locks rows against deletion only, for callers that reference them. Skips locked rows.
std::string_view forKeysOfFree(const Session& session);

} // namespace portico::crm
