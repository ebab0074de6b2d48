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
    Stored ///< the output of writeStored: every member is read, none is required, and unknown members of a newer version are ignored
};

/// Reads JSON text into a record. `seen`, if given, receives which members of the top record were present. Does not validate rules
/// (`validateRecord` does).
/// @throws Problem 400 `invalid_json` (also duplicates, depth over 32, bad UTF-8, NUL), `unknown_field`, `validation_failed`.
PORTICO_API void readJson(std::string_view text, const Type& type, void* value, ReadMode mode, std::vector<bool>* seen = nullptr);
/// Adds every violated rule of a record to `faults`; with `named` only those of these members and of the record as a whole.
PORTICO_API void validateRecord(const Type& type, const void* value, Faults& faults, const std::vector<bool>* named = nullptr);
/// Adds violated rules of the members only, including nested records. For a record of which some members could not be read.
PORTICO_API void validateMembers(const Type& type, const void* value, Faults& faults);
/// Reads a body and checks the rules of the record. One problem reports both unreadable members and violated rules of the other
/// members. @throws Problem as readJson
PORTICO_API void readBody(std::string_view text, const Type& type, void* value, std::vector<bool>* seen = nullptr);
/// Reads a merge body. Its rules are checked when it is merged (`mergeBody`). If a value could not be read, the problem also reports
/// violated rules of the other members of the body. @throws Problem as readJson
PORTICO_API void readPatch(std::string_view text, const Type& type, void* values, std::vector<bool>& seen);
/// Merges a body into a record and checks the members that `seen` names; empty: all. @throws Problem 400 `validation_failed`
PORTICO_API void mergeBody(std::string_view text, const Type& type, void* record, const std::vector<bool>& seen);
PORTICO_API void writeJson(std::string& out, const Type& type, const void* value, const FieldSelection* fields = nullptr);
/// Returns text for a database column, including hidden, write-only and empty members. Read it with `ReadMode::Stored`.
PORTICO_API void writeStored(std::string& out, const Type& type, const void* value);
/// A scalar from text, as in a query or a path; lists are comma-separated. False if the text does not fit.
PORTICO_API bool readText(std::string_view text, const Type& type, void* value);
} // namespace detail

/// Appends a JSON string with its quotes. The text is UTF-8.
/// @throws std::logic_error for other bytes, in builds without NDEBUG: they would make JSON that clients cannot read
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

/// Appends a record as JSON: all members, or those with these names and `id`.
template <Described T>
void appendJson(std::string& out, const T& value, const FieldSelection& fields)
{
    detail::writeJson(out, detail::typeOf<T>, &value, &fields);
}

/// Parses and validates. @throws Problem as detail::readJson and 400 `validation_failed`.
template <Described T>
T fromJson(std::string_view text)
{
    T value{};
    if constexpr (detail::DescribedRecord<T>)
        detail::readBody(text, detail::typeOf<T>, &value);
    else
        detail::readJson(text, detail::typeOf<T>, &value, detail::ReadMode::Whole);
    return value;
}

/// Parses into a record without checking the rules of its members, for callers that inspect the input before validating it. Members absent
/// from the text keep their values.
/// @return names of the record's members in the text, null ones included; they have static lifetime.
/// @throws Problem 400 `invalid_json`, `unknown_field`, and `validation_failed` for values of another kind and missing required members
template <Described T>
std::vector<std::string_view> parseJson(std::string_view text, T& record)
{
    const auto& type = detail::typeOf<T>;
    std::vector<bool> seen(type.memberCount);
    detail::readJson(text, type, &record, detail::ReadMode::Whole, &seen);
    std::vector<std::string_view> named;
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i]) named.push_back(type.members[i].name);
    return named;
}

/// Reads a record from the JSON of a database column. No member is required, rules are not checked, and unknown members of a newer version
/// are ignored. @throws Problem 400 `invalid_json` for text that is not JSON
template <Described T>
T fromStoredJson(std::string_view text)
{
    T record{};
    detail::readJson(text, detail::typeOf<T>, &record, detail::ReadMode::Stored);
    return record;
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
