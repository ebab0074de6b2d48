#include "text/DomainName.h"
#include "text/EmailKey.h"
#include "text/PhoneNumber.h"
#include "text/Similarity.h"

#include "portico/Text.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// How texts are compared: names, addresses, numbers.
class CrmTextTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(CrmTextTest);
    CPPUNIT_TEST(trimsUnicodeSpace);
    CPPUNIT_TEST(encodesPunycode);
    CPPUNIT_TEST(comparesDomainsAsALabels);
    CPPUNIT_TEST(refusesImpossibleDomains);
    CPPUNIT_TEST(comparesEmails);
    CPPUNIT_TEST(normalisesInternationalNumbers);
    CPPUNIT_TEST(completesNationalNumbers);
    CPPUNIT_TEST(leavesOtherNumbersAlone);
    CPPUNIT_TEST(tellsPhoneNumbers);
    CPPUNIT_TEST(measuresSimilarNames);
    CPPUNIT_TEST_SUITE_END();

public:
    void trimsUnicodeSpace()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("a b"), std::string(trim(" \t\u00a0a b\u3000\n")));
        CPPUNIT_ASSERT_EQUAL(std::string(), std::string(trim(" \u2003 ")));
    }

    void encodesPunycode()
    {
        // RFC 3492, 7.1: (A) Arabic, (B) Chinese, (I) Russian, (L) 3年B組金八先生, (S).
        CPPUNIT_ASSERT_EQUAL(std::string("egbpdaj6bu4bxfgehfvwxn"), crm::punycode("ليهمابتكلموشعربي؟").value());
        CPPUNIT_ASSERT_EQUAL(std::string("ihqwcrb4cv8a8dqg056pqjye"), crm::punycode("他们为什么不说中文").value());
        CPPUNIT_ASSERT_EQUAL(std::string("b1abfaaepdrnnbgefbadotcwatmq2g4l"), crm::punycode("почемужеонинеговорятпорусски").value());
        CPPUNIT_ASSERT_EQUAL(std::string("3B-ww4c5e180e575a65lsy2b"), crm::punycode("3年B組金八先生").value());
        CPPUNIT_ASSERT_EQUAL(std::string("-> $1.00 <--"), crm::punycode("-> $1.00 <-").value());
        CPPUNIT_ASSERT(!crm::punycode("\xc3"));
    }

    void comparesDomainsAsALabels()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("xn--bcher-kva.example"), crm::asciiDomain("B\u00dcCHER.Example").value());
        CPPUNIT_ASSERT_EQUAL(std::string("xn--bcher-kva.example"), crm::asciiDomain("xn--bcher-kva.EXAMPLE").value());
        CPPUNIT_ASSERT_EQUAL(std::string("a.example"), crm::asciiDomain("a\u3002example").value());
    }

    void refusesImpossibleDomains()
    {
        CPPUNIT_ASSERT(!crm::asciiDomain(""));
        CPPUNIT_ASSERT(!crm::asciiDomain("a..b"));
        CPPUNIT_ASSERT(!crm::asciiDomain(std::string(64, 'a') + ".example"));
        std::string longDomain = "a";
        for (int i = 0; i < 127; ++i) longDomain += ".a";
        CPPUNIT_ASSERT(!crm::asciiDomain(longDomain));
        std::string longLabel;
        for (int i = 0; i < 60; ++i) longLabel += "ü";
        CPPUNIT_ASSERT(!crm::asciiDomain(longLabel + ".example"));
    }

    void comparesEmails()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("ada@xn--bcher-kva.example"), crm::emailKey("Ada@B\u00fccher.example").value());
        CPPUNIT_ASSERT(crm::emailKey("ad\u00e1@a.example") != crm::emailKey("ada@a.example"));
        CPPUNIT_ASSERT(!crm::emailKey("ada"));
        CPPUNIT_ASSERT(!crm::emailKey("@a.example"));
    }

    void normalisesInternationalNumbers()
    {
        for (const auto* typed :
             {"+49 170 1234567", "0049-170-1234567", "+49 (0)170/1234567", "+49.170.123.45.67", "+49 170 1234567 ext. 12"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(typed, std::string("+491701234567"), crm::e164(typed, "").value());
    }

    void completesNationalNumbers()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("+491701234567"), crm::e164("0170 1234567", "49").value());
        CPPUNIT_ASSERT_EQUAL(std::string("+12025550143"), crm::e164("(202) 555-0143 x9", "1").value());
        CPPUNIT_ASSERT(!crm::e164("0170 1234567", ""));
    }

    void leavesOtherNumbersAlone()
    {
        CPPUNIT_ASSERT(!crm::e164("+1-800-FLOWERS", ""));
        CPPUNIT_ASSERT(!crm::e164("+123", ""));
        CPPUNIT_ASSERT(!crm::e164("+1234567890123456", ""));
        CPPUNIT_ASSERT(!crm::e164("+0123456789", ""));
        CPPUNIT_ASSERT(!crm::e164("", "49"));
    }

    void tellsPhoneNumbers()
    {
        CPPUNIT_ASSERT(crm::looksLikePhoneNumber("110"));
        CPPUNIT_ASSERT(crm::looksLikePhoneNumber("1-800-FLOWERS"));
        CPPUNIT_ASSERT(crm::looksLikePhoneNumber("+49\u00a0170\u2013123"));
        CPPUNIT_ASSERT(!crm::looksLikePhoneNumber("12"));
        CPPUNIT_ASSERT(!crm::looksLikePhoneNumber("call me"));
        CPPUNIT_ASSERT(!crm::looksLikePhoneNumber("123\n456"));
    }

    void measuresSimilarNames()
    {
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.961, crm::jaroWinkler("martha", "marhta"), 0.001);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.840, crm::jaroWinkler("dwayne", "duane"), 0.001);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.813, crm::jaroWinkler("dixon", "dicksonx"), 0.001);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1, crm::jaroWinkler("ada", "ada"), 0);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0, crm::jaroWinkler("abc", "xyz"), 0);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0, crm::jaroWinkler("", ""), 0);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1, crm::jaroWinkler("a", "a"), 0);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(CrmTextTest);

} // namespace portico::tests
