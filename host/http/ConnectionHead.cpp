#include "host/http/Connection.h"

#include <memory>
#include <utility>

namespace portico::host::http
{

bool Connection::readHead(ReadingHead& head)
{
    while (true)
    {
        if (!_input.empty())
        {
            const bool begins = !head.scanner.started();
            switch (head.scanner.scan(_input.data()))
            {
            case HeadScanner::Result::Complete:
                return parseHead(head.scanner.length());
            case HeadScanner::Result::Malformed:
                return refuse(Fault::malformed("A line of the head does not end in CR LF, or a request cannot begin like this."));
            case HeadScanner::Result::Incomplete:
                if (const auto fault = checkSize(head.scanner)) return refuse(*fault);
                if (begins) setTimeout(_loop.settings().headTimeout);
            }
        }
        const auto received = receive();
        if (received == Received::Some) continue;
        if (received == Received::Ended || (_loop.stopping() && _requests > 0 && _input.empty()))
            close();
        else if (_input.empty())
            _input.release(_loop.blocks());
        return false;
    }
}

/// Checks an incomplete head.
std::optional<Fault> Connection::checkSize(const HeadScanner& scanner) const noexcept
{
    const auto size = _input.data().size();
    const auto& settings = _loop.settings();
    // Method and version fit into 32 bytes: a longer line has a target that is too long.
    if (!scanner.hasRequestLine() && size > settings.targetBytes + 32) return Fault::targetTooLong();
    if (size >= settings.headBytes) return Fault::headTooLarge("The request's head is too large.");
    return std::nullopt;
}

decltype(Exchanging::slot) Connection::takeSlot()
{
    auto slot = _loop.slots().take([] { return std::make_unique<ExchangeSlot>(); });
    slot->date = _loop.date();
    slot->deadline = _loop.after(_loop.settings().totalTimeout);
    slot->engaged = true;
    _loop.count().requests.add();
    _loop.count().requestsInFlight.add();
    return {slot.release(), SlotReturn{&_loop}};
}

bool Connection::parseHead(std::size_t length)
{
    ExchangeSlot& slot = *become(ReadingBody{{takeSlot()}}).slot;
    ++_requests;
    const auto& settings = _loop.settings();
    const auto text = _input.data().substr(0, length);
    _input.consume(length);
    const auto fault = length > settings.headBytes ? Fault::headTooLarge("The request's head is too large.")
                                                   : slot.head.parse(text, settings.targetBytes, settings.headerCount);
    const auto forwardedFault = slot.identify(_peer, _loop.context().proxies, _loop.requestIds(), _loop.wallMillis());
    if (fault || forwardedFault) return refuse(fault ? *fault : *forwardedFault);
    const bool more = settings.maxRequestsPerConnection == 0 || _requests < settings.maxRequestsPerConnection;
    slot.after = slot.head.keepAlive && more ? After::KeepAlive : After::Close;
    return dispatch(slot);
}

bool Connection::dispatch(ExchangeSlot& slot)
{
    const auto& settings = _loop.settings();
    Admission& admission = slot.admission;
    admission = _loop.context().application.admit(slot.exchange);
    auto limit = settings.drainBytes;
    if (!admission.answered && admission.bodyLimit > 0)
        limit = admission.bodyLimit;
    else if (!admission.answered && admission.body != BodyMode::None)
        limit = settings.bodyBytes;
    slot.receiver.begin(slot.head, limit);
    if (admission.answered)
    {
        plan(slot);
        return answer();
    }
    if (slot.head.contentLength.value_or(0) > limit) return refuse(Fault::bodyTooLarge());
    if (!admission.waits) return beginRequest();
    static constexpr Task fetching{nullptr, [](Connection& self)
                                   {
                                       ExchangeSlot& fetched = self.request();
                                       self._loop.context().application.resume(fetched.exchange, fetched.admission);
                                       return self.beginRequest();
                                   }};
    _task = &fetching;
    setTimeout(std::chrono::milliseconds::zero());
    _loop.context().application.fetch(slot.exchange, [this] { _loop.post(*this); });
    return false;
}

bool Connection::beginRequest()
{
    ExchangeSlot& slot = request();
    if (!slot.admission.prepareFirst) return receiveBody();
    // If the whole body is here, one visit to a worker prepares and handles the request.
    const bool sameLane = slot.admission.lane == Lane::Worker || slot.admission.lane == Lane::Heavy;
    if (sameLane && takeBodyAtHand(slot))
    {
        static constexpr Task both{[](Connection& self) noexcept
                                   {
                                       if (self.prepare()) return self.handle();
                                       self.plan(self.request());
                                       self.sendFromWorker(self.request());
                                   },
                                   [](Connection& self) { return self.answering(); }};
        beginAnswer();
        return giveToWorker(both, slot.admission.lane, false);
    }
    static constexpr Task preparing{[](Connection& self) noexcept
                                    {
                                        self.request().admission.answered = !self.prepare();
                                        if (self.request().admission.answered) self.plan(self.request());
                                    },
                                    [](Connection& self)
                                    { return self.request().admission.answered ? self.answer() : self.receiveBody(); }};
    return giveToWorker(preparing, sideLane(slot), false);
}

} // namespace portico::host::http
