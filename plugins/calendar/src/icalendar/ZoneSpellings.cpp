#include "icalendar/ZoneSpellings.h"

#include "icalendar/Values.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

namespace portico::calendar::icalendar
{

namespace
{
using Spellings = std::map<std::string, std::string, std::less<>>;

std::string looseName(std::string_view name)
{
    auto loose = lowerCase(name);
    std::ranges::replace(loose, ' ', '_');
    return loose;
}

/// Lines of tzdata.zi that name zones are `Z Europe/Berlin …` and `L Asia/Kolkata Asia/Calcutta`.
Spellings readSpellings(const char* path)
{
    Spellings spellings;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
    {
        if (!line.starts_with("Z ") && !line.starts_with("L ")) continue;
        std::istringstream words(line);
        std::string kind, first, second;
        words >> kind >> first >> second;
        const auto& name = kind == "Z" ? first : second;
        spellings.emplace(looseName(name), name);
    }
    return spellings;
}
} // namespace

std::string spellingOf(std::string_view name)
{
    static const auto spellings = readSpellings("/usr/share/zoneinfo/tzdata.zi");
    if (name.size() > 64) return {};
    const auto found = spellings.find(looseName(name));
    return found == spellings.end() ? std::string() : found->second;
}

} // namespace portico::calendar::icalendar
