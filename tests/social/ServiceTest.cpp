#include "social/SocialFixture.h"

namespace portico::tests
{

/// The service as a whole.
class SocialServiceTest : public SocialFixture
{
    CPPUNIT_TEST_SUITE(SocialServiceTest);
    CPPUNIT_TEST(reportsTheDirectoryAsOptional);
    CPPUNIT_TEST(startsAgainOnItsData);
    CPPUNIT_TEST_SUITE_END();

public:
    void reportsTheDirectoryAsOptional()
    {
        const auto checks = host->plugin().health();
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, checks.size());
        CPPUNIT_ASSERT(checks[0].healthy);
        CPPUNIT_ASSERT(!checks[0].neededToServe);
        CPPUNIT_ASSERT_EQUAL(std::string("publishing"), checks[1].name);
        CPPUNIT_ASSERT(checks[1].healthy && checks[1].neededToServe);
    }

    void startsAgainOnItsData()
    {
        host->reload();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM brand"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(SocialServiceTest);

} // namespace portico::tests
