#include "support/Suite.h"

#include "portico/Crypto.h"

#include <openssl/err.h>

#include <algorithm>
#include <set>
#include <stdexcept>

using namespace portico;
using portico::testing::equal;
using portico::testing::Suite;

class CryptoTest : public Suite<CryptoTest>
{
    /// FIPS 180-4.
    TEST(hashes)
    {
        const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        equal(abc, sha256("abc").hex());
        equal(abc, sha256({"a", "", "bc"}).hex());
        equal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", sha256("").hex());
        CHECK(sha256(std::string_view("a\0b", 3)) != sha256("a"));
        equal(32, sha256("abc").bytes().size());
    }

    /// RFC 4231, 4.3 and 4.7 (a key longer than a block).
    TEST(signsWithASecret)
    {
        equal("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", hmacSha256("Jefe", "what do ya want for nothing?").hex());
        equal("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
              hmacSha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First").hex());
        equal("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad", hmacSha256("", "").hex());
    }

    TEST(comparesSecrets)
    {
        CHECK(sameSecret("", "") && sameSecret("secret", "secret"));
        CHECK(!sameSecret("secret", "secreT") && !sameSecret("secret", "secret ") && !sameSecret("", "a"));
    }

    TEST(randomTextsDiffer)
    {
        std::set<std::string> seen;
        for (int i = 0; i < 100; ++i) CHECK(seen.insert(randomToken(16)).second);
        equal(43, randomToken().size());
        equal("", randomBytes(0));
        const auto text = randomText(5'000, "abcdefghij");
        equal(5'000, text.size());
        // 500 each is expected; 250 off has a probability below 10^-28.
        for (char c = 'a'; c <= 'j'; ++c) CHECK(std::ranges::count(text, c) > 250);
        equal("xxx", randomText(3, "x"));
        CPPUNIT_ASSERT_THROW(randomText(3, ""), std::invalid_argument);
    }

    /// RFC 4648, 10.
    TEST(writesAndReadsBase64Url)
    {
        for (const auto& [bytes, text] : {std::pair{"", ""},
                                          {"f", "Zg"},
                                          {"fo", "Zm8"},
                                          {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg"},
                                          {"fooba", "Zm9vYmE"},
                                          {"foobar", "Zm9vYmFy"},
                                          {"\xff\xef", "_-8"}})
        {
            equal(text, toBase64Url(bytes));
            CHECK(fromBase64Url(text) == bytes);
        }
        std::string all;
        for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
        CHECK(fromBase64Url(toBase64Url(all)) == all);
    }

    TEST(refusesOtherBase64)
    {
        for (const auto* text : {"_-9", "_-8=", "/+8", "_-8 ", " _-8", "_", "_-8\n", "_-8A_", "Zh", "\xc3\xa4xy"})
            CPPUNIT_ASSERT_MESSAGE(text, !fromBase64Url(text));
        CHECK(!fromBase64Url(std::string_view("Zm9v\0Zm9", 8)));
    }

    TEST(opensWhatItSealed)
    {
        const Sealer sealer({{"k1", std::string(32, 'a')}});
        const std::string binary("\0secret\xff", 8);
        for (const auto& plain : {std::string(), binary, std::string(100'000, 'x')})
        {
            const auto sealed = sealer.seal(plain, "totp:usr_1");
            CHECK(sealer.open(sealed, "totp:usr_1") == plain);
            CHECK(sealed.starts_with("s1.k1.") && sealed != sealer.seal(plain, "totp:usr_1"));
        }
    }

    TEST(opensNothingElse)
    {
        const Sealer sealer({{"k1", std::string(32, 'a')}});
        const auto sealed = sealer.seal("secret", "totp:usr_1");
        for (std::size_t i = 0; i < sealed.size(); ++i)
        {
            auto altered = sealed;
            altered[i] = altered[i] == 'A' ? 'B' : 'A';
            CPPUNIT_ASSERT_MESSAGE(altered, !sealer.tryOpen(altered, "totp:usr_1"));
            CHECK(!sealer.tryOpen(sealed.substr(0, i), "totp:usr_1"));
        }
        for (const auto* purpose : {"totp:usr_2", "totp:usr_", "", "k1.totp:usr_1"}) CHECK(!sealer.tryOpen(sealed, purpose));
        for (const auto* text : {"", "s1.", "s1..", "s1.k1", "s1.k1.", "s1.k1.AAAA", "s2.k1.AAAA", "s1.k1.%%"})
            CPPUNIT_ASSERT_MESSAGE(text, !sealer.tryOpen(text, ""));
        const Sealer other({{"k1", std::string(32, 'b')}});
        CHECK(!other.tryOpen(sealed, "totp:usr_1"));
        // Otherwise a TLS call of this thread would take it for its own failure.
        equal(0, ERR_peek_error());
    }

    TEST(keysAreReplacedOneAfterTheOther)
    {
        const Sealer::Key first{"2025", std::string(32, 'a')};
        const Sealer::Key second{"2026", std::string(32, 'b')};
        const auto sealed = Sealer({first}).seal("secret", "p");
        const Sealer announced({first, second});
        CHECK(announced.isCurrent(sealed) && announced.isCurrent(announced.seal("x", "p")));
        const Sealer replaced({second, first});
        equal("secret", replaced.open(sealed, "p"));
        CHECK(!replaced.isCurrent(sealed));
        const auto again = replaced.seal("secret", "p");
        CHECK(replaced.isCurrent(again));
        equal("secret", announced.open(again, "p"));
        CHECK(!Sealer({second}).tryOpen(sealed, "p"));
    }

    TEST(saysWhyItDoesNotOpen)
    {
        const Sealer sealer({{"new", std::string(32, 'b')}});
        expectError(sealer, "plain text", "found another form");
        expectError(sealer, Sealer({{"old", std::string(32, 'a')}}).seal("secret", "p"), "its key old is not among the keys");
        expectError(sealer, Sealer({{"new", std::string(32, 'a')}}).seal("secret", "p"), "key new has sealed does not open");
    }

    TEST(readsKeysFromLines)
    {
        const auto first = Sealer::makeKey("a");
        const auto second = Sealer::makeKey("b");
        const auto sealer = Sealer::parse("# of the service\r\n\r\n" + second + "\r\n" + first);
        CHECK(sealer.seal("x", "p").starts_with("s1.b."));
        equal("x", sealer.open(Sealer::parse(first + "\n").seal("x", "p"), "p"));
    }

    TEST(refusesBadKeysWithoutShowingThem)
    {
        const auto secret = std::string(42, 'Q') + 'A';
        for (const auto& [lines, part] : {std::pair{std::string(), "found none"},
                                          {"\n#\n", "found none"},
                                          {"a " + secret + "\na " + secret, "key a of a sealer: expected each id"},
                                          {"x\n", "line 1 of the keys"},
                                          {Sealer::makeKey("b") + "\na  " + secret, "line 2 of the keys"},
                                          {"a " + secret.substr(1), "line 1 of the keys"},
                                          {" " + secret, "key 1 of a sealer: expected an id"},
                                          {std::string(33, 'i') + " " + secret, "key 1 of a sealer: expected an id"}})
            try
            {
                Sealer::parse(lines);
                CPPUNIT_FAIL("taken: " + lines);
            }
            catch (const std::invalid_argument& error)
            {
                const std::string text = error.what();
                CPPUNIT_ASSERT_MESSAGE(text, text.find(part) != std::string::npos);
                CPPUNIT_ASSERT_MESSAGE(text, text.find("QQQ") == std::string::npos);
            }
    }

    static void expectError(const Sealer& sealer, const std::string& sealed, const std::string& part)
    {
        try
        {
            sealer.open(sealed, "p");
            CPPUNIT_FAIL("opened");
        }
        catch (const std::runtime_error& error)
        {
            CPPUNIT_ASSERT_MESSAGE(error.what(), std::string(error.what()).find(part) != std::string::npos);
        }
    }
};
