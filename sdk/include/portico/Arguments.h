#pragma once

#include "portico/Handler.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Schema.h"
#include "portico/detail/Operation.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico
{

/// The next path parameter of the pattern, parsed: the first `Path` argument takes the first `{…}`. A value that is no `T` cannot name a
/// record: 404.
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

/// All query parameters as they came, decoded and in their order, of a route whose parameters a standard defines that has unknown ones
/// passed over (OAuth 2: RFC 6749, 3.1): nothing is refused but what cannot be decoded. The document lists none of them.
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

/// A JSON body, parsed and validated. Made by the host; in a test from a value, which then counts as named whole.
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
/// members that it names, and those of the record as a whole, are checked on the merged record. Made by the host; in a test without `seen`,
/// which then counts as naming every member.
template <class T>
class Patch
{
public:
    Patch(std::string_view text, std::vector<bool> seen, T values) : _text(text), _seen(std::move(seen)), _values(std::move(values)) {}

    /// Merges into a record and validates the members in the body. Values stored before a rule existed do not block an update. After
    /// merging into a new record, call `validate`.
    /// @throws Problem 400 `validation_failed`.
    void applyTo(T& record) const
    {
        detail::readJson(_text, detail::typeOf<T>, &record, detail::ReadMode::Merge);
        Faults faults;
        detail::validateRecord(detail::typeOf<T>, &record, faults, _seen.empty() ? nullptr : &_seen);
        faults.raise();
    }
    /// True if the body names the member, be it with null.
    bool has(MemberName<std::type_identity_t<T>> name) const { return _seen.empty() || _seen[name.index]; }
    /// The body's members alone, the others at their defaults.
    const T& values() const noexcept { return _values; }

private:
    std::string_view _text;
    std::vector<bool> _seen;
    T _values;
};

/// A request header: `Header<"X-Brand-ID", BrandId>` must be there, `Header<…, std::optional<BrandId>>` may.
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
    /// @throws Problem 412 `version_conflict` when the header is there and names another version.
    void require(std::int64_t version) const;
    bool present() const noexcept { return !_header.empty(); }

private:
    std::string _header;
};

/// If-Match that must be there: a write without it is 428 `precondition_required` (RFC 6585, 3), before the handler runs.
class RequireIfMatch : public IfMatch
{
public:
    using IfMatch::IfMatch;
};

