#pragma once

// How the result of a handler is written and described. Part of portico/Results.h.

#include "portico/Results.h"

namespace portico::detail
{

PORTICO_API void writeRecord(Response& response, int status, const Type& type, const void* record, const FieldSelection* fields = nullptr);
PORTICO_API void writePage(Response& response, const Request& request, const Type& item, const std::vector<const void*>& items,
                           const std::optional<std::string>& next, const std::optional<std::int64_t>& total, const FieldSelection& fields,
                           const Type* extraType = nullptr, const void* extra = nullptr);

/// Writes a page of either kind.
template <class T>
void writePage(Response& response, const Request& request, const Page<T>& page, const Type* extraType = nullptr,
               const void* extra = nullptr)
{
    std::vector<const void*> items;
    items.reserve(page.items.size());
    for (const auto& item : page.items) items.push_back(&item);
    writePage(response, request, typeOf<T>, items, page.nextCursor, page.total, page.fields, extraType, extra);
}
PORTICO_API void writeHtml(Response& response, Html&& html);
PORTICO_API void writeEvents(Response& response, const Request& request, const EventStream& stream);

/// How a result of type R becomes a response and is described. Any type with a Schema is a 200 with its JSON.
template <class R>
struct Result
{
    static constexpr bool allowed = DescribedRecord<R>;
    static void write(R&& record, const Request&, Response& response) { writeRecord(response, 200, typeOf<R>, &record); }
    static void describe(Operation& operation) { operation.result = &typeOf<R>; }
};

template <class T>
struct Result<Created<T>>
{
    static constexpr bool allowed = DescribedRecord<T>;
    static void write(Created<T>&& created, const Request&, Response& response)
    {
        writeRecord(response, created.existed ? 200 : 201, typeOf<T>, &created.record);
        if (!created.location.empty()) response.addHeader("Location", created.location);
    }
    static void describe(Operation& operation)
    {
        operation.status = 201;
        operation.result = &typeOf<T>;
    }
};

template <class T>
struct Result<Reply<T>>
{
    static constexpr bool allowed = DescribedRecord<T>;
    static void write(Reply<T>&& reply, const Request&, Response& response)
    {
        writeRecord(response, reply.status, typeOf<T>, &reply.record, &reply.fields);
        for (const auto& [name, value] : reply.headers) response.addHeader(name, value);
        for (const auto& cookie : reply.cookies) response.addCookie(cookie);
        if (!reply.etag.empty()) response.etag = std::move(reply.etag);
    }
    static void describe(Operation& operation) { operation.result = &typeOf<T>; }
};

template <>
struct Result<NoContent>
{
    static constexpr bool allowed = true;
    static void write(NoContent&&, const Request&, Response& response) { response.status = 204; }
    static void describe(Operation& operation) { operation.status = 204; }
};

template <class T>
struct Result<Page<T>>
{
    static constexpr bool allowed = DescribedRecord<T>;
    static void write(Page<T>&& page, const Request& request, Response& response) { writePage(response, request, page); }
    static void describe(Operation& operation)
    {
        operation.result = &typeOf<T>;
        operation.page = true;
    }
};

template <class T, class Extra>
struct Result<Page<T, Extra>>
{
    static constexpr bool allowed = DescribedRecord<T> && DescribedRecord<Extra>;
    static void write(Page<T, Extra>&& page, const Request& request, Response& response)
    {
        writePage(response, request, page, &typeOf<Extra>, &page.extra);
    }
    static void describe(Operation& operation)
    {
        Result<Page<T>>::describe(operation);
        operation.pageExtra = &typeOf<Extra>;
    }
};

template <>
struct Result<Stream>
{
    static constexpr bool allowed = true;
    static void write(Stream&& stream, const Request&, Response& response)
    {
        response.contentType = std::move(stream.contentType);
        response.source = std::move(stream.source);
        if (!stream.disposition.empty()) response.addHeader("Content-Disposition", stream.disposition);
    }
    static void describe(Operation& operation) { operation.contentType = "*/*"; }
};

template <>
struct Result<EventStream>
{
    static constexpr bool allowed = true;
    static void write(EventStream&& stream, const Request& request, Response& response) { writeEvents(response, request, stream); }
    static void describe(Operation& operation) { operation.contentType = "text/event-stream"; }
};

template <>
struct Result<File>
{
    static constexpr bool allowed = true;
    static void write(File&& file, const Request&, Response& response)
    {
        response.contentType = std::move(file.contentType);
        response.etag = std::move(file.etag);
        response.file = std::move(file.file);
        if (!file.disposition.empty()) response.addHeader("Content-Disposition", file.disposition);
    }
    static void describe(Operation& operation) { operation.contentType = "*/*"; }
};

template <>
struct Result<Redirect>
{
    static constexpr bool allowed = true;
    static void write(Redirect&& redirect, const Request&, Response& response)
    {
        response.status = redirect.status;
        response.addHeader("Location", redirect.location);
        for (const auto& cookie : redirect.cookies) response.addCookie(cookie);
    }
    static void describe(Operation& operation) { operation.status = 303; }
};

template <>
struct Result<Html>
{
    static constexpr bool allowed = true;
    static void write(Html&& html, const Request&, Response& response) { writeHtml(response, std::move(html)); }
    static void describe(Operation& operation) { operation.contentType = "text/html; charset=utf-8"; }
};

template <>
struct Result<Response>
{
    static constexpr bool allowed = true;
    static void write(Response&& answer, const Request&, Response& response) { response = std::move(answer); }
    static void describe(Operation&) {}
};

template <class A>
inline constexpr bool takesBody = requires
{
    Argument<A>::takesBody;
};

/// Says what is wrong with a handler before anything is made of it. @return whether all is well
template <class R, class... A>
consteval bool checkSignature()
{
    constexpr bool result = Result<R>::allowed;
    constexpr bool arguments = (Argument<A>::allowed && ...);
    constexpr bool bodies = (0 + ... + takesBody<A>) <= 1;
    static_assert(result, "A handler returns a described record, Created<T>, Reply<T>, Page<T>, Page<T, Extra>, Deleted<Id>, NoContent, "
                          "Stream, EventStream, File, "
                          "Redirect, Html or Response");
    static_assert(arguments,
                  "A handler takes Caller, Request, Path<T>, Query<T>, RepeatedQuery<…>, RawQuery, Header<\"Name\", T>, Body<T>, "
                  "Body<Patch<T>>, Paging, Sort<…>, SortDescending<…>, Fields<T>, IfMatch, RequireIfMatch, "
                  "Form<T>, Upload or RawBody");
    static_assert(bodies, "A handler takes one body: Body<T>, Body<Patch<T>>, Form<T>, Upload or RawBody");
    return result && arguments && bodies;
}

/// Handler of a page guard: fills the response only for a redirect.
template <class F, class O>
class PageGuard final : public Handler
{
public:
    PageGuard(F function, O* object) : _function(function), _object(object) {}
    void handle(Request& request, Response& response) const override
    {
        if (std::optional<Redirect> redirect = (_object->*_function)(std::as_const(request)))
            Result<Redirect>::write(std::move(*redirect), request, response);
    }

private:
    const F _function;
    O* const _object;
};

/// A member function as a Handler: reads the arguments from left to right, calls, writes the result.
template <class R, class F, class O, class... A>
class MemberHandler final : public Handler
{
public:
    MemberHandler(F function, O* object, const Operation& operation, std::string (*writeProblem)(const Problem&))
        : _function(function), _object(object), _writeProblem(writeProblem), _anyQuery(operation.anyQuery)
    {
        for (const Type* type : operation.query)
            for (std::size_t i = 0; i < type->memberCount; ++i) _queryNames.push_back(type->members[i].name);
        _queryNames.insert(_queryNames.end(), operation.repeatedQuery.begin(), operation.repeatedQuery.end());
        if (operation.paging) _queryNames.insert(_queryNames.end(), {"limit", "cursor", "include"});
        if (!operation.sort.empty()) _queryNames.emplace_back("sort");
        if (operation.fields) _queryNames.emplace_back("fields");
    }

