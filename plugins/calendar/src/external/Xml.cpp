#include "external/Xml.h"

#include "portico/Text.h"

#include <expat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>

namespace portico::calendar
{

namespace
{
constexpr std::size_t deepestElement = 32;
constexpr std::size_t maxElements = 400'000;
/// Includes the namespace, which is part of every name that uses it.
constexpr std::size_t longestName = 256;

/// Collects the results of expat's callbacks.
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
    if (builder.open.size() > deepestElement || ++builder.count > maxElements || std::string_view(name).size() > longestName)
        return builder.stop("it is too deep or too long");
    builder.open.push_back({name, {}, {}});
}

void onEnd(void* user, const XML_Char*)
{
    auto& builder = builderOf(user);
    // After a stop expat still reports the end of an empty element, whose start is not in `open`.
    if (builder.fault != nullptr) return;
    auto& open = builder.open;
    auto finished = std::move(open.back());
    open.pop_back();
    open.back().children.push_back(std::move(finished));
}

void onText(void* user, const XML_Char* text, int size) { builderOf(user).open.back().text.append(text, static_cast<std::size_t>(size)); }

/// Char of XML 1.0 (2.2).
bool isXmlCharacter(std::uint32_t code)
{
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    return code < 0xD800 || (code >= 0xE000 && code < 0xFFFE) || (code >= 0x10000 && code <= 0x10FFFF);
}

/// Bytes of the character at the beginning of a text, if it is one of UTF-8 that XML allows; 0 for another.
std::size_t characterLength(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || length > text.size()) return 0;
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
    for (const char c : text.substr(1, length - 1))
    {
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) return 0;
        code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
    }
    return code >= least[length] && isXmlCharacter(code) ? length : 0;
}

/// True for `#11` and `#xB` with a character that XML allows.
bool isCharacterReference(std::string_view text)
{
    if (!text.starts_with('#')) return false;
    text.remove_prefix(1);
    const bool isHex = text.starts_with('x');
    if (isHex) text.remove_prefix(1);
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code, isHex ? 16 : 10);
    return error == std::errc() && end == text.data() + text.size() && isXmlCharacter(code);
}

/// The name between the `&` at the beginning of a text and its semicolon; empty if there is none.
std::string_view referenceName(std::string_view text)
{
    constexpr std::size_t longest = 32;
    const auto end = text.substr(0, longest).find_first_not_of("#0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 1);
    return end != std::string_view::npos && text[end] == ';' ? text.substr(1, end - 1) : std::string_view();
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
    constexpr std::string_view literalBegin = "<![CDATA[", literalEnd = "]]>";
    constexpr std::array<std::string_view, 5> names{"amp", "lt", "gt", "quot", "apos"};
    std::string allowed;
    allowed.reserve(text.size());
    bool isLiteral = false;
    while (!text.empty())
    {
        const auto mark = isLiteral ? literalEnd : literalBegin;
        if (text.starts_with(mark)) isLiteral = !isLiteral;
        const auto length = characterLength(text);
        const auto name = text.front() == '&' && !isLiteral ? referenceName(text) : std::string_view();
        if (length == 0 || (name.starts_with('#') && !isCharacterReference(name)))
            allowed += ' ';
        else if (text.front() == '&' && !isLiteral && name.empty())
            allowed += "&amp;";
        else if (!name.empty() && !name.starts_with('#') && std::ranges::find(names, name) == names.end())
            (allowed += "&amp;") += text.substr(1, name.size() + 1);
        else
            allowed += text.substr(0, name.empty() ? length : name.size() + 2);
        text.remove_prefix(name.empty() ? std::max<std::size_t>(length, 1) : name.size() + 2);
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
