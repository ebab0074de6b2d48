#include "attachments/ContentType.h"

#include "portico/HeaderValue.h"
#include "portico/Http.h"

#include <algorithm>
#include <array>

namespace portico::crm
{

namespace
{

using namespace std::string_view_literals;

/// Bytes at the start of a file, and for containers a second text at a fixed place.
struct Signature
{
    std::string_view start;
    std::string_view contentType;
    std::size_t secondOffset = 0;
    std::string_view second = {};
};

constexpr std::array signatures{
    Signature{"%PDF-"sv, "application/pdf"sv},
    Signature{"%!PS-Adobe-"sv, "application/postscript"sv},
    Signature{"\xfe\xff"sv, "text/plain"sv},
    Signature{"\xff\xfe"sv, "text/plain"sv},
    Signature{"\xef\xbb\xbf"sv, "text/plain"sv},
    Signature{"\x89PNG\r\n\x1a\n"sv, "image/png"sv},
    Signature{"\xff\xd8\xff"sv, "image/jpeg"sv},
    Signature{"GIF87a"sv, "image/gif"sv},
    Signature{"GIF89a"sv, "image/gif"sv},
    Signature{"RIFF"sv, "image/webp"sv, 8, "WEBPVP"sv},
    Signature{"BM"sv, "image/bmp"sv},
    Signature{"\0\0\1\0"sv, "image/x-icon"sv},
    Signature{"\0\0\2\0"sv, "image/x-icon"sv},
    Signature{"FORM"sv, "audio/aiff"sv, 8, "AIFF"sv},
    Signature{"ID3"sv, "audio/mpeg"sv},
    Signature{"OggS\0"sv, "application/ogg"sv},
    Signature{"MThd\0\0\0\6"sv, "audio/midi"sv},
    Signature{"RIFF"sv, "video/avi"sv, 8, "AVI "sv},
    Signature{"RIFF"sv, "audio/wave"sv, 8, "WAVE"sv},
    Signature{"\x1f\x8b\x08"sv, "application/x-gzip"sv},
    Signature{"PK\3\4"sv, "application/zip"sv},
    Signature{"PK\5\6"sv, "application/zip"sv},
    Signature{"Rar!\x1a\7"sv, "application/x-rar-compressed"sv},
    // Not in the standard, but what people attach.
    Signature{"7z\xbc\xaf\x27\x1c"sv, "application/x-7z-compressed"sv},
    Signature{"II*\0"sv, "image/tiff"sv},
    Signature{"MM\0*"sv, "image/tiff"sv},
    Signature{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "application/x-ole-storage"sv},
};

/// Tags that make a text HTML when a space or `>` follows.
constexpr std::array htmlTags{
    "<!doctype html"sv, "<html"sv,  "<head"sv, "<script"sv, "<iframe"sv, "<h1"sv, "<div"sv, "<font"sv, "<table"sv, "<a"sv,
    "<style"sv,         "<title"sv, "<b"sv,    "<body"sv,   "<br"sv,     "<p"sv,  "<!--"sv};

bool startsWithTag(std::string_view text, std::string_view tag) noexcept
{
    if (text.size() <= tag.size() || !equalsIgnoreCase(text.substr(0, tag.size()), tag)) return false;
    const char next = text[tag.size()];
    return tag == "<!--" || next == ' ' || next == '>';
}

std::string_view markupType(std::string_view text) noexcept
{
    text.remove_prefix(std::min(text.find_first_not_of("\t\n\f\r "), text.size()));
    if (text.starts_with("<?xml")) return "text/xml";
    if (startsWithTag(text, "<svg")) return "image/svg+xml";
    const bool html = std::any_of(htmlTags.begin(), htmlTags.end(), [text](std::string_view tag) { return startsWithTag(text, tag); });
    return html ? "text/html"sv : std::string_view();
}

bool matches(const Signature& signature, std::string_view bytes) noexcept
{
    return bytes.starts_with(signature.start) &&
           (signature.second.empty() ||
            (bytes.size() > signature.secondOffset && bytes.substr(signature.secondOffset).starts_with(signature.second)));
}

std::string_view typeOfBrand(std::string_view brand) noexcept
{
    if (brand.starts_with("mp4") || brand == "isom" || brand == "M4V ") return "video/mp4";
    if (brand == "M4A ") return "audio/mp4";
    if (brand == "qt  ") return "video/quicktime";
    if (brand == "heic" || brand == "heix" || brand == "mif1") return "image/heic";
    if (brand == "avif") return "image/avif";
    return {};
}

/// ISO base media files: a box `ftyp` with the major brand and those that it is compatible with.
std::string_view isoMediaType(std::string_view bytes) noexcept
{
    if (bytes.size() < 12 || bytes.substr(4, 4) != "ftyp") return {};
    std::size_t boxSize = 0;
    for (const char c : bytes.substr(0, 4)) boxSize = boxSize << 8U | static_cast<unsigned char>(c);
    if (boxSize % 4 != 0 || boxSize > bytes.size()) return {};
    if (const auto type = typeOfBrand(bytes.substr(8, 4)); !type.empty()) return type;
    for (std::size_t at = 16; at + 4 <= boxSize; at += 4)
        if (const auto type = typeOfBrand(bytes.substr(at, 4)); !type.empty()) return type;
    return {};
}

/// EBML with the document type `webm` near the start.
bool isWebm(std::string_view bytes) noexcept
{
    if (!bytes.starts_with("\x1a\x45\xdf\xa3"sv)) return false;
    const auto head = bytes.substr(0, 42);
    const auto documentType = head.find("\x42\x82"sv);
    return documentType != std::string_view::npos && head.find("webm", documentType) != std::string_view::npos;
}

/// Bytes that no text has.
bool isBinary(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x08 || byte == 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

/// Formats that look like another one from outside.
struct Refinement
{
    std::string_view sniffed;
    std::string_view declared;
};

constexpr std::array refinements{
    Refinement{"text/plain"sv, "text/csv"sv},
    Refinement{"text/plain"sv, "text/tab-separated-values"sv},
    Refinement{"text/plain"sv, "text/vcard"sv},
    Refinement{"text/plain"sv, "text/x-vcard"sv},
    Refinement{"text/plain"sv, "text/calendar"sv},
    Refinement{"text/plain"sv, "text/markdown"sv},
    Refinement{"text/plain"sv, "text/rtf"sv},
    Refinement{"text/plain"sv, "application/rtf"sv},
    Refinement{"text/plain"sv, "application/json"sv},
    Refinement{"text/plain"sv, "application/x-ndjson"sv},
    Refinement{"text/plain"sv, "message/rfc822"sv},
    Refinement{"text/xml"sv, "image/svg+xml"sv},
    Refinement{"application/zip"sv, "application/epub+zip"sv},
    Refinement{"application/zip"sv, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"sv},
    Refinement{"application/zip"sv, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"sv},
    Refinement{"application/zip"sv, "application/vnd.openxmlformats-officedocument.presentationml.presentation"sv},
    Refinement{"application/zip"sv, "application/vnd.oasis.opendocument.text"sv},
    Refinement{"application/zip"sv, "application/vnd.oasis.opendocument.spreadsheet"sv},
    Refinement{"application/zip"sv, "application/vnd.oasis.opendocument.presentation"sv},
    Refinement{"application/x-ole-storage"sv, "application/msword"sv},
    Refinement{"application/x-ole-storage"sv, "application/vnd.ms-excel"sv},
    Refinement{"application/x-ole-storage"sv, "application/vnd.ms-powerpoint"sv},
    Refinement{"application/x-ole-storage"sv, "application/vnd.ms-outlook"sv},
};

} // namespace

std::string_view sniffContentType(std::string_view firstBytes) noexcept
{
    const auto bytes = firstBytes.substr(0, sniffedBytes);
    if (const auto markup = markupType(bytes); !markup.empty()) return markup;
    const auto found =
        std::find_if(signatures.begin(), signatures.end(), [bytes](const Signature& signature) { return matches(signature, bytes); });
    if (found != signatures.end()) return found->contentType;
    if (const auto media = isoMediaType(bytes); !media.empty()) return media;
    if (isWebm(bytes)) return "video/webm";
    return std::any_of(bytes.begin(), bytes.end(), isBinary) ? "application/octet-stream"sv : "text/plain"sv;
}

std::string contentTypeOf(std::string_view firstBytes, const std::optional<std::string>& declaredType)
{
    const auto sniffed = sniffContentType(firstBytes);
    const auto declared = declaredType ? HeaderValue::parse(*declaredType) : std::nullopt;
    if (declared)
        for (const auto& refinement : refinements)
            if (refinement.sniffed == sniffed && declared->is(refinement.declared)) return std::string(refinement.declared);
    return std::string(sniffed);
}

bool isPhotoType(std::string_view contentType) noexcept
{
    constexpr std::array photos{"image/jpeg"sv, "image/png"sv, "image/gif"sv, "image/webp"sv, "image/bmp"sv};
    return std::find(photos.begin(), photos.end(), contentType) != photos.end();
}

} // namespace portico::crm
