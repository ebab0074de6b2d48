#include "common/TypedCode.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::identity
{

namespace
{

/// In their composed form, which has one kind of hyphen and of blank for several.
constexpr std::array<std::string_view, 16> groupMarks{" ",
                                                      "\t",
                                                      "-",
                                                      "\xe2\x80\x90",
                                                      "\xe2\x80\x91",
                                                      "\xe2\x80\x92",
                                                      "\xe2\x80\x93",
                                                      "\xe2\x80\x94",
                                                      "\xe2\x88\x92",
                                                      "\xe2\x80\x8b",
                                                      "\xe2\x80\x8c",
                                                      "\xe2\x80\x8d",
                                                      "\xe2\x81\xa0",
                                                      "\xef\xbb\xbf",
                                                      "\xe2\x80\x8e",
                                                      "\n"};

} // namespace

std::string typedCode(std::string_view text)
{
    const auto composed = compose(text);
    std::string code;
    std::string_view rest = composed;
    while (!rest.empty())
    {
        const auto mark = std::ranges::find_if(groupMarks, [&](std::string_view one) { return rest.starts_with(one); });
        if (mark == groupMarks.end()) code += rest.front();
        rest.remove_prefix(mark == groupMarks.end() ? 1 : mark->size());
    }
    return code;
}

} // namespace portico::identity
