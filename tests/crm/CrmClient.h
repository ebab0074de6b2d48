#pragma once

#include "portico/testing/TestHost.h"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

/// A parsed answer.
struct Answer
{
    int status = 0;
    boost::json::value body;
    std::string etag;
    std::string headers;

    const boost::json::value& operator[](std::string_view member) const { return body.at(member); }
    std::string text(std::string_view member) const { return std::string(body.at(member).as_string()); }
    std::int64_t number(std::string_view member) const { return body.at(member).as_int64(); }
    std::string id() const { return text("id"); }
    std::string code() const { return text("code"); }
    /// `field code` of each field error.
    std::vector<std::string> errors() const;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Calls a service as JSON clients do. Thread-safe.
class CrmClient
{
public:
    explicit CrmClient(const testing::TestHost& host) : _host(host) {}

    Answer send(const Caller& caller, Method method, std::string_view target, std::string_view body = {},
                const Headers& headers = {}) const;
    Answer get(const Caller& caller, std::string_view target, const Headers& headers = {}) const;
    Answer post(const Caller& caller, std::string_view target, std::string_view body, const Headers& headers = {}) const;
    Answer put(const Caller& caller, std::string_view target, std::string_view body, const Headers& headers = {}) const;
    Answer del(const Caller& caller, std::string_view target, const Headers& headers = {}) const;

private:
    const testing::TestHost& _host;
};

} // namespace portico::tests
