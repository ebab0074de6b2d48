#include "host/platform/channels/EventHub.h"

#include "host/base/Text.h"

#include "portico/Caller.h"
#include "portico/Changes.h"
#include "portico/Request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::platform
{

std::string eventFrame(std::string_view id, std::string_view type, std::string_view data)
{
    if (type.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
        throw std::invalid_argument("the type of an event is one line");
    std::string out;
    out.reserve(id.size() + type.size() + data.size() + 32);
    out.append("id: ").append(id).append("\n");
    if (!type.empty()) out.append("event: ").append(type).append("\n");
    while (true)
    {
        const auto end = data.find_first_of("\r\n");
        out.append("data: ").append(data.substr(0, end)).append("\n");
        if (end == std::string_view::npos) break;
        data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
    }
    out += '\n';
    return out;
}

/// One reader of some channels: what it has not been sent yet. Entered in its hub from `EventHub::open` until it is destroyed.
class HubStream final : public detail::LiveBody
{
public:
    HubStream(std::shared_ptr<EventHub> hub, const EventStream& stream, const Caller& caller)
        : _hub(std::move(hub)), _owner{caller.sessionId, caller.principalId, caller.apiKeyId, stream.label}, _until(stream.until)
    {
    }
    ~HubStream() override { _hub->leave(*this); }

    void attach(std::shared_ptr<detail::Waker> waker) noexcept override
    {
        const std::lock_guard lock(_mutex);
        _waker = std::move(waker);
    }
    State take(std::string& out) override
    {
        decltype(_waiting) taken;
        bool ending = false;
        {
            const std::lock_guard lock(_mutex);
            if (_overrun) return State::Overrun;
            taken.swap(_waiting);
            _waitingBytes = 0;
            ending = _ending;
        }
        for (const auto& frame : taken) out += *frame;
        if (!ending) return State::Open;
        out += ": the stream ends, come back\nretry: " + std::to_string(_hub->nextReturn()) + "\n\n";
        return State::Ended;
    }
    void beat(std::string& out) override { out += ":\n\n"; }
    void end() noexcept override
    {
        const std::lock_guard lock(_mutex);
        if (!std::exchange(_ending, true) && _waker) _waker->wake();
    }
    std::optional<Instant> until() const noexcept override { return _until; }

    /// The hub, under its lock.
    void push(const std::shared_ptr<const std::string>& frame)
    {
        const std::lock_guard lock(_mutex);
        if (_overrun || _ending) return;
        _waitingBytes += frame->size();
        _overrun = _waitingBytes > EventStream::maxWaitingBytes;
        if (_overrun)
            std::exchange(_waiting, {}).clear();
        else
            _waiting.push_back(frame);
        if (_waker) _waker->wake();
    }
    bool isOf(const StreamsOf& whose) const noexcept
    {
        const auto same = [](const std::string& asked, const std::string& own) { return !asked.empty() && asked == own; };
        return same(whose.sessionId, _owner.sessionId) || same(whose.principalId, _owner.principalId) ||
               same(whose.apiKeyId, _owner.apiKeyId) || same(whose.label, _owner.label);
    }

private:
    friend class EventHub;

    const std::shared_ptr<EventHub> _hub;
    std::vector<EventHub::Line*> _lines;
    /// In the hub's list.
    std::size_t _place = 0;
    const StreamsOf _owner;
    const std::optional<Instant> _until;
    /// Held while the waker is called; the hub's lock is never taken under it.
    std::mutex _mutex;
    std::vector<std::shared_ptr<const std::string>> _waiting;
    std::size_t _waitingBytes = 0;
    std::shared_ptr<detail::Waker> _waker;
    bool _overrun = false;
    bool _ending = false;
};

namespace
{

/// How long a client that was cut off waits before it comes back.
constexpr std::string_view opening = "retry: 2000\n\n";

std::string newEpoch()
{
    std::random_device device;
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), device() | 0x80000000U, 16).ptr;
    return {digits.data(), end};
}

} // namespace

EventHub::EventHub() : _epoch(newEpoch()) {}

std::string EventHub::idOf(std::uint64_t number) const { return _epoch + '-' + std::to_string(number); }

std::optional<std::uint64_t> EventHub::numberOf(std::string_view id) const noexcept
{
    if (!id.starts_with(_epoch) || !id.substr(_epoch.size()).starts_with('-')) return std::nullopt;
    id.remove_prefix(_epoch.size() + 1);
    const auto number = parseNumber<std::uint64_t>(id);
    return number <= _last ? number : std::nullopt;
}

EventHub::Line& EventHub::line(const std::string& key)
{
    const auto [found, added] = _lines.try_emplace(key);
    auto& line = found->second;
    if (added)
    {
        line.key = found->first;
        line.forgotten = _forgotten;
        line.place = _order.insert(_order.end(), &line);
    }
    return line;
}

