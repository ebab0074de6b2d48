#include "calendar/CalendarFixture.h"

#include "portico/interfaces/PersonalData.h"

#include <chrono>

namespace portico::tests
{

using namespace std::string_literals;

/// Pictures that hosts send: what is one, who sees it, and when its file goes.
class CalendarPictureTest : public CalendarFixture
{
    CPPUNIT_TEST_SUITE(CalendarPictureTest);
    CPPUNIT_TEST(isShownToEverybody);
    CPPUNIT_TEST(takesPicturesOnly);
    CPPUNIT_TEST(replacesAndRemoves);
    CPPUNIT_TEST(leavesAddressesOfOthersAlone);
    CPPUNIT_TEST(isSentByWhoMay);
    CPPUNIT_TEST(leavesNothingOfWhatIsRefused);
    CPPUNIT_TEST(staysWhenTheFirstSweepComes);
    CPPUNIT_TEST(goesWithThePerson);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        CalendarFixture::setUp();
        newHost(ada, "ada");
    }

    void isShownToEverybody()
    {
        const auto set = sent("avatar", png);
        const auto url = set.at("/avatarUrl");
        CPPUNIT_ASSERT_MESSAGE(url, url.starts_with(host->context().host().origin + "/public/pictures/pic_"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), set.at("/version"));
        CPPUNIT_ASSERT_EQUAL(url, get(Caller(), "/api/public/ada").at("/avatarUrl"));
        auto shown = read(url);
        CPPUNIT_ASSERT_EQUAL(std::string("image/png"), shown.contentType);
        CPPUNIT_ASSERT(!shown.etag.empty());
        CPPUNIT_ASSERT(shown.headerBlock().find("Content-Security-Policy: default-src 'none'; sandbox\r\n") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(png, testing::TestHost::bodyOf(shown));
        const auto logo = sent("logo", jpeg);
        CPPUNIT_ASSERT_EQUAL(url, logo.at("/avatarUrl"));
        CPPUNIT_ASSERT_EQUAL(std::string("image/jpeg"), read(logo.at("/branding/logoUrl")).contentType);
        CPPUNIT_ASSERT_EQUAL(404, get(Caller(), "/public/pictures/pic_" + makeUlid(Instant{})).status);
        CPPUNIT_ASSERT_EQUAL(404, get(Caller(), "/public/pictures/face.png").status);
    }

    /// By what the bytes are, whatever the sender calls them.
    void takesPicturesOnly()
    {
        for (const auto& [bytes, type] : {std::pair{png, "image/png"s},
                                          {jpeg, "image/jpeg"s},
                                          {"GIF89a\1\0\1\0"s, "image/gif"s},
                                          {"RIFF\x10\0\0\0WEBPVP8 "s, "image/webp"s}})
            CPPUNIT_ASSERT_EQUAL(type, read(sent("avatar", bytes).at("/avatarUrl")).contentType);
        for (const auto& bytes : {""s, "\x89PNG"s, "RIFF\x10\0\0\0WAVEfmt "s, "RIFF\x10\0\0\0WEB"s,
                                  "<svg xmlns='http://www.w3.org/2000/svg'/>"s, "<html><script>alert(1)</script>"s, "GIF90a"s})
        {
            const auto refused = send(ada, "avatar", bytes);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(bytes, 400, refused.status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(bytes, "not_a_picture"s, refused.at("/errors/0/code"));
        }
        CPPUNIT_ASSERT_EQUAL(404, send(ada, "banner", png).status);
    }

    void replacesAndRemoves()
    {
        const auto first = sent("avatar", png).at("/avatarUrl");
        const auto second = sent("avatar", jpeg + "more").at("/avatarUrl");
        CPPUNIT_ASSERT(first != second);
        CPPUNIT_ASSERT_EQUAL(404, status(first));
        CPPUNIT_ASSERT_EQUAL(200, status(second));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(jpeg.size() + 4, usedBytes());
        const auto logo = sent("logo", png).at("/branding/logoUrl");
        CPPUNIT_ASSERT_EQUAL(200, put(ada, "/api/admin/host", R"({"avatarUrl":""})").status);
        CPPUNIT_ASSERT_EQUAL(404, status(second));
        CPPUNIT_ASSERT_EQUAL(200, status(logo));
        CPPUNIT_ASSERT_EQUAL(200, put(ada, "/api/admin/host", R"({"branding":{"logoUrl":"https://acme.example/logo.svg"}})").status);
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, usedBytes());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rows());
    }

    /// An address names the pictures of its host only; one may be named twice.
    void leavesAddressesOfOthersAlone()
    {
        const auto url = sent("avatar", png).at("/avatarUrl");
        newHost(stranger, "bob");
        CPPUNIT_ASSERT_EQUAL(200, put(stranger, "/api/admin/host", R"({"avatarUrl":")" + url + R"("})").status);
        CPPUNIT_ASSERT_EQUAL(200, put(stranger, "/api/admin/host", R"({"avatarUrl":""})").status);
        CPPUNIT_ASSERT_EQUAL(200, status(url));
        CPPUNIT_ASSERT_EQUAL(200, put(ada, "/api/admin/host", R"({"branding":{"logoUrl":")" + url + R"("}})").status);
        CPPUNIT_ASSERT_EQUAL(200, put(ada, "/api/admin/host", R"({"avatarUrl":""})").status);
        CPPUNIT_ASSERT_EQUAL(200, status(url));
    }

    void isSentByWhoMay()
    {
        CPPUNIT_ASSERT_EQUAL(404, send(stranger, "avatar", png).status);
        auto reader = ada;
        std::erase(reader.permissions, "calendar.host:write");
        CPPUNIT_ASSERT_EQUAL(403, send(reader, "avatar", png).status);
        const auto key = asKey(ada, ada.principalId);
        CPPUNIT_ASSERT_EQUAL(200, host->call({portico::Method::Put, "/api/host/pictures/avatar", png, {}, key}).status);
        CPPUNIT_ASSERT_EQUAL(0, static_cast<int>(rows() - 1));
    }

    void leavesNothingOfWhatIsRefused()
    {
        const auto old = sent("avatar", png).at("/avatarUrl");
        CPPUNIT_ASSERT_EQUAL(
            412, host->call({portico::Method::Put, "/api/admin/host/pictures/avatar", jpeg, {{"If-Match", "\"7\""}}, ada}).status);
        CPPUNIT_ASSERT_EQUAL(old, get(ada, "/api/admin/host").at("/avatarUrl"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, rows());
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(png.size(), usedBytes());
        CPPUNIT_ASSERT_EQUAL(200, status(old));
    }

    void staysWhenTheFirstSweepComes()
    {
        const auto url = sent("avatar", png).at("/avatarUrl");
        clock().advance(std::chrono::hours(48));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(200, status(url));
    }

    void goesWithThePerson()
    {
        const auto url = sent("avatar", png).at("/avatarUrl");
        const interfaces::Person person{ada.principalId, "ada@example.org", {ada.organizationId}};
        auto& records = *host->context().services().provided<interfaces::PersonalData>();
        std::string given;
        records.give(person, [&](std::string_view kind, std::string_view json) { given += kind == "pictures" ? json : ""; });
        CPPUNIT_ASSERT_MESSAGE(given, given.find(url) != std::string::npos);
        records.forget(person);
        CPPUNIT_ASSERT_EQUAL(404, status(url));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, usedBytes());
    }

private:
    testing::TestAnswer send(const Caller& caller, const std::string& use, const std::string& bytes) const
    {
        return host->call({portico::Method::Put, "/api/admin/host/pictures/" + use, bytes, {{"Content-Type", "image/png"}}, caller});
    }
    /// The host that has the picture then.
    testing::TestAnswer sent(const std::string& use, const std::string& bytes) const
    {
        auto answer = send(ada, use, bytes);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        return answer;
    }
    testing::TestAnswer read(const std::string& url) const
    {
        auto answer = get(Caller(), url.substr(host->context().host().origin.size()));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(url, 200, answer.status);
        return answer;
    }
    int status(const std::string& url) const { return get(Caller(), url.substr(host->context().host().origin.size())).status; }
    std::size_t usedBytes() const { return host->context().blobs().usedBytes(ada.organizationId); }
    std::int64_t rows() const { return *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM picture"); }

    const std::string png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s;
    const std::string jpeg = "\xff\xd8\xff\xe0\0\x10JFIF"s;
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarPictureTest);

} // namespace portico::tests
