#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// A domain in lower-case A-label form (RFC 5890): `Bücher.example` is `xn--bcher-kva.example`. Empty when a label is empty or too long, or
/// the text is no UTF-8.
std::optional<std::string> asciiDomain(std::string_view domain);

/// Punycode (RFC 3492) of one label, without `xn--`. Empty for text that is no UTF-8.
std::optional<std::string> punycode(std::string_view label);

} // namespace portico::crm
