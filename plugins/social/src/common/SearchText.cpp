#include "common/SearchText.h"

#include "portico/Text.h"

#include <sstream>

namespace portico::social
{

std::vector<std::string> likePatterns(std::string_view words)
{
    std::vector<std::string> patterns;
    std::istringstream folded(fold(words));
    for (std::string word; folded >> word;)
    {
        std::string pattern = "%";
        for (const char c : word)
        {
            if (c == '%' || c == '_' || c == '\\') pattern += '\\';
            pattern += c;
        }
        patterns.push_back(pattern + '%');
    }
    return patterns;
}

} // namespace portico::social
