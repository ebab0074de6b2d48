#include "text/FoldedText.h"

#include <algorithm>
#include <iterator>

namespace portico::crm
{

namespace
{

bool isMark(char c) { return c == '\'' || c == '-'; }

} // namespace

std::string withoutMarks(std::string_view folded)
{
    constexpr std::string_view spaces = " \t\r\n\v\f";
    std::string out;
    while (!folded.empty())
    {
        const auto space = folded.find_first_not_of(spaces);
        out += folded.substr(0, space);
        folded.remove_prefix(std::min(space, folded.size()));
        const auto word = folded.substr(0, folded.find_first_of(spaces));
        folded.remove_prefix(word.size());
        if (std::all_of(word.begin(), word.end(), isMark))
            out += word;
        else
            std::copy_if(word.begin(), word.end(), std::back_inserter(out), [](char c) { return !isMark(c); });
    }
    return out;
}

} // namespace portico::crm
