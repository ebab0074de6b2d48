#include "fuzz/Require.h"

#include "external/Xml.h"

using portico::calendar::XmlElement;

namespace
{
/// Everything that was read is within the limits, and is found by what finds it. @return bytes of all texts
std::size_t check(const XmlElement& element, int depth)
{
    portico::fuzz::require(depth <= 33 && element.name.size() <= 256);
    std::size_t size = element.text.size();
    for (const auto& child : element.children)
    {
        portico::fuzz::require(!child.name.empty() && element.child(child.name) && element.find(child.name));
        size += check(child, depth + 1);
    }
    return size;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = portico::fuzz::textOf(data, size);
    try
    {
        const auto document = portico::calendar::parseXml(text);
        // Nothing grows but by the encoding: XML knows those in which three bytes of UTF-8 are one or two.
        portico::fuzz::require(check(document, 0) <= 3 * size);
        const auto again = portico::calendar::parseXml("<a>" + portico::calendar::escapeXml(document.textOf("DAV:href")) + "</a>");
        portico::fuzz::require(again.name == "a" && again.children.empty());
    }
    catch (const portico::calendar::XmlError&)
    {
    }
    return 0;
}
