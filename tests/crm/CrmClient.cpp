#include "crm/CrmClient.h"

#include "portico/Problem.h"

#include <stdexcept>

namespace portico::tests
{

namespace
{

std::vector<std::string> segments(std::string_view path)
{
    std::vector<std::string> parts;
    while (!path.empty())
    {
        path.remove_prefix(1);
        const auto end = std::min(path.find('/'), path.size());
        parts.emplace_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return parts;
}

bool isParameter(std::string_view segment) { return segment.starts_with('{'); }

} // namespace

std::vector<std::string> Answer::errors() const
{
    std::vector<std::string> list;
    for (const auto& error : body.at("errors").as_array())
        list.push_back(std::string(error.at("field").as_string()) + ' ' + std::string(error.at("code").as_string()));
    return list;
}

CrmClient::CrmClient(crm::CrmPlugin& plugin)
{
    Routes routes;
    plugin.declare(routes);
    _routes = routes.take();
}

const RouteDeclaration* CrmClient::find(Method method, std::string_view path, Request& request) const
{
    const auto wanted = segments(path);
    for (const auto& route : _routes)
    {
        const auto pattern = segments(route.pattern);
        bool matches = route.method == method && pattern.size() == wanted.size();
        for (std::size_t i = 0; matches && i < pattern.size(); ++i) matches = isParameter(pattern[i]) || pattern[i] == wanted[i];
        if (!matches) continue;
        for (std::size_t i = 0; i < pattern.size(); ++i)
            if (isParameter(pattern[i])) request.addPathParameter(wanted[i]);
        return &route;
    }
    return nullptr;
}

Answer CrmClient::send(const Caller& caller, Method method, std::string_view target, std::string_view body, const Headers& headers) const
{
    const SystemClock clock;
    std::vector<HeaderField> fields;
    if (!body.empty()) fields.push_back({"Content-Type", "application/json"});
    for (const auto& [name, value] : headers) fields.push_back({name, value});

    Request request;
    const auto question = std::min(target.find('?'), target.size());
    request.method = method;
    request.path = target.substr(0, question);
    request.query = question < target.size() ? target.substr(question + 1) : std::string_view();
    request.headers = fields;
    request.body = body;
    request.caller = &caller;
    request.clock = &clock;
    request.cursorKey = "the key of these tests";
    const auto* route = find(method, request.path, request);
    if (!route) throw std::logic_error("no such route: " + std::string(target));
    const std::string bound = std::string(name(method)) + ' ' + route->pattern;
    request.route = bound;

    Answer answer;
    try
    {
        Response response;
        route->handler->handle(request, response);
        answer.status = response.status;
        answer.body = boost::json::parse(response.body);
        answer.etag = response.etag;
        answer.headers = response.headerBlock();
    }
    catch (const Problem& problem)
    {
        answer.status = problem.status();
        answer.body = boost::json::parse(problem.toJson("test"));
    }
    return answer;
}

Answer CrmClient::get(const Caller& caller, std::string_view target, const Headers& headers) const
{
    return send(caller, Method::Get, target, {}, headers);
}

Answer CrmClient::post(const Caller& caller, std::string_view target, std::string_view body, const Headers& headers) const
{
    return send(caller, Method::Post, target, body, headers);
}

Answer CrmClient::put(const Caller& caller, std::string_view target, std::string_view body, const Headers& headers) const
{
    return send(caller, Method::Put, target, body, headers);
}

Answer CrmClient::del(const Caller& caller, std::string_view target, const Headers& headers) const
{
    return send(caller, Method::Delete, target, {}, headers);
}

} // namespace portico::tests
