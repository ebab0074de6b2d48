#include "common/Networks.h"
#include "common/Requests.h"
#include "identity/IdentityHost.h"
#include "keys/KeyActor.h"
#include "records/ApiKey.h"
#include "records/Organization.h"
#include "sessions/RefreshFamilies.h"
#include "support/Suite.h"
#include "users/PasswordRules.h"
#include "users/Passwords.h"
#include "users/User.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <filesystem>

namespace portico::tests
{

using namespace identity;

/// The forms of keys, handles, addresses and passwords.
class FormatsTest : public Suite<FormatsTest>
{
    TEST(base64UrlIsCanonical)
    {
        equal("_-8", toBase64Url("\xff\xef"));
        CHECK(fromBase64Url("_-8") == "\xff\xef");
        CHECK(fromBase64Url("") == "");
        for (const auto* text : {"_-9", "_-8=", "/+8", "_-8 ", "_", "_-8\n"}) CPPUNIT_ASSERT_MESSAGE(text, !fromBase64Url(text));
    }

    TEST(keysCarryAChecksum)
    {
        const auto key = KeyText::make(KeyEnvironment::Test);
        const auto text = key.text();
        equal(71, text.size());
        CHECK(text.starts_with("pak_test_"));
        const auto parsed = KeyText::parse(text);
        CHECK(parsed && parsed->keyId == key.keyId && parsed->secret == key.secret && parsed->environment == KeyEnvironment::Test);
        // Any one character that is wrong shows.
        for (std::size_t i = 0; i < text.size(); ++i)
        {
            auto wrong = text;
            wrong[i] = wrong[i] == 'a' ? 'b' : 'a';
            CHECK(!KeyText::parse(wrong));
        }
        for (const auto& wrong : {text.substr(1), text + 'a', std::string(), std::string(71, '_')}) CHECK(!KeyText::parse(wrong));
        // A fixed vector, so that keys that were given out stay good.
        equal("pak_live_000000000000_00000000000000000000000000000000000000000001H64iy",
              KeyText({KeyEnvironment::Live, std::string(12, '0'), std::string(43, '0')}).text());
    }

    TEST(localPathsLeadToNoOtherHost)
    {
        for (const auto* path : {"/", "/a", "/a//b", "/./a", "/a/..", "/a/../", "/a/b/..//c", "/...//x", "/a?next=/.//x", "/#/.//x",
                                 "/a/../b?c=//d", "/%2f/x", "/.x//y", "/./"})
            CPPUNIT_ASSERT_MESSAGE(path, isLocalPath(path));
        // The second row is what browsers make `//x` of.
        for (const auto* path : {"",
                                 "a",
                                 "//",
                                 "//x",
                                 "///x",
                                 "/\\x",
                                 "https://x",
                                 "/a b",
                                 "/a\nb",
                                 "/.//x",
                                 "/..//x",
                                 "/a/..//x",
                                 "/././/x",
                                 "/%2e//x",
                                 "/.%2E//x",
                                 "/%2E%2e//x",
                                 "/a/b/../..//x",
                                 "/../..//x",
                                 "/a/..//..//x",
                                 "/.//x?q=1#top",
                                 "/.//",
                                 "/a/..//."})
            CPPUNIT_ASSERT_MESSAGE(path, !isLocalPath(path));
    }

    TEST(refreshHandlesAreBoundToTheirFamily)
    {
        const std::string kid = "01jd0000000000000000000000", family = "01jd0000000000000000000001";
        const auto handle = RefreshHandle::make(kid, "server", family, "secret", 7);
        const auto parsed = RefreshHandle::parse(handle.text());
        CHECK(parsed && parsed->isGenuine("server", "secret"));
        CHECK(!parsed->isGenuine("server", "other"));
        CHECK(!parsed->isGenuine("other", "secret"));
        auto next = *parsed;
        next.generation = 8;
        CHECK(!next.isGenuine("server", "secret"));
        const auto text = handle.text();
        for (const auto& wrong :
             {text + ".", text + "a", "x" + text, text.substr(0, text.size() - 1), std::string("prt1...."), std::string(),
              "prt1." + kid + '.' + family + ".07." + handle.mac, "prt1." + kid + '.' + family + ".-1." + handle.mac})
            CPPUNIT_ASSERT_MESSAGE(wrong, !RefreshHandle::parse(wrong));
    }

