#include "oauth/ClaimsRequest.h"

#include <boost/json.hpp>

#include <array>
#include <utility>

namespace portico::identity
{

namespace
{

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> scopeOfClaim{{{"name", "profile"},
                                                                                      {"preferred_username", "profile"},
                                                                                      {"given_name", "profile"},
                                                                                      {"family_name", "profile"},
                                                                                      {"picture", "profile"},
                                                                                      {"locale", "profile"},
                                                                                      {"zoneinfo", "profile"},
                                                                                      {"updated_at", "profile"},
                                                                                      {"email", "email"},
                                                                                      {"email_verified", "email"},
                                                                                      {"organizations", "organizations"}}};

/// `value` and `values` of one claim.
std::vector<std::string> valuesOf(const boost::json::object& claim)
{
    std::vector<std::string> values;
    const auto take = [&](const boost::json::value& value)
    {
        if (value.is_string()) values.emplace_back(value.as_string());
    };
    if (const auto* value = claim.if_contains("value")) take(*value);
    if (const auto* list = claim.if_contains("values"); list && list->is_array())
        for (const auto& value : list->as_array()) take(value);
    return values;
}

bool isEssential(const boost::json::object& claim)
{
    const auto* essential = claim.if_contains("essential");
    return essential && essential->is_bool() && essential->as_bool();
}

/// Reads one member. Returns false if it has another form.
bool read(const boost::json::value* member, bool ofIdToken, ClaimsRequest& request)
{
    if (!member) return true;
    if (!member->is_object()) return false;
    for (const auto& [name, value] : member->as_object())
    {
        if (!value.is_null() && !value.is_object()) return false;
        for (const auto& [claim, scope] : scopeOfClaim)
            if (name == claim) request.scopes.emplace_back(scope);
        if (!ofIdToken || !value.is_object()) continue;
        auto values = valuesOf(value.as_object());
        if (name == "acr" && isEssential(value.as_object())) request.essentialAcr = std::move(values);
        if (name == "sub" && values.size() == 1) request.subject = std::move(values.front());
    }
    return true;
}

} // namespace

std::optional<ClaimsRequest> ClaimsRequest::parse(std::string_view json)
{
    boost::json::error_code error;
    const auto parsed = boost::json::parse({json.data(), json.size()}, error);
    if (error || !parsed.is_object()) return std::nullopt;
    const auto& members = parsed.as_object();
    ClaimsRequest request;
    if (!read(members.if_contains("id_token"), true, request) || !read(members.if_contains("userinfo"), false, request))
        return std::nullopt;
    return request;
}

} // namespace portico::identity
