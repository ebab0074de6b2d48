#include "Client.h"

#include <string>

namespace portico::mobile
{

namespace
{

/// The mark, then the word in strokes: no font is needed. 136 by 32 units.
constexpr std::string_view markPath = "M8 24V14a8 8 0 0 1 16 0v10M13 24V14a3 3 0 0 1 6 0v10";
constexpr std::string_view wordPath = "M43 24V8h6a4.5 4.5 0 0 1 0 9h-6"                                // P
                                      "M58.5 18.5a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0"               // o
                                      "M76 24V13M76 17a4.5 4.5 0 0 1 6-4"                              // r
                                      "M89 8.500v12.500a3 3 0 0 0 4 3M85.500 13h7.500"                 // t
                                      "M99 24V13M99 8.400v.2"                                          // i
                                      "M115 14.500a5.500 5.500 0 1 0 0 8"                              // c
                                      "M121.500 18.500a5.500 5.500 0 1 0 11 0a5.500 5.500 0 1 0-11 0"; // o

} // namespace

std::string lockup(pm_theme theme, std::uint32_t height)
{
    if ((theme != PM_LIGHT && theme != PM_DARK) || height < 8 || height > 4096) throw Failure{PM_INVALID_ARGUMENT};
    const bool dark = theme == PM_DARK;
    const std::string tile = dark ? "#9db2ff" : "#2f4fc9";
    const std::string onTile = dark ? "#10131a" : "#ffffff";
    const std::string ink = dark ? "#f2f4f8" : "#10131a";
    const auto width = (height * 136u + 16u) / 32u;
    return R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Portico" viewBox="0 0 136 32" width=")" +
           std::to_string(width) + R"(" height=")" + std::to_string(height) + R"("><rect width="32" height="32" rx="8" fill=")" + tile +
           R"("/><g fill="none" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><path stroke=")" + onTile + R"(" d=")" +
           std::string(markPath) + R"("/><path stroke=")" + ink + R"(" d=")" + std::string(wordPath) + R"("/></g></svg>)";
}

} // namespace portico::mobile
