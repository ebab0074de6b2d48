#include "attachments/ContentType.h"
#include "attachments/FileName.h"
#include "support/Suite.h"

#include "portico/Text.h"

#include <string>
#include <utility>
#include <vector>

namespace portico::tests
{

using namespace std::string_literals;

/// Detection of content types by first bytes, and sanitizing of file names.
class AttachmentContentTest : public Suite<AttachmentContentTest>
{
    TEST(knowsSignatures)
    {
        for (const auto& [bytes, type] :
             std::vector<std::pair<std::string, std::string>>{{"%PDF-1.4", "application/pdf"},
                                                              {"%!PS-Adobe-3.0", "application/postscript"},
                                                              {"\x89PNG\r\n\x1a\n....", "image/png"},
                                                              {"\xff\xd8\xff\xdb", "image/jpeg"},
                                                              {"GIF89a..", "image/gif"},
                                                              {"GIF87a..", "image/gif"},
                                                              {"RIFF\1\2\3\4WEBPVP8 ", "image/webp"},
                                                              {"RIFF\1\2\3\4WAVE", "audio/wave"},
                                                              {"RIFF\1\2\3\4AVI ", "video/avi"},
                                                              {"FORM\1\2\3\4AIFF", "audio/aiff"},
                                                              {"BM....", "image/bmp"},
                                                              {"\0\0\1\0.."s, "image/x-icon"},
                                                              {"ID3\3", "audio/mpeg"},
                                                              {"OggS\0\2"s, "application/ogg"},
                                                              {"MThd\0\0\0\6\0"s, "audio/midi"},
                                                              {"\x1f\x8b\x08..", "application/x-gzip"},
                                                              {"PK\3\4..", "application/zip"},
                                                              {"Rar!\x1a\7\1", "application/x-rar-compressed"},
                                                              {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"}})
            equal(type, std::string(crm::sniffContentType(bytes)), bytes);
        // Cut signatures are none.
        for (const auto& bytes : {"%PDF"s, "RIFF\1\2\3\4"s, "RIFF\1\2\3\4WEBP"s, "\x89PNG"s, "GIF88a"s})
            CHECK(!crm::sniffContentType(bytes).starts_with("image/") && !crm::sniffContentType(bytes).ends_with("pdf"));
    }

    TEST(findsMarkup)
    {
        for (const auto* text : {"<!DOCTYPE HTML>", "<!doctype html >", " \t\r\n\f<html>", "<SCRIPT src=x>", "<!-- x", "<a href=x>", "<p>",
                                 "<iframe >", "<body onload=x>"})
            equal("text/html", std::string(crm::sniffContentType(text)), text);
        for (const auto* text : {"<article>", "<html", "x<html>", "<ptr>", "alert(1)", "@import url(x)", "", "\xef\xbb\xbf<html>"})
            equal("text/plain", std::string(crm::sniffContentType(text)), text);
        equal("text/xml", std::string(crm::sniffContentType("<?xml version=\"1.0\"?><svg/>")));
        equal("image/svg+xml", std::string(crm::sniffContentType("\n<svg onload=\"alert(1)\">")));
    }

    TEST(distinguishesTextFromBinary)
    {
        for (int byte = 0; byte < 256; ++byte)
        {
            const bool binary = byte <= 8 || byte == 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
            equal(std::string(binary ? "application/octet-stream" : "text/plain"),
                  std::string(crm::sniffContentType("text" + std::string(1, static_cast<char>(byte)))));
        }
        // Only the beginning is looked at.
        equal("text/plain", std::string(crm::sniffContentType(std::string(1445, 'x') + '\0')));
        equal("application/octet-stream", std::string(crm::sniffContentType(std::string(1444, 'x') + '\0')));
    }

    TEST(readsMediaContainers)
    {
        const auto box = [](const std::string& brands)
        { return std::string("\0\0\0", 3) + static_cast<char>(8 + brands.size()) + "ftyp" + brands; };
        for (const auto& [brands, type] : std::vector<std::pair<std::string, std::string>>{{"mp42\0\0\0\0"s, "video/mp4"},
                                                                                           {"xxxx\0\0\0\0yyyymp41"s, "video/mp4"},
                                                                                           {"heic\0\0\0\0"s, "image/heic"},
                                                                                           {"avif\0\0\0\0"s, "image/avif"},
                                                                                           {"M4A \0\0\0\0"s, "audio/mp4"},
                                                                                           {"xxxx\0\0\0\0"s, "application/octet-stream"}})
            equal(type, std::string(crm::sniffContentType(box(brands))));
        // A box that says that it is longer than the file.
        equal("application/octet-stream", std::string(crm::sniffContentType("\0\0\xff\xfc"
                                                                            "ftypmp42\0\0\0\0"s)));
        equal("video/webm", std::string(crm::sniffContentType("\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm"s)));
        equal("application/octet-stream", std::string(crm::sniffContentType("\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska"s)));
    }

    TEST(believesSendersOnlyInDetails)
    {
        for (const auto& [bytes, declared, type] : std::vector<std::tuple<std::string, std::string, std::string>>{
                 {"a,b", "text/csv", "text/csv"},
                 {"a,b", "Text/CSV; charset=utf-8", "text/csv"},
                 {"a,b", "text/html", "text/plain"},
                 {"a,b", "text/javascript", "text/plain"},
                 {"a,b", "text/css", "text/plain"},
                 {"a,b", "image/png", "text/plain"},
                 {"a,b", "nonsense", "text/plain"},
                 {"a,b", ";", "text/plain"},
                 {"<html>", "text/csv", "text/html"},
                 {"PK\3\4", "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"},
                 {"PK\3\4", "application/java-archive", "application/zip"},
                 {"\1\2", "application/vnd.oasis.opendocument.text", "application/octet-stream"},
                 {"<?xml ", "image/svg+xml", "image/svg+xml"},
                 {"<?xml ", "application/xhtml+xml", "text/xml"}})
            equal(type, crm::contentTypeOf(bytes, declared), bytes + " as " + declared);
        equal("text/plain", crm::contentTypeOf("a,b", std::nullopt));
    }

    TEST(knowsPhotos)
    {
        CHECK(crm::isPhotoType("image/jpeg") && crm::isPhotoType("image/png") && crm::isPhotoType("image/webp"));
        CHECK(!crm::isPhotoType("image/svg+xml") && !crm::isPhotoType("text/plain") && !crm::isPhotoType(""));
    }

    TEST(cutsNamesEverywhere)
    {
        const auto clean = [](const std::string& sent) { return crm::cleanFileName(sent).value_or("(none)"); };
        equal("a.txt"s, clean("a.txt"));
        equal("b"s, clean("/x/y\\z/b"));
        equal("a b"s, clean(" a\0 \tb\x1f"s));
        equal("..."s.substr(0, 0), clean("..."));
        equal("...a"s, clean("...a"));
        equal("ab"s, clean("a\xef\xbb\xbf\xe2\x80\xa8"
                           "b"));
        equal("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80"s, clean("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80"));
        for (const auto& broken : {"\xff"s, "a\xc3"s, "\xed\xa0\x80"s, "\xc0\xaf"s}) equal("(none)"s, clean(broken));
        equal(3, characterCount("a\xc3\xa9\xf0\x9f\x91\xa9"));
    }
};

} // namespace portico::tests
