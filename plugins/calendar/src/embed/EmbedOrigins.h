#pragma once

#include "bookings/BookingTools.h"
#include "embed/EmbedGrant.h"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Which origins may show booking pages. Thread-safe.
class EmbedOrigins
{
public:
    explicit EmbedOrigins(const BookingTools& tools) : _tools(tools) {}

    /// Those of this host's services, and those that operators have put into the registered manifest (`embedOrigins`), which is asked for
    /// once a minute.
    std::vector<std::string> allowed() const;
    /// Those that a grant names and that are allowed now, for the pages of an event type, or of all without one.
    /// @throws Problem 403 `origin_not_allowed` where there is none
    std::vector<std::string> requireGranted(Session& session, const Host& host, std::string_view embedId,
                                            const std::optional<EventTypeId>& type) const;

private:
    const BookingTools& _tools;
    mutable std::mutex _mutex;
    mutable std::vector<std::string> _known;
    mutable Instant _knownSince{};
};

} // namespace portico::calendar
