#include "external/Xml.h"

#include "portico/Text.h"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace portico::calendar
{

namespace
{
constexpr std::size_t deepestElement = 32;
constexpr std::size_t mostElements = 400'000;
/// With its namespace, which stands once in the text and in every name that uses it.
constexpr std::size_t longestName = 256;

/// What expat's calls come to.
struct XmlBuilder
{
    XML_Parser parser;
    std::vector<XmlElement> open;
    std::size_t count = 0;
    const char* fault = nullptr;

    void stop(const char* why)
    {
        fault = why;
        XML_StopParser(parser, XML_FALSE);
    }
};

XmlBuilder& builderOf(void* user) { return *static_cast<XmlBuilder*>(user); }

void onStart(void* user, const XML_Char* name, const XML_Char**)
{
    auto& builder = builderOf(user);
    if (builder.open.size() > deepestElement || ++builder.count > mostElements || std::string_view(name).size() > longestName)
        return builder.stop("it is too deep or too long");
    builder.open.push_back({name, {}, {}});
}

void onEnd(void* user, const XML_Char*)
{
    auto& open = builderOf(user).open;
    auto finished = std::move(open.back());
    open.pop_back();
    open.back().children.push_back(std::move(finished));
}

void onText(void* user, const XML_Char* text, int size) { builderOf(user).open.back().text.append(text, static_cast<std::size_t>(size)); }

/// Bytes of the UTF-8 character at the beginning; 0 for none.
std::size_t characterLength(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size()) return 0;
    const auto isNext = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    return std::ranges::all_of(text.substr(1, length - 1), isNext) ? length : 0;
}

/// The character of `11` or `xB`; a blank for what is no number.
unsigned referenceOf(std::string_view text)
{
    const bool isHex = text.starts_with('x');
    if (isHex) text.remove_prefix(1);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, isHex ? 16 : 10);
    return error == std::errc() && end == text.data() + text.size() ? value : ' ';
}

void onDocumentType(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int)
{
    builderOf(user).stop("it declares a document type");
}
} // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const noexcept
{
    const auto found = std::ranges::find(children, wanted, [](const XmlElement& element) -> std::string_view { return element.name; });
    return found == children.end() ? nullptr : &*found;
}

const XmlElement* XmlElement::find(std::string_view wanted) const noexcept
{
    for (const auto& element : children)
    {
        if (element.name == wanted) return &element;
        if (const auto* found = element.find(wanted)) return found;
    }
    return nullptr;
}

std::string_view XmlElement::textOf(std::string_view wanted) const noexcept
{
    const auto* element = child(wanted);
    return element ? trim(element->text) : std::string_view();
}

XmlElement parseXml(std::string_view text)
{
    // Without a separator, so that `DAV:` and `href` are one name; no two that are read here come out alike.
    const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreateNS(nullptr, '\0'), XML_ParserFree);
    if (!parser) throw std::bad_alloc();
    XmlBuilder builder{parser.get(), {XmlElement{}}, 0, nullptr};
    XML_SetUserData(parser.get(), &builder);
    XML_SetElementHandler(parser.get(), onStart, onEnd);
    XML_SetCharacterDataHandler(parser.get(), onText);
    XML_SetStartDoctypeDeclHandler(parser.get(), onDocumentType);
    const bool read = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) == XML_STATUS_OK;
    if (builder.fault) throw XmlError(builder.fault);
    if (!read) throw XmlError(XML_ErrorString(XML_GetErrorCode(parser.get())));
    return std::move(builder.open.front().children.front());
}

std::string xmlCharacters(std::string_view text)
{
    std::string allowed;
    allowed.reserve(text.size());
    const auto isAllowed = [](unsigned value) { return value >= 0x20 || value == '\t' || value == '\n' || value == '\r'; };
    for (std::size_t at = 0; at < text.size();)
    {
        const auto length = characterLength(text.substr(at));
        if (length == 0 || !isAllowed(static_cast<unsigned char>(text[at])))
        {
            allowed += ' ';
            ++at;
            continue;
        }
        const auto end = text.substr(at, 2) == "&#" ? text.substr(at, 10).find(';') : std::string_view::npos;
        if (end != std::string_view::npos && !isAllowed(referenceOf(text.substr(at + 2, end - 2))))
        {
            allowed += ' ';
            at += end + 1;
            continue;
        }
        allowed += text.substr(at, length);
        at += length;
    }
    return allowed;
}

std::string escapeXml(std::string_view text)
{
    std::string escaped;
    for (const char c : text)
    {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"')
            escaped += "&quot;";
        else
            escaped += c;
    }
    return escaped;
}

} // namespace portico::calendar
