#pragma once

#include "portico/Handler.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Schema.h"
#include "portico/detail/Operation.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico
{

/// The next path parameter of the pattern, parsed: the first `Path` argument is the first `{…}`. A value that is not a valid `T` is
/// 404.
template <class T>
class Path
{
public:
    explicit Path(T value) : _value(std::move(value)) {}
    const T& operator*() const noexcept { return _value; }
    const T* operator->() const noexcept { return &_value; }

private:
    T _value;
};

/// Query parameters, by the Schema of `T`: lists are comma-separated. Unknown, repeated or wrong ones are 400.
template <class T>
class Query
{
public:
    explicit Query(T value) : _value(std::move(value)) {}
    const T& operator*() const noexcept { return _value; }
    const T* operator->() const noexcept { return &_value; }

private:
    T _value;
};

/// All query parameters, decoded and in request order. For routes whose standard requires that unknown parameters are ignored (OAuth 2:
/// RFC 6749, 3.1): only parameters that cannot be decoded are rejected. The API document lists none of them.
struct RawQuery
{
    const std::vector<std::pair<std::string, std::string>>& values;
};

/// A string as a template argument, for names of headers and parameters.
template <std::size_t N>
struct Literal
{
    char text[N];
    consteval Literal(const char (&literal)[N]) { std::copy_n(literal, N, text); }
    constexpr std::string_view view() const { return {text, N - 1}; }
};

/// Query parameters that may be repeated, in request order: `RepeatedQuery<"permission", "resource">`.
template <Literal... Names>
class RepeatedQuery
{
public:
    using Values = std::vector<std::pair<std::string, std::string>>;
    explicit RepeatedQuery(Values values) : _values(std::move(values)) {}
    /// Name and value, in the order of the query.
    const Values& operator*() const noexcept { return _values; }

private:
    Values _values;
};

/// The name of a member of T: a literal, checked when it is compiled.
template <class T>
struct MemberName
{
    std::size_t index = 0;

    template <std::size_t N>
    consteval MemberName(const char (&name)[N])
    {
        while (index < detail::membersOf<T>.size() && detail::membersOf<T>[index].name != std::string_view(name, N - 1)) ++index;
        if (index == detail::membersOf<T>.size()) throw "There is no such member";
    }
};

/// A JSON body, parsed and validated. The host creates it. In a test it is created from a value, with every member present.
template <class T>
class Body
{
public:
    explicit Body(T value, std::vector<bool> seen = {}) : _value(std::move(value)), _seen(std::move(seen)) {}
    const T& operator*() const noexcept { return _value; }
    const T* operator->() const noexcept { return &_value; }
    /// True if the body contains the member, even as null. Distinguishes null from absent.
    bool has(MemberName<std::type_identity_t<T>> name) const { return _seen.empty() || _seen[name.index]; }

private:
    T _value;
    std::vector<bool> _seen;
};

/// A merge body (RFC 7396) for a record of type `T`: `Body<Patch<Contact>>`. Its form was checked before the handler runs; the rules of the
/// members that it names, and those of the record as a whole, are checked on the merged record. The host creates it. In a test
/// without `seen` every member is present.
template <class T>
class Patch
{
public:
    Patch(std::string_view text, std::vector<bool> seen, T values) : _text(text), _seen(std::move(seen)), _values(std::move(values)) {}

    /// Merges into a record and validates the members in the body. Values stored before a rule existed do not block an update. After
    /// merging into a new record, call `validate`.
    /// @throws Problem 400 `validation_failed`.
    void applyTo(T& record) const { detail::mergeBody(_text, detail::typeOf<T>, &record, _seen); }
    /// True if the body contains the member, even as null.
    bool has(MemberName<std::type_identity_t<T>> name) const { return _seen.empty() || _seen[name.index]; }
    /// The members in the body; all others have their defaults.
    const T& values() const noexcept { return _values; }

private:
    std::string_view _text;
    std::vector<bool> _seen;
    T _values;
};

/// A request header: `Header<"X-Brand-ID", BrandId>` is required, `Header<…, std::optional<BrandId>>` is optional.
template <Literal Name, class T>
class Header
{
public:
    explicit Header(T value) : _value(std::move(value)) {}
    const T& operator*() const noexcept { return _value; }
    const T* operator->() const noexcept { return &_value; }

private:
    T _value;
};

/// If-Match (RFC 9110, 13.1.1) on a record's version.
class PORTICO_API IfMatch
{
public:
    explicit IfMatch(std::string_view header);
    /// @throws Problem 412 `version_conflict` if the header is present and names another version.
    void require(std::int64_t version) const;
    bool present() const noexcept { return !_header.empty(); }

private:
    std::string _header;
};

/// Required If-Match: a write without it is 428 `precondition_required` (RFC 6585, 3), before the handler runs.
class RequireIfMatch : public IfMatch
{
public:
    using IfMatch::IfMatch;
};

/// Page of a list: `limit` (1 to 200, default 50), `cursor`, `include=total`. The cursor's payload is that of the last page's `nextCursor`.
/// The host verifies that it was signed for the same caller, route, filters and sort.
struct Paging
{
    int limit = 50;
    /// Payload of the cursor; empty for the first page.
    std::string cursor;
    bool includeTotal = false;
};

/// Order of a list, from the query parameter `sort`: `Sort<&Topic::name, &Topic::createdAt>` takes `name`, `-name` (descending),
/// `createdAt` and `-createdAt`; another word is 400 `unknown_option`. Without the parameter it is the first member, ascending. For
/// `Select::orderBy`.
template <auto... Members>
class Sort
{
public:
    static_assert(sizeof...(Members) > 0, "A sort has a member");
    explicit Sort(std::size_t index = 0, bool descending = false) : _index(index), _descending(descending) {}
    /// Index of the chosen member.
    std::size_t index() const noexcept { return _index; }
    bool descending() const noexcept { return _descending; }

private:
    std::size_t _index;
    bool _descending;
};

/// Like `Sort`, but without the parameter the order is by the first member, descending.
template <auto... Members>
class SortDescending : public Sort<Members...>
{
public:
    explicit SortDescending(std::size_t index = 0, bool descending = true) : Sort<Members...>(index, descending) {}
};

/// Members of the records in the answer, from the query parameter `fields`: `fields=title,updatedAt`. A name that is not a member of T is
/// 400 `unknown_option`. Empty: all of them; `id` is always written. For `Select::page` and `Reply::fields`.
template <class T>
class Fields
{
public:
    explicit Fields(FieldSelection selection = {}) : _selection(std::move(selection)) {}
    const FieldSelection& operator*() const noexcept { return _selection; }

private:
    FieldSelection _selection;
};

/// Signs a custom cursor, for responses with several lists (`Page` has one). The signature covers the route, the caller and `scope`: every
/// other input that the cursor depends on, such as list, filters and sort. Thread-safe.
PORTICO_API std::string signCursor(const Request& request, std::string_view scope, std::string_view payload);
/// The payload. @throws Problem 400 `invalid_cursor` unless `signCursor` made it for the same route, caller and scope.
PORTICO_API std::string openCursor(const Request& request, std::string_view scope, std::string_view cursor);

/// A body received as a file: streamed to memory or disk by the host before the handler runs.
class PORTICO_API Upload
{
public:
    explicit Upload(const Request& request);
    std::uint64_t size() const noexcept { return _file->size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const { return _file->read(offset, buffer); }
    /// Content-Type as sent.
    std::string_view contentType() const noexcept { return _contentType; }
    const ReceivedFile& file() const noexcept { return *_file; }

private:
    const ReceivedFile* _file;
    std::string_view _contentType;
};

/// The raw body in memory, for signatures over its bytes and for forms.
struct RawBody
{
    std::string_view data;
    std::string_view contentType;
};

} // namespace portico

#include "portico/detail/ArgumentTypes.h"