/// Page of a list: `limit` (1 to 200, default 50), `cursor`, `include=total`. The cursor's payload is what the last page's `nextCursor` was
/// given, checked to be ours and for the same caller, route, filters and sort.
struct Paging
{
    int limit = 50;
    /// Payload of the cursor; empty for the first page.
    std::string cursor;
    bool includeTotal = false;
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

/// The body as it came, in memory: for signatures over raw bytes and for forms.
struct RawBody
{
    std::string_view data;
    std::string_view contentType;
};

namespace detail
{

/// Where an argument finds its values while a handler's arguments are read from left to right.
struct Invocation
{
    Request& request;
    std::size_t nextPathParameter = 0;
};

PORTICO_API void readQuery(const Request& request, const Type& type, void* value);
PORTICO_API void checkQueryNames(const Request& request, const std::vector<std::string_view>& allowed);
/// True for a Content-Type of JSON, or of a merge patch, in UTF-8. Its other parameters have no effect (RFC 8259, 11).
PORTICO_API bool isJsonContentType(std::string_view value);
/// The body's text without a byte order mark, `{}` for an empty one with or without a Content-Type. @throws Problem 415.
PORTICO_API std::string_view jsonBody(const Request& request);
PORTICO_API Paging readPaging(const Request& request);
/// Cursor of a page. The query is its scope.
PORTICO_API std::string signPageCursor(const Request& request, std::string_view payload);
[[noreturn]] PORTICO_API void throwBadHeader(std::string_view name, bool missing);

/// How an argument of type A is made and described. Only the specialisations below exist.
template <class A>
struct Argument
{
    static constexpr bool allowed = false;
};

template <>
struct Argument<Caller>
{
    static constexpr bool allowed = true;
    static const Caller& make(Invocation& invocation) { return *invocation.request.caller; }
    static void describe(Operation&) {}
};

template <>
struct Argument<Request>
{
    static constexpr bool allowed = true;
    static const Request& make(Invocation& invocation) { return invocation.request; }
    static void describe(Operation& operation) { operation.takesRequest = true; }
};

template <class T>
struct Argument<Path<T>>
{
    static constexpr bool allowed = true;
    static Path<T> make(Invocation& invocation)
    {
        const std::string& text = invocation.request.pathParameters()[invocation.nextPathParameter++];
        T value{};
        if (!readText(text, typeOf<T>, &value)) throw Problem::notFound();
        return Path<T>(std::move(value));
    }
    static void describe(Operation& operation) { operation.path.push_back(&typeOf<T>); }
};

template <class T>
struct Argument<Query<T>>
{
    static constexpr bool allowed = true;
    static Query<T> make(Invocation& invocation)
    {
        T value{};
        readQuery(invocation.request, typeOf<T>, &value);
        return Query<T>(std::move(value));
    }
    static void describe(Operation& operation) { operation.query.push_back(&typeOf<T>); }
};

template <Literal... Names>
struct Argument<RepeatedQuery<Names...>>
{
    static constexpr bool allowed = true;
    static RepeatedQuery<Names...> make(Invocation& invocation)
    {
        typename RepeatedQuery<Names...>::Values values;
        for (const auto& [name, value] : invocation.request.queryParameters())
            if (((name == Names.view()) || ...)) values.emplace_back(name, value);
        return RepeatedQuery<Names...>(std::move(values));
    }
    static void describe(Operation& operation) { (operation.repeatedQuery.push_back(Names.view()), ...); }
};

template <class T>
struct Argument<Body<T>>
{
    static constexpr bool allowed = true;
    static constexpr bool takesBody = true;
    static Body<T> make(Invocation& invocation)
    {
        T value{};
        std::vector<bool> seen(typeOf<T>.memberCount);
        readJson(jsonBody(invocation.request), typeOf<T>, &value, ReadMode::Whole, &seen);
        validate(value);
        return Body<T>(std::move(value), std::move(seen));
    }
    static void describe(Operation& operation)
    {
        operation.bodyKind = BodyKind::Json;
        operation.body = &typeOf<T>;
    }
};

template <class T>
struct Argument<Body<Patch<T>>>
{
    static constexpr bool allowed = true;
    static constexpr bool takesBody = true;
    static Body<Patch<T>> make(Invocation& invocation)
    {
        const auto text = jsonBody(invocation.request);
        T values{};
        std::vector<bool> seen(typeOf<T>.memberCount);
        readJson(text, typeOf<T>, &values, ReadMode::Merge, &seen);
        return Body<Patch<T>>(Patch<T>(text, std::move(seen), std::move(values)));
    }
    static void describe(Operation& operation)
    {
        operation.bodyKind = BodyKind::Json;
        operation.body = &typeOf<T>;
        operation.patch = true;
    }
};

template <Literal Name, class T>
struct Argument<Header<Name, T>>
{
    static constexpr bool allowed = true;
    static Header<Name, T> make(Invocation& invocation)
    {
        const auto text = invocation.request.header(Name.view());
        T value{};
        if (text.empty())
        {
            if constexpr (!ElementOf<T>::optional) throwBadHeader(Name.view(), true);
        }
        else if (!readText(text, typeOf<T>, &value))
            throwBadHeader(Name.view(), false);
        return Header<Name, T>(std::move(value));
    }
    static void describe(Operation& operation) { operation.headers.push_back({Name.view(), &typeOf<T>, !ElementOf<T>::optional}); }
};

template <>
struct Argument<RawQuery>
{
    static constexpr bool allowed = true;
    static RawQuery make(Invocation& invocation) { return {invocation.request.queryParameters()}; }
    static void describe(Operation& operation) { operation.anyQuery = true; }
};

template <>
struct Argument<IfMatch>
{
    static constexpr bool allowed = true;
    static IfMatch make(Invocation& invocation) { return IfMatch(invocation.request.header("If-Match")); }
    static void describe(Operation& operation) { operation.ifMatch = true; }
};

template <>
struct Argument<RequireIfMatch>
{
    static constexpr bool allowed = true;
    static RequireIfMatch make(Invocation& invocation)
    {
        const auto header = invocation.request.header("If-Match");
        if (header.empty()) throw Problem(428, "precondition_required", "Send If-Match with the entity tag of what you have read.");
        return RequireIfMatch(header);
    }
    static void describe(Operation& operation) { operation.ifMatch = operation.ifMatchRequired = true; }
};

template <>
struct Argument<Paging>
{
    static constexpr bool allowed = true;
    static Paging make(Invocation& invocation) { return readPaging(invocation.request); }
    static void describe(Operation& operation) { operation.paging = true; }
};

template <>
struct Argument<Upload>
{
    static constexpr bool allowed = true;
    static constexpr bool takesBody = true;
    static Upload make(Invocation& invocation) { return Upload(invocation.request); }
    static void describe(Operation& operation) { operation.bodyKind = BodyKind::Upload; }
};

template <>
struct Argument<RawBody>
{
    static constexpr bool allowed = true;
    static constexpr bool takesBody = true;
    static RawBody make(Invocation& invocation) { return {invocation.request.body, invocation.request.header("Content-Type")}; }
    static void describe(Operation& operation) { operation.bodyKind = BodyKind::Raw; }
};

} // namespace detail

} // namespace portico
