#pragma once

// How the arguments of a handler are made and described. Part of portico/Arguments.h.

#include "portico/Arguments.h"

namespace portico::detail
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
struct SortChoice
{
    std::size_t index = 0;
    bool descending = false;
};
PORTICO_API SortChoice readSort(const Request& request, std::span<const std::string_view> names, bool descendingByDefault);
PORTICO_API FieldSelection readFields(const Request& request, const Type& type);
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
        readBody(jsonBody(invocation.request), typeOf<T>, &value, &seen);
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
        readPatch(text, typeOf<T>, &values, seen);
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

template <auto... Members>
struct Argument<Sort<Members...>>
{
    static constexpr bool allowed = true;
    static constexpr std::string_view names[] = {memberName<Members>()...};
    static Sort<Members...> make(Invocation& invocation)
    {
        const auto chosen = readSort(invocation.request, names, false);
        return Sort<Members...>(chosen.index, chosen.descending);
    }
    static void describe(Operation& operation) { operation.sort.assign(std::begin(names), std::end(names)); }
};

template <auto... Members>
struct Argument<SortDescending<Members...>>
{
    static constexpr bool allowed = true;
    static SortDescending<Members...> make(Invocation& invocation)
    {
        const auto chosen = readSort(invocation.request, Argument<Sort<Members...>>::names, true);
        return SortDescending<Members...>(chosen.index, chosen.descending);
    }
    static void describe(Operation& operation)
    {
        Argument<Sort<Members...>>::describe(operation);
        operation.sortDescending = true;
    }
};

template <class T>
struct Argument<Fields<T>>
{
    static constexpr bool allowed = true;
    static Fields<T> make(Invocation& invocation) { return Fields<T>(readFields(invocation.request, typeOf<T>)); }
    static void describe(Operation& operation) { operation.fields = &typeOf<T>; }
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

} // namespace portico::detail
