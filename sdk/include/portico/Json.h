#pragma once

#include "portico/Problem.h"
#include "portico/Schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// Members to write at the top of a record: empty means all. `id` is always written.
using FieldSelection = std::vector<std::string>;

namespace detail
{
enum class ReadMode : std::uint8_t
{
    Whole, ///< absent members must not be required ones
    Merge, ///< RFC 7396: absent means unchanged, null clears, objects merge, arrays are replaced
    Stored ///< what writeStored wrote: every member is read, none is demanded, and those of a newer version are passed over
};

/// Reads JSON text into a record. `seen`, if given, tells which members of the top record were there. Does not validate what the read
/// itself does not show (`validateRecord` does).
/// @throws Problem 400 `invalid_json` (also duplicates, depth over 32, bad UTF-8, NUL), `unknown_field`, `validation_failed`.
PORTICO_API void readJson(std::string_view text, const Type& type, void* value, ReadMode mode, std::vector<bool>* seen = nullptr);
/// Adds every broken rule of a record to `faults`.
PORTICO_API void validateRecord(const Type& type, const void* value, Faults& faults);
PORTICO_API void writeJson(std::string& out, const Type& type, const void* value, const FieldSelection* fields = nullptr);
/// Text for a database column: with hidden, write-only and empty members. Read it back by `ReadMode::Stored`.
PORTICO_API void writeStored(std::string& out, const Type& type, const void* value);
/// A scalar from text, as in a query or a path; lists are comma-separated. False if the text does not fit.
PORTICO_API bool readText(std::string_view text, const Type& type, void* value);
} // namespace detail

/// Appends a JSON string with its quotes.
PORTICO_API void appendJsonString(std::string& out, std::string_view text);

/// True for one well-formed JSON value under the rules for bodies.
PORTICO_API bool isJson(std::string_view text) noexcept;

template <Described T>
std::string toJson(const T& value)
{
    std::string out;
    detail::writeJson(out, detail::typeOf<T>, &value);
    return out;
}

template <class T>
requires(!std::convertible_to<const T&, std::string>) Problem& Problem::withDetails(const T& record)
{
    return withDetails(portico::toJson(record));
}

/// Parses and validates. @throws Problem as detail::readJson and 400 `validation_failed`.
template <Described T>
T fromJson(std::string_view text)
{
    T value{};
    detail::readJson(text, detail::typeOf<T>, &value, detail::ReadMode::Whole);
    Faults faults;
    detail::validateRecord(detail::typeOf<T>, &value, faults);
    faults.raise();
    return value;
}

/// Checks the rules of a record. @throws Problem 400 `validation_failed`.
template <Described T>
void validate(const T& value)
{
    Faults faults;
    detail::validateRecord(detail::typeOf<T>, &value, faults);
    faults.raise();
}

} // namespace portico
