#include "exchange/SeveralValues.h"
#include "support/Suite.h"
#include "text/DomainName.h"
#include "text/EmailKey.h"
#include "text/FoldedText.h"
#include "text/PhoneNumber.h"
#include "text/Similarity.h"
#include "text/VisibleText.h"

#include "portico/Text.h"

#include <string>
#include <vector>

namespace portico::tests
{

/// How texts are compared: names, addresses, numbers.
class CrmTextTest : public Suite<CrmTextTest>
{
    TEST(trimsUnicodeSpace)
    {
        equal("a b", std::string(trim(" \t\u00a0a b\u3000\n")));
        equal("", std::string(trim(" \u2003 ")));
    }

    TEST(encodesPunycode)
    {
        // RFC 3492, 7.1: (A) Arabic, (B) Chinese, (I) Russian, (L) 3年B組金八先生, (S).
        equal("egbpdaj6bu4bxfgehfvwxn", crm::punycode("ليهمابتكلموشعربي؟").value());
        equal("ihqwcrb4cv8a8dqg056pqjye", crm::punycode("他们为什么不说中文").value());
        equal("b1abfaaepdrnnbgefbadotcwatmq2g4l", crm::punycode("почемужеонинеговорятпорусски").value());
        equal("3B-ww4c5e180e575a65lsy2b", crm::punycode("3年B組金八先生").value());
        equal("-> $1.00 <--", crm::punycode("-> $1.00 <-").value());
        CHECK(!crm::punycode("\xc3"));
    }

    TEST(comparesDomainsAsALabels)
    {
        equal("xn--bcher-kva.example", crm::asciiDomain("B\u00dcCHER.Example").value());
        equal("xn--bcher-kva.example", crm::asciiDomain("xn--bcher-kva.EXAMPLE").value());
        equal("a.example", crm::asciiDomain("a\u3002example").value());
    }

    TEST(refusesImpossibleDomains)
    {
        CHECK(!crm::asciiDomain(""));
        CHECK(!crm::asciiDomain("a..b"));
        CHECK(!crm::asciiDomain(std::string(64, 'a') + ".example"));
        std::string longDomain = "a";
        for (int i = 0; i < 127; ++i) longDomain += ".a";
        CHECK(!crm::asciiDomain(longDomain));
        std::string longLabel;
        for (int i = 0; i < 60; ++i) longLabel += "ü";
        CHECK(!crm::asciiDomain(longLabel + ".example"));
    }

    TEST(comparesEmails)
    {
        equal("ada@xn--bcher-kva.example", crm::emailKey("Ada@B\u00fccher.example").value());
        CHECK(crm::emailKey("ad\u00e1@a.example") != crm::emailKey("ada@a.example"));
        CHECK(!crm::emailKey("ada"));
        CHECK(!crm::emailKey("@a.example"));
    }

    TEST(normalisesInternationalNumbers)
    {
        for (const auto* typed :
             {"+49 170 1234567", "0049-170-1234567", "+49 (0)170/1234567", "+49.170.123.45.67", "+49 170 1234567 ext. 12"})
            equal("+491701234567", crm::e164(typed, "").value(), typed);
    }

    TEST(completesNationalNumbers)
    {
        equal("+491701234567", crm::e164("0170 1234567", "49").value());
        equal("+12025550143", crm::e164("(202) 555-0143 x9", "1").value());
        for (const auto* typed :
             {"(+49) 170 1234567", "\uff0b49 170 1234567", "+\uff14\uff19 170 1234567", "++49 170 1234567", "491701234567",
              "49 170 1234567", "0049\u00a0170\u00a01234567", "(0049) 170 1234567", "\u260e +49 170 1234567", "0170\u00b7123\u00b74567"})
            equal("+491701234567", crm::e164(typed, "49").value(), typed);
        equal("+12025550143", crm::e164("1 (202) 555-0143", "1").value());
        // Indian and Italian mobiles begin as their calling codes do.
        equal("+919123456789", crm::e164("9123456789", "91").value());
        equal("+393921234567", crm::e164("392 1234567", "39").value());
        // Ambiguous numbers and digits of other scripts.
        for (const auto* typed : {"49170123456", "+\u0664\u0669 170 1234567", "0170 \u0661234567"})
            CPPUNIT_ASSERT_MESSAGE(typed, !crm::e164(typed, "49"));
        CHECK(!crm::e164("0170 1234567", ""));
    }

    TEST(leavesOtherNumbersAlone)
    {
        CHECK(!crm::e164("+1-800-FLOWERS", ""));
        CHECK(!crm::e164("+123", ""));
        CHECK(!crm::e164("+1234567890123456", ""));
        CHECK(!crm::e164("+0123456789", ""));
        CHECK(!crm::e164("", "49"));
    }

    TEST(recognizesPhoneNumbers)
    {
        CHECK(crm::looksLikePhoneNumber("110"));
        CHECK(crm::looksLikePhoneNumber("1-800-FLOWERS"));
        CHECK(crm::looksLikePhoneNumber("+49\u00a0170\u2013123"));
        CHECK(!crm::looksLikePhoneNumber("12"));
        CHECK(!crm::looksLikePhoneNumber("call me"));
        CHECK(!crm::looksLikePhoneNumber("123\n456"));
    }

