#include "records/Host.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::calendar
{

namespace
{
/// First segments of paths that are, or may become, the service's own.
constexpr std::array reserved{"api",      "app",      "assets", "auth",   "docs",    "embed",  "health",   "healthz",
                              "readyz",   "internal", "login",  "logout", "metrics", "oauth",  "register", "session",
                              "settings", "sso",      "static", "store",  "widget",  "public", "launch"};

bool isDigitOrLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
} // namespace

bool isName(std::string_view text) { return cleanText(text, text.size()) == text; }

bool isLocale(std::string_view text)
{
    if (text.empty()) return true;
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto language = text.substr(0, text.find('-'));
    return language.size() >= 2 && language.size() <= 8 && std::ranges::all_of(language, isLetter) && text.back() != '-' &&
           text.find("--") == std::string_view::npos &&
           std::ranges::all_of(text, [&](char c) { return isLetter(c) || c == '-' || (c >= '0' && c <= '9'); });
}

bool isColor(std::string_view text)
{
    return text.empty() ||
           (text.size() == 7 && text.front() == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos);
}

bool isHandle(std::string_view text)
{
    if (text.size() < 3 || text.size() > 40 || !isDigitOrLetter(text.front()) || !isDigitOrLetter(text.back())) return false;
    return std::ranges::all_of(text, [](char c) { return isDigitOrLetter(c) || c == '-'; }) &&
           std::ranges::find(reserved, text) == reserved.end();
}

} // namespace portico::calendar
