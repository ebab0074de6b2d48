#include "crm/ImportFixture.h"

#include "imports/TableStatistics.h"

#include <algorithm>

namespace portico::tests
{

/// The file of rows that did not go in: harmless to open, and the same rows when it is imported again.
class ExchangeErrorFileTest : public ImportFixture
{
    CPPUNIT_TEST_SUITE(ExchangeErrorFileTest);
    CPPUNIT_TEST(guardsFormulas);
    CPPUNIT_TEST(meansTheSameAgain);
    CPPUNIT_TEST(asksForStatisticsMoreAndMoreSeldom);
    CPPUNIT_TEST_SUITE_END();

public:
    void guardsFormulas()
    {
        const auto made = imported("=header,name,email,phone,job title\n"
                                   "=1+1,@x,nobody,+49 30 1,\"+cmd,\"\"x\"\"\"\n"
                                   "'=1+1,''=x,nobody,'+49 30 1,-5\n");
        CPPUNIT_ASSERT_EQUAL(std::string("'=header,name,email,phone,job title,_errorCode,_errorMessage\r\n"
                                         "'=1+1,'@x,nobody,+49 30 1,\"'+cmd,\"\"x\"\"\",invalid_email,email: Not an e-mail address\r\n"
                                         "'=1+1,''=x,nobody,'+49 30 1,-5,invalid_email,email: Not an e-mail address\r\n"),
                             errorFile(made));
    }

    void meansTheSameAgain()
    {
        const std::string bad = "name,email,job title\n=1+1,nobody,'=a\n'=2+2,nobody,-cmd\n'plain,nobody,' \n";
        auto good = bad;
        for (auto at = good.find("nobody"); at != std::string::npos; at = good.find("nobody", at)) good.replace(at, 6, "a@x.example");
        const auto file = errorFile(imported(bad));
        CPPUNIT_ASSERT_EQUAL(file, errorFile(imported(file)));

        auto mended = file;
        for (auto at = mended.find("nobody"); at != std::string::npos; at = mended.find("nobody", at)) mended.replace(at, 6, "a@x.example");
        CPPUNIT_ASSERT_EQUAL(std::string("3 3 0 0 0"), totals(imported(good, "onDuplicate=create")));
        const auto asBefore = contacts();
        CPPUNIT_ASSERT_EQUAL(std::string("3 3 0 0 0"), totals(imported(mended, "onDuplicate=create")));
        auto twice = asBefore;
        twice.insert(twice.end(), asBefore.begin(), asBefore.end());
        std::sort(twice.begin(), twice.end());
        CPPUNIT_ASSERT_EQUAL(twice, contacts());
    }

    void asksForStatisticsMoreAndMoreSeldom()
    {
        int asked = 0;
        for (std::int64_t row = 0; row < 200'000; row += 500) asked += crm::needsStatistics(row, row + 500);
        CPPUNIT_ASSERT_EQUAL(9, asked);
        CPPUNIT_ASSERT(!crm::needsStatistics(0, 499) && crm::needsStatistics(0, 500) && !crm::needsStatistics(500, 999));
        crm::refreshStatistics(database());
    }

private:
    Names contacts() const
    {
        Names found;
        const auto all = list("limit=200&fields=displayName,jobTitle");
        for (const auto& item : all["items"].as_array())
            found.push_back(std::string(item.at("displayName").as_string()) + '|' + std::string(item.at("jobTitle").as_string()));
        std::sort(found.begin(), found.end());
        return found;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ExchangeErrorFileTest);

} // namespace portico::tests