    TEST(measuresSimilarNames)
    {
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.961, crm::jaroWinkler("martha", "marhta"), 0.001);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.840, crm::jaroWinkler("dwayne", "duane"), 0.001);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.813, crm::jaroWinkler("dixon", "dicksonx"), 0.001);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1, crm::jaroWinkler("ada", "ada"), 0);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0, crm::jaroWinkler("abc", "xyz"), 0);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0, crm::jaroWinkler("", ""), 0);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1, crm::jaroWinkler("a", "a"), 0);
    }

    TEST(rejectsCalculatedNumbers)
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

    TEST(removesFractionsOfZeros)
    {
        const auto plain = [](std::string_view typed) { return crm::plainNumber(typed).value_or("-"); };
        equal("170123456", plain("170123456.0"));
        equal("+49170123456", plain(" +49170123456,00 "));
        equal("491701234567", plain("491,701,234,567.00"));
        equal("170123456", plain("170.123.456,0"));
        equal("170123456", plain("170\u202f123\u202f456,00"));
        equal("170123456", plain("170\u2019123\u2019456.00"));
        for (const auto* typed : {"170123456", "170123456.5", "01.23.45.67.00", "170.123.000", "030/123.00", "0170 1234567", "1.0", ".00",
                                  "", "170,12,456.0", "123456.000", "+.0", "170123456."})
            equal("-", plain(typed), typed);
    }

    TEST(completesNumbersWithACallingCode)
    {
        for (const auto* code : {"+49", "49", "0049", "DE", " de "}) equal("+49170123456", crm::withCallingCode("0170 123456", code), code);
        equal("+431234567", crm::withCallingCode("+431234567", "+49"));
        equal("170123456", crm::withCallingCode("170123456", "nowhere"));
        equal("170123456", crm::withCallingCode("170123456", ""));
    }

    TEST(removesInvisibleCharacters)
    {
        for (const auto* sign : {"\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a",     "\u202b",     "\u202c",     "\u202d",
                                 "\u202e", "\u2060", "\u2062", "\u2066", "\u2069", "\ufeff",     "\u00ad",     "\u034f",     "\u061c",
                                 "\u180e", "\u3164", "\uffa0", "\ufe0f", "\ufffc", "\U000e0041", "\U000e0001", "\U000e0100", "\U0001d173"})
        {
            const std::string text = "A" + std::string(sign) + "da";
            equal("Ada", crm::visibleText(text), sign);
            equal("Ada", crm::visibleCharacters(text), sign);
            equal("", crm::visibleText(sign), sign);
            equal("", crm::visibleText(" " + std::string(sign) + " "), sign);
        }
        equal("A b", crm::visibleText("A\u2028b"));
        equal("A b c", crm::visibleText("A\x01"
                                        "b\u0085c"));
        equal("1 Street\n2 Floor", crm::visibleText("1 Street\n2 Floor"));
        equal("", crm::visibleText("\u2800"));
        equal("M\u00fcller \u738b", crm::visibleText("M\u00fcller \u738b"));
    }

    TEST(keepsCharactersThatShape)
    {
        for (const auto* text :
             {"\u0646\u06cc\u200c\u0645\u0627", "\u0d2e\u0d4b\u0d39\u0d28\u0d4d\u200d", "\U0001f469\u200d\U0001f4bb Ltd",
              "I \u2764\ufe0f NY", "\u845b\U000e0100\u57ce", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f", "1\ufe0f\u20e3"})
        {
            equal(text, crm::visibleText(text));
            equal(crm::visibleText(text), crm::visibleText(crm::visibleText(text)));
        }
    }

    TEST(removesMarksOfWords)
    {
        equal("rock n roll - jeanluc", crm::withoutMarks("rock 'n' roll - jean-luc"));
        equal("' --", crm::withoutMarks("' --"));
    }

    TEST(splitsSeveralValues)
    {
        using Texts = std::vector<std::string>;
        const auto emails = [](std::string_view cell) { return crm::severalValues(crm::Target::EmailAddress, cell); };
        const auto phones = [](std::string_view cell) { return crm::severalValues(crm::Target::PhoneNumber, cell); };
        const Texts two{"a@x.example", "b@x.example"};
        for (const auto* cell :
             {"a@x.example;b@x.example", "a@x.example, b@x.example", "a@x.example\r\nb@x.example", "a@x.example|b@x.example",
              "a@x.example b@x.example", "a@x.example ::: b@x.example", "a@x.example/b@x.example", R"(["a@x.example","b@x.example"])",
              "a@x.example;; b@x.example;", "a@x.example / b@x.example"})
            equal(two, emails(cell), cell);
        equal({"a/b@x.example"}, emails(" a/b@x.example "));
        equal({"a@x.example; nobody"}, emails("a@x.example; nobody"));
        equal({"[broken"}, emails("[broken"));
        for (const auto* cell : {"+49 30 1234567;+49 170 765432", "+49 30 1234567, +49 170 765432", "+49 30 1234567 / +49 170 765432",
                                 "+49 30 1234567 +49 170 765432", "+49 30 1234567\n+49 170 765432"})
            equal({"+49 30 1234567", "+49 170 765432"}, phones(cell), cell);
        for (const auto* cell : {"030/1234567", "0301234567,,12", "0301234567;ext=12", "+49 30 1234567", "(030) 123 456"})
            equal({cell}, phones(cell), cell);
    }
};

} // namespace portico::tests
