#pragma once

#include "portico/detail/Type.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// Which kind of body a route takes.
enum class BodyKind : std::uint8_t
{
    None,
    Json,
    Raw,
    Upload
};

namespace detail
{

struct HeaderParameter
{
    std::string_view name;
    const Type* type = nullptr;
    bool required = false;
};

/// Facts about a route from the types of its handler's arguments and result: source of its API document and of the checks before the
/// handler runs.
struct Operation
{
    std::vector<const Type*> path;
    std::vector<const Type*> query;
    /// Parameters that may be repeated.
    std::vector<std::string_view> repeatedQuery;
    /// The handler takes parameters of any name.
    bool anyQuery = false;
    std::vector<HeaderParameter> headers;
    bool paging = false;
    /// Members that `sort` takes, the default first.
    std::vector<std::string_view> sort;
    bool sortDescending = false;
    /// The record whose members `fields` takes.
    const Type* fields = nullptr;
    /// The handler sees the whole request: path parameters that no other argument takes are its.
    bool takesRequest = false;
    bool ifMatch = false;
    /// 428 without it.
    bool ifMatchRequired = false;
    BodyKind bodyKind = BodyKind::None;
    const Type* body = nullptr;
    bool patch = false;
    /// The body has the fields of a form.
    bool form = false;

    int status = 200;
    const Type* result = nullptr;
    bool page = false;
    /// Members beside those of a page.
    const Type* pageExtra = nullptr;
    /// Set when the answer is no JSON.
    std::string_view contentType = {};
};

} // namespace detail
} // namespace portico
