#include "crm/CrmClient.h"

namespace portico::tests
{

std::vector<std::string> Answer::errors() const
{
    std::vector<std::string> list;
    for (const auto& error : body.at("errors").as_array())
        list.push_back(std::string(error.at("field").as_string()) + ' ' + std::string(error.at("code").as_string()));
    return list;
}

Answer CrmClient::send(const Caller& caller, Method method, std::string_view target, std::string_view body, const Headers& headers) const
{
    testing::TestRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.headers = headers;
    request.caller = caller;
    auto response = _host.call(request);
    return {response.status, boost::json::parse(response.body), response.etag, response.headerBlock()};
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
