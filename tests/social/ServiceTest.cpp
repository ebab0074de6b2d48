#include "social/SocialFixture.h"

namespace portico::tests
{

/// The service as a whole.
class SocialServiceTest : public Suite<SocialServiceTest, SocialFixture>
{
    TEST(reportsTheDirectoryAsOptional)
    {
        const auto checks = host->plugin().health();
        equal(2, checks.size());
        CHECK(checks[0].healthy);
        CHECK(!checks[0].neededToServe);
        equal("publishing", checks[1].name);
        CHECK(checks[1].healthy && checks[1].neededToServe);
    }

    TEST(startsAgainOnItsData)
    {
        host->reload();
        equal(0, *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM brand"));
    }
};

} // namespace portico::tests
