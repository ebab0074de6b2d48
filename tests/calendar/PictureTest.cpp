#include "calendar/CalendarFixture.h"

#include "portico/interfaces/PersonalData.h"

#include <chrono>

namespace portico::tests
{

using namespace std::string_literals;

/// Pictures of hosts: accepted formats, visibility, and deletion of files.
class CalendarPictureTest : public Suite<CalendarPictureTest, CalendarFixture>
{
    void setUp() override
    {
        CalendarFixture::setUp();
        newHost(ada, "ada");
    }

    TEST(isShownToEverybody)
    {
        const auto set = sent("avatar", png);
        const auto url = set.at("/avatarUrl");
        CPPUNIT_ASSERT_MESSAGE(url, url.starts_with(host->context().host().origin + "/public/pictures/pic_"));
        equal("2", set.at("/version"));
        equal(url, get(Caller(), "/api/public/ada").at("/avatarUrl"));
        auto shown = read(url);
        equal("image/png", shown.contentType);
        CHECK(!shown.etag.empty());
        CHECK(shown.headerBlock().find("Content-Security-Policy: default-src 'none'; sandbox\r\n") != std::string::npos);
        equal(png, testing::TestHost::bodyOf(shown));
        const auto logo = sent("logo", jpeg);
        equal(url, logo.at("/avatarUrl"));
        equal("image/jpeg", read(logo.at("/branding/logoUrl")).contentType);
        equal(404, get(Caller(), "/public/pictures/pic_" + makeUlid(Instant{})).status);
        equal(404, get(Caller(), "/public/pictures/face.png").status);
    }

    /// The bytes decide, not the declared type.
    TEST(takesPicturesOnly)
    {
        for (const auto& [bytes, type] : {std::pair{png, "image/png"s},
                                          {jpeg, "image/jpeg"s},
                                          {"GIF89a\1\0\1\0"s, "image/gif"s},
                                          {"RIFF\x10\0\0\0WEBPVP8 "s, "image/webp"s}})
            equal(type, read(sent("avatar", bytes).at("/avatarUrl")).contentType);
        for (const auto& bytes : {""s, "\x89PNG"s, "RIFF\x10\0\0\0WAVEfmt "s, "RIFF\x10\0\0\0WEB"s,
                                  "<svg xmlns='http://www.w3.org/2000/svg'/>"s, "<html><script>alert(1)</script>"s, "GIF90a"s})
        {
            const auto refused = send(ada, "avatar", bytes);
            equal(400, refused.status, bytes);
            equal("not_a_picture"s, refused.at("/errors/0/code"), bytes);
        }
        equal(404, send(ada, "banner", png).status);
    }

    TEST(replacesAndRemoves)
    {
        const auto first = sent("avatar", png).at("/avatarUrl");
        const auto second = sent("avatar", jpeg + "more").at("/avatarUrl");
        CHECK(first != second);
        equal(404, status(first));
        equal(200, status(second));
        host->context().jobs().runDue();
        equal(jpeg.size() + 4, usedBytes());
        const auto logo = sent("logo", png).at("/branding/logoUrl");
        equal(200, put(ada, "/api/admin/host", R"({"avatarUrl":""})").status);
        equal(404, status(second));
        equal(200, status(logo));
        equal(200, put(ada, "/api/admin/host", R"({"branding":{"logoUrl":"https://acme.example/logo.svg"}})").status);
        host->context().jobs().runDue();
        equal(0, usedBytes());
        equal(0, rows());
    }

    /// An address names the pictures of its host only; one may be named twice.
    TEST(leavesAddressesOfOthersAlone)
    {
        const auto url = sent("avatar", png).at("/avatarUrl");
        newHost(stranger, "bob");
        equal(200, put(stranger, "/api/admin/host", jsonWith(R"({"avatarUrl":"$"})", url)).status);
        equal(200, put(stranger, "/api/admin/host", R"({"avatarUrl":""})").status);
        equal(200, status(url));
        equal(200, put(ada, "/api/admin/host", jsonWith(R"({"branding":{"logoUrl":"$"}})", url)).status);
        equal(200, put(ada, "/api/admin/host", R"({"avatarUrl":""})").status);
        equal(200, status(url));
    }

    TEST(isSentByWhoMay)
    {
        equal(404, send(stranger, "avatar", png).status);
        auto reader = ada;
        std::erase(reader.permissions, "calendar.host:write");
        equal(403, send(reader, "avatar", png).status);
        const auto key = asKey(ada, ada.principalId);
        equal(200, host->call({portico::Method::Put, "/api/host/pictures/avatar", png, {}, key}).status);
        equal(0, static_cast<int>(rows() - 1));
    }

    TEST(leavesNothingOfWhatIsRefused)
    {
        const auto old = sent("avatar", png).at("/avatarUrl");
        equal(412, host->call({portico::Method::Put, "/api/admin/host/pictures/avatar", jpeg, {{"If-Match", "\"7\""}}, ada}).status);
        equal(old, get(ada, "/api/admin/host").at("/avatarUrl"));
        equal(2, rows());
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        equal(png.size(), usedBytes());
        equal(200, status(old));
    }

    TEST(staysWhenTheFirstSweepComes)
    {
        const auto url = sent("avatar", png).at("/avatarUrl");
        clock().advance(std::chrono::hours(48));
        host->context().jobs().runDue();
        equal(200, status(url));
    }

    TEST(goesWithThePerson)
    {
        const auto url = sent("avatar", png).at("/avatarUrl");
        const interfaces::Person person{ada.principalId, "ada@example.org", {ada.organizationId}};
        auto& records = *host->context().services().provided<interfaces::PersonalData>();
        std::string given;
        records.give(person, [&](std::string_view kind, std::string_view json) { given += kind == "pictures" ? json : ""; });
        CPPUNIT_ASSERT_MESSAGE(given, given.find(url) != std::string::npos);
        records.forget(person);
        equal(404, status(url));
        host->context().jobs().runDue();
        equal(0, usedBytes());
    }

    testing::TestAnswer send(const Caller& caller, const std::string& use, const std::string& bytes) const
    {
        return host->call({portico::Method::Put, "/api/admin/host/pictures/" + use, bytes, {{"Content-Type", "image/png"}}, caller});
    }
    /// The host that has the picture then.
    testing::TestAnswer sent(const std::string& use, const std::string& bytes) const
    {
        auto answer = send(ada, use, bytes);
        equal(200, answer.status, answer.body);
        return answer;
    }
    testing::TestAnswer read(const std::string& url) const
    {
        auto answer = get(Caller(), url.substr(host->context().host().origin.size()));
        equal(200, answer.status, url);
        return answer;
    }
    int status(const std::string& url) const { return get(Caller(), url.substr(host->context().host().origin.size())).status; }
    std::size_t usedBytes() const { return host->context().blobs().usedBytes(ada.organizationId); }
    std::int64_t rows() const { return *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM picture"); }

    const std::string png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s;
    const std::string jpeg = "\xff\xd8\xff\xe0\0\x10JFIF"s;
};
} // namespace portico::tests
