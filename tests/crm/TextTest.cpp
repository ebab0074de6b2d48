#include "exchange/SeveralValues.h"
#include "text/DomainName.h"
#include "text/EmailKey.h"
#include "text/FoldedText.h"
#include "text/PhoneNumber.h"
#include "text/Similarity.h"
#include "text/VisibleText.h"

#include "portico/Text.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

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
    CPPUNIT_TEST(rejectsCalculatedNumbers);
    CPPUNIT_TEST(removesFractionsOfZeros);
    CPPUNIT_TEST(completesNumbersWithACallingCode);
    CPPUNIT_TEST(removesInvisibleCharacters);
    CPPUNIT_TEST(keepsCharactersThatShape);
    CPPUNIT_TEST(removesMarksOfWords);
    CPPUNIT_TEST(splitsSeveralValues);
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
        for (const auto* typed :
             {"(+49) 170 1234567", "\uff0b49 170 1234567", "+\uff14\uff19 170 1234567", "++49 170 1234567", "491701234567",
              "49 170 1234567", "0049\u00a0170\u00a01234567", "(0049) 170 1234567", "\u260e +49 170 1234567", "0170\u00b7123\u00b74567"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(typed, std::string("+491701234567"), crm::e164(typed, "49").value());
        CPPUNIT_ASSERT_EQUAL(std::string("+12025550143"), crm::e164("1 (202) 555-0143", "1").value());
        // Indian and Italian mobiles begin as their calling codes do.
        CPPUNIT_ASSERT_EQUAL(std::string("+919123456789"), crm::e164("9123456789", "91").value());
        CPPUNIT_ASSERT_EQUAL(std::string("+393921234567"), crm::e164("392 1234567", "39").value());
        // Ambiguous numbers and digits of other scripts.
        for (const auto* typed : {"49170123456", "+\u0664\u0669 170 1234567", "0170 \u0661234567"})
            CPPUNIT_ASSERT_MESSAGE(typed, !crm::e164(typed, "49"));
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

    void rejectsCalculatedNumbers()
    {
        for (const auto* typed :
             {"4.91701E+11", "4,91701E+11", "4.91701e11", "4.91701 E +11", "+4.91701E+11", "4E+11", "491701E+6", "49,17E+10", "4.9E+011",
              "4.91701\u00d710^11", "4.91701x10^11", "4.91701*10^11", "4.91701\u00d710\u00b9\u00b9", "4\u066b91701E+11",
              "\uff14\uff0e\uff19\uff25\uff0b\uff11\uff11", "4.91701E\u221211", "-491701234567", "\u2212491701234567", "-491701234567.0"})
        {
            CPPUNIT_ASSERT_MESSAGE(typed, !crm::looksLikePhoneNumber(typed));
            CPPUNIT_ASSERT_MESSAGE(typed, !crm::e164(typed, "49"));
        }
        for (const auto* typed :
             {"+49 170 1234567", "0170-1234567", "1-800-EAT-11", "030 123456 ext 5", "01.23.45.67.89", "123-e4", "1800E"})
            CPPUNIT_ASSERT_MESSAGE(typed, crm::looksLikePhoneNumber(typed));
    }

    void removesFractionsOfZeros()
    {
        const auto plain = [](std::string_view typed) { return crm::plainNumber(typed).value_or("-"); };
        CPPUNIT_ASSERT_EQUAL(std::string("170123456"), plain("170123456.0"));
        CPPUNIT_ASSERT_EQUAL(std::string("+49170123456"), plain(" +49170123456,00 "));
        CPPUNIT_ASSERT_EQUAL(std::string("491701234567"), plain("491,701,234,567.00"));
        CPPUNIT_ASSERT_EQUAL(std::string("170123456"), plain("170.123.456,0"));
        CPPUNIT_ASSERT_EQUAL(std::string("170123456"), plain("170\u202f123\u202f456,00"));
        CPPUNIT_ASSERT_EQUAL(std::string("170123456"), plain("170\u2019123\u2019456.00"));
        for (const auto* typed : {"170123456", "170123456.5", "01.23.45.67.00", "170.123.000", "030/123.00", "0170 1234567", "1.0", ".00",
                                  "", "170,12,456.0", "123456.000", "+.0", "170123456."})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(typed, std::string("-"), plain(typed));
    }

    void completesNumbersWithACallingCode()
    {
        for (const auto* code : {"+49", "49", "0049", "DE", " de "})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(code, std::string("+49170123456"), crm::withCallingCode("0170 123456", code));
        CPPUNIT_ASSERT_EQUAL(std::string("+431234567"), crm::withCallingCode("+431234567", "+49"));
        CPPUNIT_ASSERT_EQUAL(std::string("170123456"), crm::withCallingCode("170123456", "nowhere"));
        CPPUNIT_ASSERT_EQUAL(std::string("170123456"), crm::withCallingCode("170123456", ""));
    }

    void removesInvisibleCharacters()
    {
        for (const auto* sign : {"\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a",     "\u202b",     "\u202c",     "\u202d",
                                 "\u202e", "\u2060", "\u2062", "\u2066", "\u2069", "\ufeff",     "\u00ad",     "\u034f",     "\u061c",
                                 "\u180e", "\u3164", "\uffa0", "\ufe0f", "\ufffc", "\U000e0041", "\U000e0001", "\U000e0100", "\U0001d173"})
        {
            const std::string text = "A" + std::string(sign) + "da";
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sign, std::string("Ada"), crm::visibleText(text));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sign, std::string("Ada"), crm::visibleCharacters(text));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sign, std::string(), crm::visibleText(sign));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sign, std::string(), crm::visibleText(" " + std::string(sign) + " "));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("A b"), crm::visibleText("A\u2028b"));
        CPPUNIT_ASSERT_EQUAL(std::string("A b c"), crm::visibleText("A\x01"
                                                                    "b\u0085c"));
        CPPUNIT_ASSERT_EQUAL(std::string("1 Street\n2 Floor"), crm::visibleText("1 Street\n2 Floor"));
        CPPUNIT_ASSERT_EQUAL(std::string(), crm::visibleText("\u2800"));
        CPPUNIT_ASSERT_EQUAL(std::string("M\u00fcller \u738b"), crm::visibleText("M\u00fcller \u738b"));
    }

    void keepsCharactersThatShape()
    {
        for (const auto* text :
             {"\u0646\u06cc\u200c\u0645\u0627", "\u0d2e\u0d4b\u0d39\u0d28\u0d4d\u200d", "\U0001f469\u200d\U0001f4bb Ltd",
              "I \u2764\ufe0f NY", "\u845b\U000e0100\u57ce", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f", "1\ufe0f\u20e3"})
        {
            CPPUNIT_ASSERT_EQUAL(std::string(text), crm::visibleText(text));
            CPPUNIT_ASSERT_EQUAL(crm::visibleText(text), crm::visibleText(crm::visibleText(text)));
        }
    }

    void removesMarksOfWords()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("rock n roll - jeanluc"), crm::withoutMarks("rock 'n' roll - jean-luc"));
        CPPUNIT_ASSERT_EQUAL(std::string("' --"), crm::withoutMarks("' --"));
    }

    void splitsSeveralValues()
    {
        using Texts = std::vector<std::string>;
        const auto emails = [](std::string_view cell) { return crm::severalValues(crm::Target::EmailAddress, cell); };
        const auto phones = [](std::string_view cell) { return crm::severalValues(crm::Target::PhoneNumber, cell); };
        const Texts two{"a@x.example", "b@x.example"};
        for (const auto* cell :
             {"a@x.example;b@x.example", "a@x.example, b@x.example", "a@x.example\r\nb@x.example", "a@x.example|b@x.example",
              "a@x.example b@x.example", "a@x.example ::: b@x.example", "a@x.example/b@x.example", R"(["a@x.example","b@x.example"])",
              "a@x.example;; b@x.example;", "a@x.example / b@x.example"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(cell, two, emails(cell));
        CPPUNIT_ASSERT_EQUAL((Texts{"a/b@x.example"}), emails(" a/b@x.example "));
        CPPUNIT_ASSERT_EQUAL((Texts{"a@x.example; nobody"}), emails("a@x.example; nobody"));
        CPPUNIT_ASSERT_EQUAL((Texts{"[broken"}), emails("[broken"));
        for (const auto* cell : {"+49 30 1234567;+49 170 765432", "+49 30 1234567, +49 170 765432", "+49 30 1234567 / +49 170 765432",
                                 "+49 30 1234567 +49 170 765432", "+49 30 1234567\n+49 170 765432"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(cell, (Texts{"+49 30 1234567", "+49 170 765432"}), phones(cell));
        for (const auto* cell : {"030/1234567", "0301234567,,12", "0301234567;ext=12", "+49 30 1234567", "(030) 123 456"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(cell, (Texts{cell}), phones(cell));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(CrmTextTest);

} // namespace portico::tests
