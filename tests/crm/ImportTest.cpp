#include "crm/ImportFixture.h"

namespace portico::tests
{

namespace json = boost::json;

/// What an import makes of rows, and what it reports.
template <class Engine>
class ImportTest : public ImportFixture<Engine>
{
    CPPUNIT_TEST_SUITE(ImportTest);
    CPPUNIT_TEST(makesContacts);
    CPPUNIT_TEST(skipsWhatIsThere);
    CPPUNIT_TEST_SUITE_END();

public:
    void makesContacts()
    {
        const auto made = this->imported(
            "First Name,Last Name,Email,Notes\nAda,Lovelace,ada@example.org,first programmer\nAlan,Turing,alan@example.org,\n");
        CPPUNIT_ASSERT_EQUAL(std::string("completed"), made.text("status"));
        CPPUNIT_ASSERT_EQUAL(std::string("2 2 0 0 0"), this->totals(made));
        const auto ada = this->contactNamed("ada");
        CPPUNIT_ASSERT_EQUAL(std::string("import"), ada.text("source"));
        CPPUNIT_ASSERT_EQUAL(std::string("people.csv"), ada.text("sourceDetail"));
        CPPUNIT_ASSERT_EQUAL(this->owner.principalId, ada.text("createdBy"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, ada["counts"].at("notes").as_int64());
        CPPUNIT_ASSERT_EQUAL(std::string("ada@example.org"), std::string(ada["emails"].at(0).at("address").as_string()));
        CPPUNIT_ASSERT_EQUAL(json::serialize(made.body), json::serialize(this->report(made).body));
    }

    void skipsWhatIsThere()
    {
        const std::string file =
            "First Name,Email,Phone\nAda,ada@example.org,\nAlan,,+49 170 1234567\nNobody,,\nAda again,ADA@example.org,\n";
        CPPUNIT_ASSERT_EQUAL(std::string("4 3 0 1 0"), this->totals(this->imported(file)));
        const auto again = this->imported(file);
        CPPUNIT_ASSERT_EQUAL(std::string("4 0 0 4 0"), this->totals(again));
        CPPUNIT_ASSERT_EQUAL((Names{"1 duplicate_existing", "2 duplicate_existing", "3 duplicate_existing", "4 duplicate_in_file"}),
                             this->problems(again));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, again.number("duplicatesInFile"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ImportTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(ImportTest<OnPostgres>);

} // namespace portico::tests
