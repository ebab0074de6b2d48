#include "crm/ImportFixture.h"

#include "imports/TableStatistics.h"

#include <algorithm>

namespace portico::tests
{

/// The file of rows that did not go in: harmless to open, and the same rows when it is imported again.
class ExchangeErrorFileTest : public Suite<ExchangeErrorFileTest, ImportFixture>
{
    TEST(guardsFormulas)
    {
        const auto made = imported("=header,name,email,phone,job title\n"
                                   "=1+1,@x,nomail,+49 30 1,\"+cmd,\"\"x\"\"\"\n"
                                   "'=1+1,''=x,nomail,'+49 30 1,-5\n");
        equal("'=header,name,email,phone,job title,_errorCode,_errorMessage\r\n"
              "'=1+1,'@x,nomail,+49 30 1,\"'+cmd,\"\"x\"\"\",invalid_email,email: Not an e-mail address\r\n"
              "'=1+1,''=x,nomail,'+49 30 1,-5,invalid_email,email: Not an e-mail address\r\n",
              errorFile(made));
    }

    TEST(meansTheSameAgain)
    {
        const std::string bad = "name,email,job title\n=1+1,nomail,'=a\n'=2+2,nomail,-cmd\n'plain,nomail,' \n";
        auto good = bad;
        for (auto at = good.find("nomail"); at != std::string::npos; at = good.find("nomail", at)) good.replace(at, 6, "a@x.example");
        const auto file = errorFile(imported(bad));
        equal(file, errorFile(imported(file)));

        auto mended = file;
        for (auto at = mended.find("nomail"); at != std::string::npos; at = mended.find("nomail", at)) mended.replace(at, 6, "a@x.example");
        equal("3 3 0 0 0", totals(imported(good, "onDuplicate=create")));
        const auto asBefore = contacts();
        equal("3 3 0 0 0", totals(imported(mended, "onDuplicate=create")));
        auto twice = asBefore;
        twice.insert(twice.end(), asBefore.begin(), asBefore.end());
        std::sort(twice.begin(), twice.end());
        equal(twice, contacts());
    }

    TEST(asksForStatisticsMoreAndMoreSeldom)
    {
        int asked = 0;
        for (std::int64_t row = 0; row < 200'000; row += 500) asked += crm::needsStatistics(row, row + 500);
        equal(9, asked);
        CHECK(!crm::needsStatistics(0, 499) && crm::needsStatistics(0, 500) && !crm::needsStatistics(500, 999));
        crm::refreshStatistics(database());
    }

    Names contacts() const
    {
        Names found;
        const auto all = list("limit=200&fields=displayName,jobTitle");
        for (const auto& item : arrayAt(all, "/items"))
            found.push_back(std::string(item.at("displayName").as_string()) + '|' + std::string(item.at("jobTitle").as_string()));
        std::sort(found.begin(), found.end());
        return found;
    }
};

} // namespace portico::tests
