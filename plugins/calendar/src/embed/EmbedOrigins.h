#pragma once

#include "hosttime/BookingTools.h"
#include "records/EmbedGrant.h"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Which origins may show booking pages, and be where guests are led to. Thread-safe.
class EmbedOrigins
{
public:
    /// In place of a grant's: pages of this origin show it, which hosts look at before they make one.
    static constexpr std::string_view previewId = "preview";

    explicit EmbedOrigins(const BookingTools& tools) : _tools(tools) {}

    /// Those of this host's services, and those that operators have put into the registered manifest (`embedOrigins`), which is asked for
    /// once a minute.
    std::vector<std::string> allowed() const;
    /// Whether a URL is of one of them.
    bool allowsUrl(std::string_view url) const;
    /// A grant that holds for the pages of an event type, or for all without one, with those of its origins that are allowed now.
    /// @throws Problem 403 `origin_not_allowed` where there is none
    EmbedGrant requireGranted(Session& session, const Host& host, std::string_view embedId, const std::optional<EventTypeId>& type) const;

private:
    const BookingTools& _tools;
    mutable std::mutex _mutex;
    mutable std::vector<std::string> _known;
    mutable Instant _knownSince{};
};

} // namespace portico::calendar