    TEST(networksContainAddresses)
    {
        const AddressList list({"198.51.100.0/24", "2001:db8::/32", "203.0.113.7"});
        CHECK(list.allows("198.51.100.255"));
        CHECK(!list.allows("198.51.101.0"));
        CHECK(list.allows("2001:db8:ffff::1"));
        CHECK(!list.allows("2001:db9::1"));
        CHECK(list.allows("203.0.113.7"));
        CHECK(!list.allows("203.0.113.8"));
        CHECK(!list.allows("::ffff:198.51.100.1"));
        CHECK(!list.allows("not an address"));
        CHECK(AddressList({}).allows("192.0.2.1"));
        // A list of nothing that can be read allows nothing, rather than everything.
        CHECK(!AddressList({"nonsense"}).allows("192.0.2.1"));
        for (const auto* text :
             {"198.51.100.0/33", "198.51.100.0/-1", "198.51.100.0/", "198.51.100/24", "2001:db8::/129", "198.51.100.0/2x", ""})
            CPPUNIT_ASSERT_MESSAGE(text, !Network::parse(text));
        CHECK(Network::parse("0.0.0.0/0")->contains(*Network::parse("203.0.113.7")));
    }

    TEST(prefixesForgetTheHost)
    {
        equal("203.0.113.0/24", networkPrefix("203.0.113.77"));
        equal("2001:db8:1:200::/56", networkPrefix("2001:db8:1:2ff:aaaa::1"));
        equal("", networkPrefix("somewhere"));
    }

    TEST(passwordsFollowTheRules)
    {
        const PasswordRules rules(IdentityHost::pluginFolder() / "web");
        const auto code = [&](std::string_view password, bool besideSecondFactor = false)
        {
            try
            {
                rules.check(password, {"ada", "lovelace", "Byron's Engines"}, besideSecondFactor);
                return std::string("ok");
            }
            catch (const Problem& problem)
            {
                return problem.code();
            }
        };
        equal("password_too_short", code("elevenchars"));
        equal("ok", code("twelve chars"));
        // Characters count, not bytes.
        equal("password_too_short", code("éééééééé"));
        equal("password_too_long", code(std::string(1025, 'x')));
        equal("password_contains_context_word", code("my LoveLace password"));
        equal("password_contains_context_word", code("difference engines"));
        equal("password_contains_context_word", code("byron is a friend"));
        // Short words are in too many others.
        equal("ok", code("adamant pebble"));
        equal("ok", code("pebble 8", true));
        equal("password_too_short", code("pebble8", true));
        // Known from breaches, with capitals, and with what people add.
        for (const auto* known : {"qwerty123456", "PassWord1234", "motherfucker", "Sonyericsson2026!", "!!Sunshine2026"})
            equal("password_breached", code(known), known);
        equal("password_breached", code("password", true));
        equal("ok", code("sunshine-48213907"), "much added");
    }

