#include "analytics/NumbersRow.h"
#include "audit/AuditEvent.h"
#include "brands/Brand.h"
#include "content/ContentItem.h"
#include "content/Post.h"
#include "content/PublishAttempt.h"
#include "integrations/Integration.h"
#include "media/Media.h"
#include "notices/NoticeChoice.h"
#include "social/SocialFixture.h"
#include "support/Suite.h"
#include "trends/Seed.h"
#include "trends/SourceItem.h"
#include "trends/TrendSource.h"

namespace portico::tests
{

/// Records against the tables that the migrations make.
class SocialTablesTest : public Suite<SocialTablesTest, SocialFixture>
{
    TEST(recordsFitTheirTables)
    {
        checkTables(host->context().database(), social::numbersTable, social::auditEventTable, social::brandTable, social::itemTable,
                    social::postTable, social::attemptTable, social::integrationTable, social::mediaTable, social::noticeChoiceTable,
                    social::seedTable, social::sourceItemTable, social::trendSourceTable);
    }
};

} // namespace portico::tests
