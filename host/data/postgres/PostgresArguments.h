#pragma once

#include "portico/Database.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::data
{

/// Arguments in the form that libpq takes: numbers and texts as text of no declared type, so that the server infers it from the statement;
/// bytes in binary. One object a connection, so that its memory is reused.
class PostgresArguments
{
public:
    /// Valid until the next call, and while the texts and bytes of `arguments` live. @throws DatabaseError for a text with a zero byte.
    void set(std::span<const SqlValue> arguments, std::string_view sql);

    int count() const noexcept { return static_cast<int>(_values.size()); }
    const char* const* values() const noexcept { return _values.data(); }
    const int* lengths() const noexcept { return _lengths.data(); }
    const int* formats() const noexcept { return _formats.data(); }

private:
    void addText(std::string_view text);
    void add(const char* value, std::size_t length, bool binary);

    std::vector<const char*> _values;
    std::vector<int> _lengths;
    std::vector<int> _formats;
    std::string _buffer;
};

} // namespace portico::host::data
