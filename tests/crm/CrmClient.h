#pragma once

#include "crm/FakeContext.h"

#include "CrmPlugin.h"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

/// What came back: a problem counts as an answer, any other exception ends the test.
struct Answer
{
    int status = 0;
    boost::json::value body;
    std::string etag;
    std::string headers;

    const boost::json::value& operator[](std::string_view member) const { return body.at(member); }
    std::string text(std::string_view member) const { return std::string(body.at(member).as_string()); }
    std::int64_t number(std::string_view member) const { return body.at(member).to_number<std::int64_t>(); }
    std::string id() const { return text("id"); }
    std::string code() const { return text("code"); }
    /// `field code` of each field error.
    std::vector<std::string> errors() const;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Calls the plugin's handlers as the host does after authentication and authorization: routes, parameters, bodies and answers are those of
/// real requests. Thread-safe once it is made.
class CrmClient
{
public:
    explicit CrmClient(crm::CrmPlugin& plugin);

    Answer send(const Caller& caller, Method method, std::string_view target, std::string_view body = {},
                const Headers& headers = {}) const;
    Answer get(const Caller& caller, std::string_view target, const Headers& headers = {}) const;
    Answer post(const Caller& caller, std::string_view target, std::string_view body, const Headers& headers = {}) const;
    Answer put(const Caller& caller, std::string_view target, std::string_view body, const Headers& headers = {}) const;
    Answer del(const Caller& caller, std::string_view target, const Headers& headers = {}) const;

    const std::vector<RouteDeclaration>& routes() const noexcept { return _routes; }

private:
    const RouteDeclaration* find(Method method, std::string_view path, Request& request) const;

    std::vector<RouteDeclaration> _routes;
};

} // namespace portico::tests
