#pragma once

#include "billing/ProcessorObjects.h"

#include "portico/Database.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Received events of the processor.
namespace billing_events
{
/// Stores an event. @return false if it is known already
bool insert(Transaction& transaction, const ProcessorEvent& event, std::string_view body, Instant now);
/// Events of a subject in their order: seconds, rank of the type, ID.
std::vector<ProcessorEvent> ofSubject(Session& session, std::string_view subject, bool onlyWaiting);
void markProcessed(Transaction& transaction, const std::vector<ProcessorEvent>& events);
/// Begins a read of a subject. @return its number; later reads have greater ones
std::int64_t beginRead(Transaction& transaction, std::string_view subject);
/// Locks a subject for the result of a read. @return false if a later read was applied already
bool endRead(Transaction& transaction, std::string_view subject, std::int64_t number);
} // namespace billing_events

} // namespace portico::launchpad