    void handle(Request& request, Response& response) const override
    {
        if (!request.query.empty() && !_anyQuery) checkQueryNames(request, _queryNames);
        [[maybe_unused]] Invocation invocation{request};
        // Braces, not parentheses: only they promise the order in which path parameters are taken.
        Arguments arguments{{Argument<std::remove_cvref_t<A>>::make(invocation)}...};
        Result<std::remove_cvref_t<R>>::write(
            std::move(arguments).apply([this](auto&&... a) -> R { return (_object->*_function)(std::forward<decltype(a)>(a)...); }),
            request, response);
    }

    std::string problemBody(const Problem& problem) const override { return _writeProblem ? _writeProblem(problem) : std::string(); }

private:
    using Arguments = Pack<decltype(Argument<std::remove_cvref_t<A>>::make(std::declval<Invocation&>()))...>;
    F _function;
    O* _object;
    std::string (*_writeProblem)(const Problem&);
    bool _anyQuery;
    std::vector<std::string_view> _queryNames;
};

/// Adds a check before the body to a handler.
template <class F, class O, class... A>
class CheckedHandler final : public Handler
{
public:
    CheckedHandler(std::unique_ptr<Handler> handler, F function, O* object)
        : _handler(std::move(handler)), _function(function), _object(object)
    {
    }

    void check(Request& request) const override
    {
        [[maybe_unused]] Invocation invocation{request};
        Pack<decltype(Argument<std::remove_cvref_t<A>>::make(invocation))...> arguments{
            {Argument<std::remove_cvref_t<A>>::make(invocation)}...};
        std::move(arguments).apply([this](auto&&... a) { (_object->*_function)(std::forward<decltype(a)>(a)...); });
    }

    void handle(Request& request, Response& response) const override { _handler->handle(request, response); }
    std::string problemBody(const Problem& problem) const override { return _handler->problemBody(problem); }

private:
    const std::unique_ptr<Handler> _handler;
    const F _function;
    O* const _object;
};

} // namespace portico::detail
