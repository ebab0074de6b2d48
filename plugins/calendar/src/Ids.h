#pragma once

#include "portico/Id.h"
#include "portico/Tenant.h"

namespace portico::calendar
{

using HostId = Id<"hst">;
using EventTypeId = Id<"ety">;
using ScheduleId = Id<"sch">;
using BookingId = Id<"bkg">;
using HoldId = Id<"hld">;
using CalendarId = Id<"cal">;
using EmbedId = Id<"emb">;
using PictureId = Id<"pic">;

} // namespace portico::calendar
