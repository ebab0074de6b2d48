#include "imports/ImportFileName.h"

#include "text/Folding.h"

#include "portico/HeaderValue.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t mostCharacters = 200;

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string_view cutToCharacters(std::string_view text, std::size_t count)
{
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && count-- == 0) return text.substr(0, i);
    return text;
}

} // namespace

std::string importFileName(std::string_view sent)
{
    std::string name = decodeExtendedValue(sent).value_or(std::string(sent));
    name.erase(0, name.find_last_of("/\\") + 1);
    std::erase_if(name, isControl);
    // A header may hold bytes that are no text; such a name is none.
    if (!name.empty() && fold(name).empty()) return {};
    return std::string(trim(cutToCharacters(name, mostCharacters)));
}

} // namespace portico::crm
