#include "text/EmailKey.h"

#include "text/DomainName.h"

#include "portico/Text.h"

namespace portico::crm
{

std::optional<std::string> emailKey(std::string_view address)
{
    const auto at = address.rfind('@');
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    const auto domain = asciiDomain(address.substr(at + 1));
    auto local = foldCase(address.substr(0, at));
    if (!domain || local.empty()) return std::nullopt;
    return local + '@' + *domain;
}

} // namespace portico::crm
