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
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, checks.size());
        CPPUNIT_ASSERT(checks.front().healthy);
        CPPUNIT_ASSERT(!checks.front().neededToServe);
    }

    void startsAgainOnItsData()
    {
        host->reload();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM brand"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(SocialServiceTest);

} // namespace portico::tests
