#include "fuzz/Require.h"

#include "external/Xml.h"

#include <string>

/// The repaired text is characters and references of XML, whatever it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using portico::calendar::xmlCharacters;
    std::string text(portico::fuzz::textOf(data, size));
    const auto repaired = xmlCharacters(text);
    portico::fuzz::require(repaired.size() <= 5 * size && xmlCharacters(repaired) == repaired);
    // Markup aside, nothing keeps it from being read.
    for (char& c : text)
        if (c == '<' || c == ']') c = ' ';
    const auto document = portico::calendar::parseXml("<a>" + xmlCharacters(text) + "</a>");
    portico::fuzz::require(document.name == "a" && document.children.empty());
    return 0;
}
