#pragma once

#include "portico/Export.h"
#include "portico/Faults.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace portico::detail
{

/// Kind of a value in JSON.
enum class Kind : std::uint8_t
{
    Boolean,
    Integer,
    Number,
    String,
    Formatted, ///< text with its own parser and printer: ids, instants
    Choice,    ///< an enum: one of a few words
    Json,      ///< any JSON, kept as text
    Record,
    List,
    Map,
    Optional
};

enum class Format : std::uint8_t
{
    None,
    Email,
    Uri,
    Date,
    Pattern ///< `Rules::accepts` decides
};

/// Rules of a member's value. -1 and the extremes mean: no rule.
struct Rules
{
    bool required = false;
    bool readOnly = false;
    bool writeOnly = false;
    bool columnOnly = false;
    bool flattened = false;
    bool trimmed = false;
    bool stored = true;
    bool omitEmpty = false;
    bool clearable = false;
    bool createOnly = false;
    Format format = Format::None;
    std::int64_t minLength = -1;
    std::int64_t maxLength = -1;
    std::int64_t minItems = -1;
    std::int64_t maxItems = -1;
    std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    bool (*accepts)(std::string_view) = nullptr;
    std::string_view errorCode = {};
    std::string_view pattern = {};
    std::string_view description = {};
    std::string_view column = {};
};

struct Type;

struct Member
{
    std::string_view name;
    const Type* type = nullptr;
    void* (*reach)(void* record) = nullptr;
    Rules rules;
};

/// How to handle a value of one C++ type without knowing it: constant tables, made at compile time, that the walkers in libportico.so read.
/// Which function pointers are set follows from `kind`.
struct Type
{
    Kind kind = Kind::String;
    std::string_view name = {};   ///< Record, Choice: its name in the API document
    std::string_view format = {}; ///< Formatted: its OpenAPI format
    const Type* element = nullptr;
    const Member* members = nullptr;
    std::size_t memberCount = 0;
    const std::string_view* choices = nullptr;
    std::size_t choiceCount = 0;
    bool isSigned = true;
    /// Record: the one that the API document shows instead of it.
    const Type* documentedAs = nullptr;

    void (*reset)(void*) = nullptr;
    /// Boolean, Integer, Choice (index).
    std::int64_t (*getInteger)(const void*) = nullptr;
    bool (*setInteger)(void*, std::int64_t) = nullptr;
    double (*getNumber)(const void*) = nullptr;
    void (*setNumber)(void*, double) = nullptr;
    /// Formatted.
    bool (*parse)(void*, std::string_view) = nullptr;
    void (*print)(const void*, std::string&) = nullptr;
    /// List and Map.
    std::size_t (*size)(const void*) = nullptr;
    const void* (*at)(const void*, std::size_t) = nullptr;
    void* (*append)(void*) = nullptr;
    /// Map.
    void* (*insert)(void*, std::string_view) = nullptr;
    void (*erase)(void*, std::string_view) = nullptr;
    void (*each)(const void*, void* context, void (*visit)(void* context, std::string_view key, const void* value)) = nullptr;
    /// Optional.
    void* (*engage)(void*) = nullptr;
    const void* (*value)(const void*) = nullptr;
    /// Record: rules that concern several members.
    void (*check)(const void*, Faults&, const std::string& path) = nullptr;
};

} // namespace portico::detail
