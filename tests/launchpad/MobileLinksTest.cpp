#include "launchpad/LaunchpadFixture.h"

#include "mobile/AssociationFiles.h"

#include <string>

namespace portico::tests
{

/// The files by which phones open links of the launchpad in native apps.
class MobileLinksTest : public Suite<MobileLinksTest, LaunchpadFixture>
{
    static constexpr auto applePath = "/.well-known/apple-app-site-association";
    static constexpr auto androidPath = "/.well-known/assetlinks.json";

    void tearDown() override
    {
        settings.config.clear();
        LaunchpadFixture::tearDown();
    }
    static std::string fingerprint()
    {
        std::string text = "00";
        for (int i = 1; i < 32; ++i) text += ":AF";
        return text;
    }
    static std::string manifestWith(const std::string& team, const std::string& bundle, const std::string& package,
                                    const std::string& print)
    {
        return jsonWith(R"({"mobile":{"ios":{"teamId":"$","bundleId":"$"},"android":{"packageName":"$","sha256CertFingerprints":["$"]}}})",
                        team, bundle, package, print);
    }
    testing::TestAnswer read(std::string_view path) const
    {
        auto answer = host->call(Method::Get, path);
        equal(200, answer.status, answer.body);
        equal("application/json", answer.contentType);
        return answer;
    }

    TEST(followsTheRegistry)
    {
        equal(R"({"applinks":{"details":[]}})", read(applePath).body);
        equal("[]", read(androidPath).body);
        auto& crm = registry.entries.find("crm")->second;
        crm.manifest = manifestWith("ABCDE12345", "example.crm", "example.crm", fingerprint());
        ++registry.changes;
        equal(R"({"applinks":{"details":[{"appIDs":["ABCDE12345.example.crm"],"components":[{"/":"/launch/crm","?":{"code":"?*"}}]}]}})",
              read(applePath).body);
        equal(jsonWith(R"([{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",)"
                       R"("package_name":"example.crm","sha256_cert_fingerprints":["$"]}}])",
                       fingerprint()),
              read(androidPath).body);
        crm.manifest = manifestWith("ABCDE12345", "example.renamed", "example.crm", fingerprint());
        ++registry.changes;
        equal("ABCDE12345.example.renamed", read(applePath).at("/applinks/details/0/appIDs/0"));
        crm.active = false;
        ++registry.changes;
        equal(R"({"applinks":{"details":[]}})", read(applePath).body);
        equal("[]", read(androidPath).body);
    }

    TEST(leavesOutInvalidIds)
    {
        registry.add("one").manifest = manifestWith("abcde12345", "example.one", "example.one", "00:AF");
        registry.add("two").manifest = manifestWith("ABCDE12345", "", "", fingerprint());
        registry.add("three").manifest = manifestWith("ABCDE12345", "a b.c", "noDots", fingerprint());
        registry.add("four").manifest = R"({"mobile":"text"})";
        ++registry.changes;
        equal(0, read(applePath).count("/applinks/details"));
        equal("[]", read(androidPath).body);
    }

    TEST(claimsThePagesOfTheShell)
    {
        settings.config["launchpad.mobile.ios.teamId"] = "ABCDE12345";
        settings.config["launchpad.mobile.ios.bundleId"] = "example.shell";
        settings.config["launchpad.mobile.android.packageName"] = "example.shell";
        settings.config["launchpad.mobile.android.sha256CertFingerprints"] = fingerprint();
        LaunchpadFixture::setUp();
        const auto apple = read(applePath);
        equal("ABCDE12345.example.shell", apple.at("/applinks/details/0/appIDs/0"));
        CHECK(apple.body.find(R"({"/":"/dashboard"})") != std::string::npos);
        CHECK(apple.body.find(R"({"/":"/mobile/callback"})") != std::string::npos);
        CHECK(apple.body.find("/launch/") == std::string::npos);
        equal("example.shell", read(androidPath).at("/0/target/package_name"));
    }

    TEST(staysBelowTheLimit)
    {
        for (int i = 0; i < 2000; ++i)
        {
            const auto id = "app-" + std::to_string(i);
            registry.add(id).manifest = manifestWith("ABCDE12345", "example." + id, "example." + id, fingerprint());
        }
        ++registry.changes;
        for (const auto* path : {applePath, androidPath})
        {
            const auto size = read(path).body.size();
            CHECK(size <= launchpad::longestAssociationFile && size > launchpad::longestAssociationFile / 2);
        }
    }
};

} // namespace portico::tests
