#include "web/FormToken.h"

#include "portico/Crypto.h"
#include "portico/Form.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

std::string FormToken::tokenFor(std::string_view cookie, std::string_view purpose) const
{
    const auto key = "form:" + _core.keys.macKey(_core.keys.newestMacKeyId());
    return toBase64Url(hmacSha256(key, std::string(purpose) + ' ' + std::string(cookie)).bytes());
}

FormToken::Made FormToken::make(const Request& request, std::string_view purpose) const
{
    // Other pages of the same browser go on working.
    const auto known = _cookies.preLogin(request);
    const auto value = known.empty() ? randomToken() : std::string(known);
    return {tokenFor(value, purpose), _cookies.setPreLogin(value)};
}

bool FormToken::holds(const Request& request, std::string_view purpose, std::string_view token) const
{
    const auto cookie = _cookies.preLogin(request);
    return !cookie.empty() && sameSecret(token, tokenFor(cookie, purpose));
}

std::string fieldOf(const std::vector<std::pair<std::string, std::string>>& fields, std::string_view name)
{
    const std::string* found = nullptr;
    for (const auto& [key, value] : fields)
    {
        if (key != name) continue;
        if (found != nullptr) throw Problem::invalid(name, "duplicate", "Sent more than once");
        found = &value;
    }
    return found == nullptr ? std::string() : *found;
}

std::vector<std::string> valuesOf(const std::vector<std::pair<std::string, std::string>>& fields, std::string_view name)
{
    std::vector<std::string> values;
    for (const auto& [key, value] : fields)
        if (key == name && !value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
    return values;
}

std::vector<std::pair<std::string, std::string>> formOf(std::string_view contentType, std::string_view body)
{
    const auto type = trim(contentType.substr(0, contentType.find(';')));
    if (!equalsIgnoreCase(type, "application/x-www-form-urlencoded"))
        throw Problem(415, "unsupported_media_type", "This route takes application/x-www-form-urlencoded.");
    return parseForm(body);
}

bool isJsonType(std::string_view contentType)
{
    return equalsIgnoreCase(trim(contentType.substr(0, contentType.find(';'))), "application/json");
}

} // namespace portico::identity
