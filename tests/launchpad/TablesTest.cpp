#include "actions/Action.h"
#include "installs/Assignment.h"
#include "installs/Install.h"
#include "launches/Launch.h"
#include "launchpad/LaunchpadFixture.h"
#include "notifications/Notification.h"
#include "preferences/OrgSettings.h"
#include "preferences/Preferences.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Records against the tables that the migrations make.
class LaunchpadTablesTest : public Suite<LaunchpadTablesTest, LaunchpadFixture>
{
    TEST(recordsFitTheirTables)
    {
        checkTables(host->context().database(), launchpad::actionTable, launchpad::actionEventTable, launchpad::assignmentTable,
                    launchpad::installTable, launchpad::installRequestTable, launchpad::launchTable, launchpad::notificationTable,
                    launchpad::orgSettingsTable, launchpad::preferenceTable);
    }
};

} // namespace portico::tests
