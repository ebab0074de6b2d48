#include "support/Suite.h"

#include "portico/HeaderValue.h"
#include "portico/Multipart.h"
#include "portico/Problem.h"

#include <algorithm>

using namespace portico;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

/// A received body that is returned in pieces of at most `pieceBytes`, like one whose end is not on disk yet.
class Received final : public ReceivedFile
{
public:
    explicit Received(std::string text, std::size_t pieceBytes = 1 << 20) : _text(std::move(text)), _pieceBytes(pieceBytes) {}
    std::uint64_t size() const noexcept override { return _text.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
    {
        if (offset >= _text.size()) return 0;
        largestRead = std::max(largestRead, buffer.size());
        return _text.copy(buffer.data(), std::min(buffer.size(), _pieceBytes), static_cast<std::size_t>(offset));
    }
    mutable std::size_t largestRead = 0;

private:
    std::string _text;
    std::size_t _pieceBytes;
};

const std::string formOfB = "multipart/form-data; boundary=b";

std::string part(const std::string& disposition, const std::string& content, const std::string& more = {})
{
    return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n" + more + "\r\n" + content + "\r\n";
}

std::string contentOf(const FormPart& part)
{
    std::string text(static_cast<std::size_t>(part.content.size()), '?');
    std::size_t held = 0;
    while (const auto count = part.content.read(held, std::span(text).subspan(held))) held += count;
    text.resize(held);
    return text;
}

/// A body and its parts, which refer to it.
struct SentForm
{
    Received body;
    std::vector<FormPart> parts;
    explicit SentForm(std::string text, const FormLimits& limits = {}) : body(std::move(text)), parts(readForm(body, formOfB, limits)) {}
};

/// Code and message of the refusal; fails the test if there is none.
std::string refusal(const std::string& body, const std::string& contentType = formOfB, const FormLimits& limits = {})
{
    try
    {
        const Received received(body);
        readForm(received, contentType, limits);
    }
    catch (const Problem& problem)
    {
        if (problem.errors().empty()) return std::to_string(problem.status()) + " " + problem.code();
        return std::to_string(problem.status()) + " " + problem.errors().front().code + ": " + problem.errors().front().message;
    }
    CPPUNIT_FAIL("accepted: " + body);
    return {};
}

void assertContains(const std::string& text, const std::string& wanted)
{
    CPPUNIT_ASSERT_MESSAGE("\"" + wanted + "\" not in \"" + text + "\"", text.find(wanted) != std::string::npos);
}

} // namespace

class MultipartTest : public Suite<MultipartTest>
{
    TEST(readsWhatCurlSends)
    {
        const std::string boundary = "------------------------d74496d66958873e";
        const Received whole(std::string("--" + boundary +
                                         "\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\nThe \xc3\xa9vidence\r\n--" +
                                         boundary +
                                         "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n"
                                         "Content-Type: application/pdf\r\n\r\n") +
                             std::string("%PDF\r\n\0\x01\xff", 9) + "\r\n--" + boundary + "--\r\n");
        CHECK(isFormData("Multipart/Form-Data ; boundary=x") && !isFormData("multipart/form-data2") && !isFormData(""));
        const auto parts = readForm(whole, "multipart/form-data; boundary=" + boundary);
        equal(2, parts.size());
        equal("description", parts[0].name);
        CHECK(!parts[0].fileName);
        equal("text/plain", parts[0].contentType);
        equal("The \xc3\xa9vidence", parts[0].text(100));
        equal("file", parts[1].name);
        equal("a.pdf", parts[1].fileName.value());
        equal("application/pdf", parts[1].contentType);
        equal(std::string("%PDF\r\n\0\x01\xff", 9), contentOf(parts[1]));
    }

    TEST(readsEmptyParts)
    {
        CHECK(SentForm("--b--").parts.empty());
        CHECK(SentForm("--b--\r\n").parts.empty());
        const SentForm form(part("name=a; filename=\"\"", "") + "--b--");
        const auto& empty = form.parts;
        equal("", empty.at(0).fileName.value());
        equal(0, empty[0].content.size());
        // The empty line's end is the boundary's at once.
        const Received shortest(
            "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n--b\r\nContent-Disposition: form-data; name=c\r\n\r\nx\r\n--b--");
        const auto two = readForm(shortest, formOfB);
        equal(2, two.size());
        equal("", contentOf(two[0]));
        equal("x", contentOf(two[1]));
    }

    TEST(ignoresPreambleAndEpilogue)
    {
        const SentForm form("not --b a part\r\n--a\r\n" + part("name=a", "1") + "--b-- \t\r\nepilogue\r\n--b\r\nnor this");
        const auto& parts = form.parts;
        equal(1, parts.size());
        equal("1", contentOf(parts[0]));
    }

