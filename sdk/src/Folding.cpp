#include "portico/Text.h"

#include "PlainMarks.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

namespace portico
{

namespace
{

struct Free
{
    void operator()(utf8proc_uint8_t* text) const noexcept { std::free(text); }
};

std::string map(std::string_view text, int options)
{
    utf8proc_uint8_t* mapped = nullptr;
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                                   &mapped, static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
    const std::unique_ptr<utf8proc_uint8_t, Free> owner(mapped);
    if (size < 0) return {};
    return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

bool isAllAscii(std::string_view text)
{
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80) return false;
    return true;
}

std::string lowerAscii(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

/// Letters that people type without their stroke or as two letters, though Unicode does not take them apart. After case folding.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> strokes{
    {{"ø", "o"}, {"ł", "l"}, {"đ", "d"}, {"ħ", "h"}, {"ŧ", "t"}, {"ð", "d"}, {"æ", "ae"}, {"œ", "oe"}, {"ı", "i"}}};

std::string withoutStrokes(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty())
    {
        bool replaced = false;
        for (const auto& [letter, plain] : strokes)
        {
            if (!text.starts_with(letter)) continue;
            out += plain;
            text.remove_prefix(letter.size());
            replaced = true;
            break;
        }
        if (replaced) continue;
        out += text.front();
        text.remove_prefix(1);
    }
    return out;
}

} // namespace

std::string fold(std::string_view text)
{
    // Before the compatibility forms: they decompose an acute accent into a space and a mark.
    const auto plain = detail::withPlainMarks(text);
    if (isAllAscii(plain)) return lowerAscii(plain);
    return withoutStrokes(map(plain, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE | UTF8PROC_STRIPMARK));
}

std::string compose(std::string_view text)
{
    if (isAllAscii(text)) return std::string(text);
    auto composed = map(text, UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    return composed.empty() ? std::string(text) : composed;
}

std::string foldCase(std::string_view text)
{
    if (isAllAscii(text)) return lowerAscii(text);
    return map(text, UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
}

} // namespace portico
