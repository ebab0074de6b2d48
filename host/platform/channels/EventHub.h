#pragma once

#include "portico/EventStream.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace portico::host::platform
{

/// Formats an event for the wire (WHATWG HTML, 9.2.6 "Interpreting an event stream"). Lines of `data` may have any line end; each becomes a
/// line feed. @throws std::invalid_argument for a type of several lines
std::string eventFrame(std::string_view id, std::string_view type, std::string_view data);

class HubStream;

/// The channels of one service and their open streams. One mutex, locked only while a pointer is handed to each stream of a channel; no
/// thread waits for a client. Thread-safe; its streams keep it alive.
///
/// An id is `<epoch>-<number>`: numbers increase over all channels of the service, and each process has another epoch.
class EventHub final : public Channels, public std::enable_shared_from_this<EventHub>
{
public:
    /// Replay buffer of all channels of a service together. Above it, the channels with the oldest last event are cleared first.
    static constexpr std::size_t keptBytesOfAll = 16 * 1024 * 1024;
    /// Maximum number of channels without streams; above it they are dropped.
    static constexpr std::size_t knownChannels = 20'000;

    EventHub();

    std::string publish(const Channel& channel, std::string_view type, std::string_view data) override;
    std::string position() const override;
    std::size_t end(const StreamsOf& whose) override;
    /// @throws std::invalid_argument for no channel or more than `EventStream::maxChannels`.
    std::unique_ptr<detail::LiveBody> open(const EventStream& stream, const Request& request) override;

    std::size_t streams() const;
    /// True once a stream of this process has read the changes of any tenant (`Changes`): before that, no client can resume them.
    bool changesAreRead() const noexcept { return _changesAreRead.load(std::memory_order_relaxed); }

private:
    friend class HubStream;
    using Frame = std::shared_ptr<const std::string>;
    struct Kept
    {
        std::uint64_t number;
        Frame frame;
    };
    struct Line
    {
        std::deque<Kept> kept;
        std::size_t bytes = 0;
        /// The newest that is kept no more.
        std::uint64_t forgotten = 0;
        std::vector<HubStream*> readers;
        /// Place in `_order`.
        std::list<Line*>::iterator place;
        std::string_view key;
    };

    Line& line(const std::string& key);
    void forgetOldest(Line& line);
    void makeRoom();
    void leave(HubStream& stream) noexcept;
    std::string idOf(std::uint64_t number) const;
    /// Returns the number in this id; nullopt if the id is not of this process.
    std::optional<std::uint64_t> numberOf(std::string_view id) const noexcept;
    std::vector<Kept> missed(const std::vector<Line*>& lines, std::uint64_t after, bool& gone) const;
    /// Milliseconds after which a stream that is ended comes back: a few at a time.
    std::uint64_t nextReturn() noexcept { return 10 + (_ended.fetch_add(1, std::memory_order_relaxed) / 5) % 2000; }

    const std::string _epoch;
    mutable std::mutex _mutex;
    std::uint64_t _last = 0;
    std::size_t _bytes = 0;
    /// The newest event of a channel that is not known any more.
    std::uint64_t _forgotten = 0;
    std::unordered_map<std::string, Line> _lines;
    /// Ordered by last event, newest at the end.
    std::list<Line*> _order;
    std::vector<HubStream*> _streams;
    std::atomic<std::uint64_t> _ended{0};
    std::atomic<bool> _changesAreRead{false};
};

} // namespace portico::host::platform
