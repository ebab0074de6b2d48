#include "actions/Action.h"
#include "installs/Assignment.h"
#include "installs/Install.h"
#include "launches/Launch.h"
#include "launchpad/LaunchpadFixture.h"
#include "notifications/Notification.h"
#include "preferences/OrgSettings.h"
#include "preferences/Preferences.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Records against the tables that the migrations make.
class LaunchpadTablesTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadTablesTest);
    CPPUNIT_TEST(recordsFitTheirTables);
    CPPUNIT_TEST_SUITE_END();

public:
    void recordsFitTheirTables()
    {
        checkTables(host->context().database(), launchpad::actionTable, launchpad::actionEventTable, launchpad::assignmentTable,
                    launchpad::installTable, launchpad::installRequestTable, launchpad::launchTable, launchpad::notificationTable,
                    launchpad::orgSettingsTable, launchpad::preferenceTable);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadTablesTest);

} // namespace portico::tests
