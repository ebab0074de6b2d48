#include "bookings/Booking.h"
#include "calendar/CalendarFixture.h"
#include "embed/EmbedGrant.h"
#include "eventtypes/EventType.h"
#include "external/ExternalCalendar.h"
#include "holds/Hold.h"
#include "hosts/Host.h"
#include "pictures/Picture.h"
#include "schedules/Schedule.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Records against the tables that the migrations make.
class CalendarTablesTest : public CalendarFixture
{
    CPPUNIT_TEST_SUITE(CalendarTablesTest);
    CPPUNIT_TEST(recordsFitTheirTables);
    CPPUNIT_TEST_SUITE_END();

public:
    void recordsFitTheirTables()
    {
        checkTables(host->context().database(), calendar::bookingTable, calendar::embedTable, calendar::eventTypeTable,
                    calendar::externalCalendarTable, calendar::holdTable, calendar::hostTable, calendar::pictureTable,
                    calendar::scheduleTable);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(CalendarTablesTest);

} // namespace portico::tests