    TEST(breachedPasswordsAreSeldomOthers)
    {
        const BreachedPasswords breached(IdentityHost::pluginFolder() / "web" / "breached-passwords.filter");
        int mistakes = 0;
        for (int i = 0; i < 50'000; ++i) mistakes += breached.contains(sha256(std::to_string(i)).hex().substr(0, 20));
        // Every password is checked with and without its affixes; one in a hundred such runs would have a false positive.
        equal(0, mistakes);
        CPPUNIT_ASSERT_THROW(BreachedPasswords(IdentityHost::pluginFolder() / "manifest.json"), std::runtime_error);
        CPPUNIT_ASSERT_THROW(BreachedPasswords("/nowhere"), std::runtime_error);
    }

    TEST(hashesAreArgon2id)
    {
        const auto hash = passwords::hash("correct horse battery");
        CHECK(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        CHECK(passwords::matches(hash, "correct horse battery"));
        CHECK(!passwords::matches(hash, "correct horse batterx"));
        CHECK(!passwords::matches("", "correct horse battery"));
        CHECK(!passwords::matches(std::string(500, '$'), "x"));
        CHECK(!passwords::isOutdated(hash));
        // Passwords match in composed and decomposed form. Hashes of an earlier version, which hashed the typed form, still match and are
        // recognized.
        const std::string composed = "F\xc3\xbcnf gr\xc3\xbcne \xc3\x84pfel", decomposed = "Fu\xcc\x88nf gru\xcc\x88ne A\xcc\x88pfel";
        for (const auto& made : {composed, decomposed})
            for (const auto& typed : {composed, decomposed}) CHECK(passwords::matches(passwords::hash(made), typed));
        CHECK(passwords::matches(passwords::hash("ｐａｓｓ 1２３"), "pass 123"));
        CHECK(!passwords::matches(passwords::hash("Straße"), "Strasse") && !passwords::matches(passwords::hash("Äpfel"), "äpfel"));
        CHECK(!passwords::isOfTypedForm(passwords::hash(composed), decomposed));
        constexpr std::string_view typedForm =
            "$argon2id$v=19$m=8192,t=1,p=1$5jDVccqF44d8gs7oD03ghw$Lv6WV5bFRpPsOCiIy0Cwqhx+BY/nYPomg6GxNBVnSMo";
        CHECK(passwords::isOfTypedForm(typedForm, decomposed) && !passwords::isOfTypedForm(typedForm, composed));
        CHECK(passwords::isOutdated("$argon2id$v=19$m=8192,t=1,p=1$5jDVccqF44d8gs7oD03ghw$Lv6WV5bFRpPsOCiIy0Cwqhx+BY/nYPomg6GxNBVnSMo"));
    }

    TEST(addressesCompareWithoutCase)
    {
        equal("ada@example.org", emailKey(" Ada@EXAMPLE.org\t"));
        equal("", emailKey("  "));
    }

    TEST(slugs)
    {
        for (const auto* good : {"acme", "a1", "acme-eu-2"}) CPPUNIT_ASSERT_MESSAGE(good, organizations::isSlug(good));
        for (const auto* bad : {"", "a", "Acme", "-acme", "acme-", "ac--me", "ac_me", "äcme"})
            CPPUNIT_ASSERT_MESSAGE(bad, !organizations::isSlug(bad));
        CHECK(!organizations::isSlug(std::string(41, 'a')));
    }

    TEST(narrowingLosesNoBound)
    {
        const std::vector<Grant> wide = {{"desk", {"a", "b"}, {{"queue", "1"}, {"queue", "2"}, {"shelf", "3"}}}};
        const auto narrower = [&](Grant grant) { return key_rules::isNarrower({std::move(grant)}, wide); };
        CHECK(narrower({"desk", {"a"}, {{"queue", "1"}, {"shelf", "3"}}}));
        CHECK(!narrower({"desk", {"a", "c"}, {{"queue", "1"}, {"shelf", "3"}}}));
        CHECK(!narrower({"desk", {"a"}, {{"queue", "9"}, {"shelf", "3"}}}));
        CHECK(!narrower({"desk", {"a"}, {}}));
        // Without a shelf named, all shelves would be open.
        CHECK(!narrower({"desk", {"a"}, {{"queue", "1"}}}));
        CHECK(!narrower({"crm", {"a"}, {}}));
        CHECK(key_rules::isNarrower({{"desk", {"a"}, {{"queue", "1"}}}}, {{"desk", {"a"}, {}}}));
    }

    TEST(browsersAreRecognised)
    {
        equal("Firefox on Linux", describeUserAgent("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"));
        equal("Edge on Windows",
              describeUserAgent("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0"));
        equal("curl", describeUserAgent("curl/7.88.1"));
        equal("something else", describeUserAgent("something else"));
        equal("caf\xef\xbf\xbd / \xef\xbf\xbd", describeUserAgent("caf\xe9 / \x01"));
        // Cut between characters.
        std::string umlauts, sixty;
        for (int i = 0; i < 100; ++i) umlauts += "\xc3\xbc";
        for (int i = 0; i < 60; ++i) sixty += "\xc3\xbc";
        equal(sixty, describeUserAgent(umlauts));
    }
};

} // namespace portico::tests