    TEST(keepsBytesThatLookLikeBoundaries)
    {
        for (const std::string content : {"x--b", "\r\n--a", "\n--b\r\n", "\r\n-b--\r\n", "\r\r\n-", "\r\n"})
        {
            const SentForm form(part("name=a", content) + part("name=c", "z") + "--b--\r\n");
            const auto& parts = form.parts;
            equal(2, parts.size());
            equal(content, contentOf(parts[0]));
        }
    }

    /// Boundaries, header lines and line ends meet every position of the reader's buffer.
    TEST(readsLargePartsInAnyPieces)
    {
        for (std::size_t around = 0; around < 90; ++around)
        {
            const std::string large(65'536 - 90 + around, '\r');
            const std::string body = part("name=a", large) + part("name=f; filename=x", large + large) + "--b--\r\n";
            const Received received(body, 4'099);
            const auto parts = readForm(received, formOfB);
            equal(2, parts.size());
            equal(std::uint64_t(large.size()), parts[0].content.size());
            equal(std::uint64_t(2 * large.size()), parts[1].content.size());
            equal(large + large, contentOf(parts[1]));
        }
        const Received huge(part("name=a", std::string(3'000'000, 'x')) + "--b--");
        readForm(huge, formOfB);
        CHECK(huge.largestRead <= 65'536);
    }

    TEST(readsFileNames)
    {
        for (const auto& [disposition, wanted] :
             {std::pair<std::string, std::string>{"filename=\"r\xc3\xa9sum\xc3\xa9.pdf\"", "r\xc3\xa9sum\xc3\xa9.pdf"},
              {"filename=\"a%22b%0d%0A%2e.txt\"", "a\"b\r\n%2e.txt"},
              {"filename=\"a\\\"b\\\\c.txt\"", "a\"b\\c.txt"},
              {"filename=\"C:\\docs\\a.txt\"", "C:\\docs\\a.txt"},
              {"filename=\"..;name=x\"", "..;name=x"},
              {"filename=plain.txt", "plain.txt"},
              {"filename=\"old.txt\"; filename*=UTF-8''na%C3%AFve%20%f0%9f%99%82.txt", "na\xc3\xafve \xf0\x9f\x99\x82.txt"},
              {"FileName*=utf-8'en'x", "x"}})
        {
            const SentForm form(part("name=\"file\"; " + disposition, "1") + "--b--");
            const auto& parts = form.parts;
            equal(wanted, parts.at(0).fileName.value());
            equal("file", parts[0].name);
        }
    }

    TEST(refusesMalformedBodies)
    {
        const auto whole = part("name=a", "1") + "--b--\r\n";
        equal(1, SentForm(whole).parts.size());
        // Wherever it is cut: the only cut that is none is that of the last line end.
        for (std::size_t size = 0; size < whole.size() - 2; ++size) assertContains(refusal(whole.substr(0, size)), "400 malformed_form");
        assertContains(refusal(whole.substr(0, whole.size() - 1)), "end of its line");
        assertContains(refusal(""), "does not contain its boundary");
        assertContains(refusal("--c\r\n\r\n--c--"), "does not contain its boundary");
        assertContains(refusal("--bb\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--"), "end of its line");
        assertContains(refusal(part("name=a", "1") + "--bx\r\n\r\n--b--"), "end of its line");
        assertContains(refusal("--b\nContent-Disposition: form-data; name=a\n\n1\n--b--\n"), "end of its line");
        assertContains(refusal(part("name=a", "1") + "--b" + std::string(300, ' ') + "\r\n"), "end of its line");
        equal("415 unsupported_media_type", refusal(whole, "multipart/mixed; boundary=b"));
    }

    TEST(refusesMalformedHeaders)
    {
        const auto header = [](const std::string& lines) { return refusal("--b\r\n" + lines + "\r\n\r\n1\r\n--b--"); };
        assertContains(header("Content-Type: text/plain"), "no Content-Disposition");
        assertContains(header("Content-Disposition: form-data"), "no name");
        assertContains(header("Content-Disposition: form-data; name=\"\""), "no name");
        assertContains(header("Content-Disposition: attachment; name=a"), "not a valid form-data");
        assertContains(header("Content-Disposition: form-data; name=a; name=b"), "not a valid form-data");
        assertContains(header("Content-Disposition: form-data; name=\"a"), "not a valid form-data");
        assertContains(header("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b"), "not a valid form-data");
        assertContains(header("Content-Disposition: form-data; name=a\r\n ; filename=b"), "malformed header line");
        assertContains(header("Content-Disposition : form-data; name=a"), "malformed header line");
        assertContains(header("nothing"), "malformed header line");
        assertContains(header("Content-Disposition: form-data; name=a\nX: y"), "control character");
        assertContains(header(std::string("Content-Disposition: form-data; name=a\0b", 40)), "control character");
        assertContains(header("Content-Disposition: form-data; name=\"\xff\""), "not UTF-8");
        assertContains(header("Content-Disposition: form-data; name=a; filename*=ISO-8859-1''x"), "RFC 8187");
        assertContains(header("Content-Disposition: form-data; name=a\r\nContent-Type: text/plain\r\nContent-Type: text/html"),
                       "Content-Type is malformed");
        assertContains(header("Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64"), "Transfer-Encoding");
    }

    TEST(refusesBoundaries)
    {
        const auto body = part("name=a", "1") + "--b--";
        assertContains(refusal(body, "multipart/form-data"), "no boundary");
        assertContains(refusal(body, "multipart/form-data; boundary="), "malformed parameters");
        assertContains(refusal(body, "multipart/form-data; boundary=\"\""), "no boundary");
        assertContains(refusal(body, "multipart/form-data; boundary=b; boundary=c"), "malformed parameters");
        assertContains(refusal(body, "multipart/form-data; boundary=\"b "), "malformed parameters");
        assertContains(refusal(body, "multipart/form-data; boundary=\"b \""), "that is not allowed");
        assertContains(refusal(body, "multipart/form-data; boundary=\"b\r\""), "that is not allowed");
        assertContains(refusal(body, "multipart/form-data; boundary=" + std::string(71, 'b')), "more than 70");
        const std::string longest(70, '=');
        const Received received("--" + longest + "\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--" + longest + "--");
        equal(1, readForm(received, "multipart/form-data; charset=utf-8; boundary=\"" + longest + "\"").size());
    }

    TEST(keepsToItsLimits)
    {
        const auto body = part("name=a", "1") + part("name=b", "2") + part("name=c", "3") + "--b--";
        equal(3, SentForm(body, {.parts = 3}).parts.size());
        assertContains(refusal(body, formOfB, {.parts = 2}), "more than 2 parts");
        const auto padded = part("name=a", "1", "X-Long: " + std::string(5'000, 'x') + "\r\n") + "--b--";
        equal(1, SentForm(padded).parts.size());
        assertContains(refusal(padded, formOfB, {.headerBytes = 4'096}), "more than 4096 bytes");
        std::string lines;
        for (int i = 0; i < 10'000; ++i) lines += "X: y\r\n";
        assertContains(refusal(part("name=a", "1", lines) + "--b--"), "more than 8192 bytes");
        // A limit beyond the buffer is the buffer.
        assertContains(refusal(part("name=a", "1", "X: " + std::string(70'000, 'x') + "\r\n") + "--b--", formOfB, {.headerBytes = 1 << 20}),
                       "more than 65536 bytes");
    }

    TEST(readsSmallFieldsAsText)
    {
        const SentForm form(part("name=a", "12345") + part("name=b", "\xff") + "--b--");
        const auto& parts = form.parts;
        equal("12345", parts[0].text(5));
        for (const auto& [index, limit, code] : {std::tuple{0, 4, "too_long"}, {1, 4, "invalid_encoding"}}) try
            {
                parts[static_cast<std::size_t>(index)].text(static_cast<std::size_t>(limit));
                CPPUNIT_FAIL(code);
            }
            catch (const Problem& problem)
            {
                equal(code, problem.errors().at(0).code);
                equal(parts[static_cast<std::size_t>(index)].name, problem.errors()[0].field);
            }
    }

    TEST(parsesHeaderValues)
    {
        const auto value = HeaderValue::parse(" text/CSV ; Charset=\"utf-8\";; header=present ;").value();
        CHECK(value.is("text/csv") && !value.is("text"));
        equal("text/CSV", value.value());
        CHECK(value.parameter("charset") == "utf-8" && value.parameter("HEADER") == "present" && !value.parameter("x"));
        for (const auto* wrong :
             {"", ";", " ; a=b", "a b", "a; b", "a; =c", "a; b=", "a; b=\"", "a; b=\"c\"d", "a; b=c d", "a; b=c; B=d", "a; b =c"})
            CPPUNIT_ASSERT_MESSAGE(wrong, !HeaderValue::parse(wrong));
    }

    TEST(decodesExtendedValues)
    {
        equal("na\xc3\xafve", decodeExtendedValue("UTF-8''na%C3%afve").value());
        equal("", decodeExtendedValue("utf-8'de'").value());
        for (const auto* wrong : {"", "x", "UTF-8'x", "ISO-8859-1''x", "UTF-8''%", "UTF-8''%4", "UTF-8''%zz", "UTF-8''%ff", "UTF-8''%00",
                                  "UTF-8''a b", "UTF-8''\xc3\xaf", "UTF-8''a\"b"})
            CPPUNIT_ASSERT_MESSAGE(wrong, !decodeExtendedValue(wrong));
    }
};
