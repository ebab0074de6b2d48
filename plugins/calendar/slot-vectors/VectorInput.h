#pragma once

#include "portico/TimeZones.h"
#include "records/BookingWindow.h"
#include "slots/Slots.h"

#include "portico/Json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Input of a test vector for the engine.
struct VectorQuestion
{
    SlotRules rules;
    Taken taken;
    Asking asking;
    Instant from{};
    Instant to{};
    /// UTC where the query names instants.
    TimeZone guestZone;
};

/// Reads the member `input` of a vector.
/// @throws Problem 400, as the service answers it: `validation_failed` with its field errors (`unknown_time_zone`, `empty_interval`,
/// `wrong_order`, `out_of_range`, `required`, …), `unknown_field`, `invalid_json`
VectorQuestion readVectorInput(std::string_view json, const TimeZones& zones);

} // namespace portico::calendar
