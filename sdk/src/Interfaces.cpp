#include "portico/Clock.h"
#include "portico/Deliveries.h"
#include "portico/Events.h"
#include "portico/Logger.h"
#include "portico/Mailer.h"
#include "portico/Metrics.h"
#include "portico/Services.h"
#include "portico/StateStore.h"

namespace portico
{

// The key functions of what host and plugins implement for each other: here, so that each class has one vtable and one type_info in the
// process, in a library that is never unloaded.

Clock::~Clock() = default;
Deliveries::~Deliveries() = default;
Events::~Events() = default;
LeaseHandle::~LeaseHandle() = default;
Logger::~Logger() = default;
Mailer::~Mailer() = default;
Metrics::~Metrics() = default;
ServiceInterface::~ServiceInterface() = default;
Services::~Services() = default;
StateStore::~StateStore() = default;

SystemClock::~SystemClock() = default;

Instant SystemClock::now() const noexcept { return std::chrono::floor<Instant::duration>(std::chrono::system_clock::now()); }

std::chrono::steady_clock::time_point SystemClock::steady() const noexcept { return std::chrono::steady_clock::now(); }

} // namespace portico
