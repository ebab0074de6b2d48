#include "host/platform/mail/MailText.h"

#include "host/base/Digests.h"

#include "portico/Http.h"

#include <algorithm>
#include <array>

namespace portico::host::platform
{

namespace
{

constexpr std::size_t lineLength = 76;

bool isAscii(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Characters of a parameter that need no percent (RFC 2231, attribute-char).
bool isAttributeChar(char c) noexcept
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("!#$&+-.^_`{}~").find(c) != std::string_view::npos;
}

std::string quoted(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text)
    {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

} // namespace

std::string encodedHeader(std::string_view text)
{
    // What looks like an encoded word would be decoded.
    if (isAscii(text) && text.find("=?") == std::string_view::npos) return folded(text, 9);
    constexpr std::size_t wordBytes = 39; // with the name of the header and the frame within a line
    std::string encoded;
    while (!text.empty())
    {
        std::size_t length = std::min(wordBytes, text.size());
        while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
        if (length == 0) length = std::min(wordBytes, text.size()); // no UTF-8: cut anywhere
        if (!encoded.empty()) encoded += "\r\n ";
        encoded += "=?UTF-8?B?" + toBase64(text.substr(0, length)) + "?=";
        text.remove_prefix(length);
    }
    return encoded;
}

std::string mailbox(std::string_view name, std::string_view address)
{
    if (name.empty()) return std::string(address);
    const bool plain = isAscii(name) && name.find("=?") == std::string_view::npos;
    return (plain ? quoted(name) : encodedHeader(name)) + "\r\n <" + std::string(address) + ">";
}

std::string folded(std::string_view value, std::size_t used)
{
    std::string lines;
    while (!value.empty())
    {
        // A line begins with a blank of the value, so that unfolding gives the value back.
        const auto next = std::min(value.size(), value.find(' ', 1));
        if (used + next > lineLength && value.front() == ' ' && !lines.empty())
        {
            lines += "\r\n";
            used = 0;
        }
        lines += value.substr(0, next);
        used += next;
        value.remove_prefix(next);
    }
    return lines;
}

std::string fileNameParameter(std::string_view name)
{
    constexpr std::size_t longestPlain = 60;
    if (isAscii(name) && name.size() <= longestPlain) return ";\r\n filename=" + quoted(name);
    constexpr std::size_t longestPiece = 54;
    std::string parameters;
    std::string piece = "UTF-8''";
    int number = 0;
    const auto write = [&] { parameters += ";\r\n filename*" + std::to_string(number++) + "*=" + piece; };
    for (const char c : name)
    {
        constexpr std::string_view digits = "0123456789ABCDEF";
        if (piece.size() >= longestPiece)
        {
            write();
            piece.clear();
        }
        const auto byte = static_cast<unsigned char>(c);
        if (isAttributeChar(c))
            piece += c;
        else
            piece.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
    }
    write();
    return parameters;
}

void appendWrappedBase64(std::string& out, std::string_view bytes)
{
    constexpr std::size_t bytesOfALine = lineLength / 4 * 3;
    constexpr std::size_t linesAtOnce = 1'024;
    out.reserve(out.size() + bytes.size() / bytesOfALine * (lineLength + 2) + lineLength + 2);
    while (!bytes.empty())
    {
        const auto encoded = toBase64(bytes.substr(0, bytesOfALine * linesAtOnce));
        for (std::size_t at = 0; at < encoded.size(); at += lineLength) out.append(encoded, at, lineLength).append("\r\n");
        bytes.remove_prefix(std::min(bytes.size(), bytesOfALine * linesAtOnce));
    }
}

std::string calendarMethod(std::string_view calendar)
{
    constexpr std::string_view property = "METHOD:";
    bool begun = false;
    while (!calendar.empty())
    {
        auto line = calendar.substr(0, calendar.find('\n'));
        calendar.remove_prefix(std::min(calendar.size(), line.size() + 1));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!begun && !equalsIgnoreCase(line, "BEGIN:VCALENDAR")) return {};
        begun = true;
        if (!equalsIgnoreCase(line.substr(0, property.size()), property)) continue;
        std::string method(line.substr(property.size()));
        std::transform(method.begin(), method.end(), method.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
        const bool isWord = std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        return isWord ? method : std::string();
    }
    return {};
}

std::string_view ownHeaderName(std::string_view name) noexcept
{
    constexpr std::array<std::string_view, 6> names = {"List-Unsubscribe", "List-Unsubscribe-Post", "List-Id", "In-Reply-To",
                                                       "References",       "Auto-Submitted"};
    const auto* const found =
        std::find_if(names.begin(), names.end(), [&](std::string_view known) { return equalsIgnoreCase(known, name); });
    return found == names.end() ? std::string_view() : *found;
}

} // namespace portico::host::platform
