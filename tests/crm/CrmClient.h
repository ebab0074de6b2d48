#pragma once

#include "portico/testing/TestHost.h"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

using testing::jsonWith;

using Answer = testing::TestAnswer;

/// For tests that walk through a body: what is at a pointer, as a copy that outlives the answer.
boost::json::value valueAt(const Answer& answer, std::string_view pointer);
boost::json::array arrayAt(const Answer& answer, std::string_view pointer);
boost::json::object objectAt(const Answer& answer, std::string_view pointer);

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
