#pragma once

#include "hosttime/BookingTools.h"
#include "records/EmbedGrant.h"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Decides which origins may embed booking pages and be redirect targets of guests. Thread-safe.
class EmbedOrigins
{
public:
    /// Id that replaces a grant's in the preview: hosts see a page of this origin embed it before they make a grant.
    static constexpr std::string_view previewId = "preview";

    explicit EmbedOrigins(const BookingTools& tools) : _tools(tools) {}

    /// Returns the origins of this host's services, and the `embedOrigins` that operators have set in the registered manifest. The registry
    /// is asked once a minute.
    std::vector<std::string> allowed() const;
    /// Returns true if the URL has an allowed origin.
    bool allowsUrl(std::string_view url) const;
    /// Returns a valid grant for the pages of an event type, or for all pages without one. Its origins are limited to those allowed now.
    /// @throws Problem 403 `origin_not_allowed` if there is none
    EmbedGrant requireGranted(Session& session, const Host& host, std::string_view embedId, const std::optional<EventTypeId>& type) const;

private:
    const BookingTools& _tools;
    mutable std::mutex _mutex;
    mutable std::vector<std::string> _known;
    mutable Instant _knownSince{};
};

} // namespace portico::calendar