void EventHub::forgetOldest(Line& line)
{
    const auto size = line.kept.front().frame->size();
    line.forgotten = line.kept.front().number;
    line.kept.pop_front();
    line.bytes -= size;
    _bytes -= size;
}

/// The lines that were published to last are kept longest.
void EventHub::makeRoom()
{
    for (auto next = _order.begin(); next != _order.end() && (_bytes > keptBytesOfAll || _lines.size() > knownChannels);)
    {
        Line& old = **next++;
        const bool erased = _lines.size() > knownChannels && old.readers.empty();
        while (!old.kept.empty() && (erased || _bytes > keptBytesOfAll)) forgetOldest(old);
        if (!erased) continue;
        _forgotten = std::max(_forgotten, old.forgotten);
        _order.erase(old.place);
        _lines.erase(std::string(old.key));
    }
}

std::string EventHub::publish(const Channel& channel, std::string_view type, std::string_view data)
{
    if (type.size() + data.size() > maxEventBytes) throw std::invalid_argument("an event has at most 64 KiB");
    const std::lock_guard lock(_mutex);
    auto id = idOf(_last + 1);
    const auto frame = std::make_shared<const std::string>(eventFrame(id, type, data));
    auto& line = this->line(channel.key());
    line.kept.push_back({++_last, frame});
    line.bytes += frame->size();
    _bytes += frame->size();
    while (line.kept.size() > keptEvents || (line.bytes > keptBytes && line.kept.size() > 1)) forgetOldest(line);
    _order.splice(_order.end(), _order, line.place);
    for (auto* reader : line.readers) reader->push(frame);
    makeRoom();
    return id;
}

std::string EventHub::position() const
{
    const std::lock_guard lock(_mutex);
    return idOf(_last);
}

std::size_t EventHub::end(const StreamsOf& whose)
{
    const std::lock_guard lock(_mutex);
    std::size_t count = 0;
    for (auto* stream : _streams)
    {
        if (!stream->isOf(whose)) continue;
        stream->end();
        ++count;
    }
    return count;
}

std::vector<EventHub::Kept> EventHub::missed(const std::vector<Line*>& lines, std::uint64_t after, bool& gone) const
{
    std::vector<Kept> found;
    std::size_t bytes = 0;
    for (const auto* line : lines)
    {
        gone = gone || after < line->forgotten;
        for (const auto& kept : line->kept)
        {
            if (kept.number <= after) continue;
            bytes += kept.frame->size();
            found.push_back(kept);
        }
    }
    // With so many missed events the client should reload instead.
    gone = gone || bytes > EventStream::maxWaitingBytes / 2;
    std::sort(found.begin(), found.end(), [](const Kept& a, const Kept& b) { return a.number < b.number; });
    return found;
}

std::unique_ptr<detail::LiveBody> EventHub::open(const EventStream& stream, const Request& request)
{
    if (stream.topics.empty() || stream.topics.size() > EventStream::maxChannels)
        throw std::invalid_argument("a stream has one to 16 channels");
    const auto sent = request.header("Last-Event-ID");
    const auto after = sent.empty() ? std::string_view(stream.after) : sent;
    auto reader = std::make_unique<HubStream>(shared_from_this(), stream, *request.caller);
    std::string first(opening);

    const std::lock_guard lock(_mutex);
    for (const auto& topic : stream.topics)
    {
        if (topic.key().ends_with('/' + std::string(Changes::channel))) _changesAreRead.store(true, std::memory_order_relaxed);
        auto& line = this->line(topic.key());
        if (std::find(reader->_lines.begin(), reader->_lines.end(), &line) == reader->_lines.end()) reader->_lines.push_back(&line);
    }
    if (!after.empty())
    {
        const auto number = numberOf(after);
        bool gone = !number;
        const auto events = number ? missed(reader->_lines, *number, gone) : std::vector<Kept>();
        if (gone)
            first += eventFrame(idOf(_last), "reset", "{}");
        else
            for (const auto& event : events) first += *event.frame;
    }
    // Without data it is no event, but it gives the client its current position.
    first += "id: " + idOf(_last) + "\n\n";
    reader->push(std::make_shared<const std::string>(std::move(first)));
    for (auto* line : reader->_lines) line->readers.push_back(reader.get());
    reader->_place = _streams.size();
    _streams.push_back(reader.get());
    makeRoom();
    return reader;
}

void EventHub::leave(HubStream& stream) noexcept
{
    const std::lock_guard lock(_mutex);
    for (auto* line : stream._lines) std::erase(line->readers, &stream);
    if (stream._place >= _streams.size() || _streams[stream._place] != &stream) return;
    _streams[stream._place] = _streams.back();
    _streams[stream._place]->_place = stream._place;
    _streams.pop_back();
}

std::size_t EventHub::streams() const
{
    const std::lock_guard lock(_mutex);
    return _streams.size();
}

} // namespace portico::host::platform
