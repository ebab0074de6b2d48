#include "catalog/Landing.h"

#include "web/Urls.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace portico::identity::landing
{

namespace
{

constexpr std::array<std::string_view, 5> runningSchemes = {"javascript:", "vbscript:", "data:", "file:", "blob:"};

bool isControl(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }

/// Returns true for a scriptable scheme. Normalizes like a browser: without white space and control characters, ignoring case.
bool wouldRun(std::string_view text)
{
    std::string plain;
    for (const char c : text)
    {
        if (plain.size() > 12) break;
        if (!isControl(c)) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return std::ranges::any_of(runningSchemes, [&](std::string_view scheme) { return plain.starts_with(scheme); });
}

/// Reads the next string of a well-formed JSON text, with ASCII escapes resolved, and moves `at` behind it. Returns false at the end.
bool nextString(std::string_view json, std::size_t& at, std::string& out)
{
    at = json.find('"', at);
    if (at == std::string_view::npos) return false;
    out.clear();
    for (++at; at < json.size() && json[at] != '"'; ++at)
    {
        if (json[at] != '\\')
        {
            out += json[at];
            continue;
        }
        const char kind = json[++at];
        unsigned code = 0;
        if (kind == 'u')
        {
            std::from_chars(json.data() + at + 1, json.data() + at + 5, code, 16);
            at += 4;
        }
        out += kind == 'u' ? (code < 0x80 ? static_cast<char>(code) : '?') : kind == '/' || kind == '"' || kind == '\\' ? kind : ' ';
    }
    ++at;
    return true;
}

} // namespace

bool hasRunningText(std::string_view json)
{
    std::string text;
    for (std::size_t at = 0; nextString(json, at, text);)
        if (wouldRun(text)) return true;
    return false;
}

bool isSafeUrl(std::string_view url) noexcept
{
    if (std::ranges::any_of(url, [](char c) { return isControl(c) || c == '\\'; })) return false;
    if (url.starts_with('/')) return !namesAnotherHost(url);
    for (const std::string_view scheme : {"https://", "http://"})
        if (url.starts_with(scheme)) return url.size() > scheme.size() && url[scheme.size()] != '/';
    return false;
}

void requireSafe(const LandingConfig& config)
{
    auto refusal = Problem::badRequest("unsafe_url", "An address leads to http, https or a path of the service.");
    const auto check = [&](bool good, std::string place)
    {
        if (!good) refusal.with({std::move(place), "unsafe_url", "This address is not one to click on."});
    };
    check(!config.heroImageUrl || config.heroImageUrl->empty() || isSafeUrl(*config.heroImageUrl), "heroImageUrl");
    for (std::size_t i = 0; i < config.ctas.size(); ++i) check(isSafeUrl(config.ctas[i].href), "ctas[" + std::to_string(i) + "].href");
    for (std::size_t i = 0; i < config.sections.size(); ++i)
        check(!hasRunningText(config.sections[i].text), "sections[" + std::to_string(i) + ']');
    if (!refusal.errors().empty()) throw refusal;
}

} // namespace portico::identity::landing
