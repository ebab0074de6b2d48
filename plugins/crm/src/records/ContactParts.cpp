#include "records/ContactParts.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// Nothing, or `:` and digits: `javascript:alert` has no port.
bool isPort(std::string_view text)
{
    return text.empty() || (text.size() > 1 && text.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

} // namespace

bool isBirthday(std::string_view text)
{
    // A birthday without its year exists if it does in some year: 2000 has a 29 February.
    if (text.starts_with("--")) return text.size() == 7 && isDate("2000" + std::string(text.substr(1)));
    return isDate(text);
}

bool isWebsite(std::string_view text)
{
    const bool plain = std::all_of(text.begin(), text.end(),
                                   [](unsigned char c) { return c > 0x20 && c != 0x7f && c != '"' && c != '<' && c != '>' && c != '\\'; });
    if (!plain) return false;
    // Accepts bare host names, and schemes that are safe to link.
    if (text.starts_with("https://") || text.starts_with("http://")) return text.size() > text.find("//") + 2;
    const auto authority = text.substr(0, text.find_first_of("/?#"));
    const auto host = authority.substr(0, authority.find(':'));
    const auto port = authority.substr(host.size());
    return host.find('.') != std::string_view::npos && host.front() != '.' && host.find('@') == std::string_view::npos && isPort(port);
}

} // namespace portico::crm
