#include "calendar/CalendarFixture.h"
#include "pictures/Picture.h"
#include "records/Booking.h"
#include "records/EmbedGrant.h"
#include "records/EventType.h"
#include "records/ExternalCalendar.h"
#include "records/Hold.h"
#include "records/Host.h"
#include "records/Schedule.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Records against the tables that the migrations make.
class CalendarTablesTest : public Suite<CalendarTablesTest, CalendarFixture>
{
    TEST(recordsFitTheirTables)
    {
        checkTables(host->context().database(), calendar::bookingTable, calendar::embedTable, calendar::eventTypeTable,
                    calendar::externalCalendarTable, calendar::holdTable, calendar::hostTable, calendar::pictureTable,
                    calendar::scheduleTable);
    }
};

} // namespace portico::tests
