#include "crm/CrmClient.h"

namespace portico::tests
{

boost::json::value valueAt(const Answer& answer, std::string_view pointer) { return boost::json::parse(answer.body).at_pointer(pointer); }

boost::json::array arrayAt(const Answer& answer, std::string_view pointer) { return valueAt(answer, pointer).as_array(); }

boost::json::object objectAt(const Answer& answer, std::string_view pointer) { return valueAt(answer, pointer).as_object(); }

Answer CrmClient::send(const Caller& caller, Method method, std::string_view target, std::string_view body, const Headers& headers) const
{
    testing::TestRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.headers = headers;
    request.caller = caller;
    return _host.call(request);
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
