#include "support/Suite.h"

#include "host/platform/channels/EventHub.h"

#include "portico/Caller.h"
#include "portico/Request.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace portico::tests
{

using host::platform::eventFrame;
using host::platform::EventHub;

/// Published events reach open streams. A reconnecting client misses none, or gets a reset.
class EventHubTest : public Suite<EventHubTest>
{
    using Live = std::unique_ptr<portico::detail::LiveBody>;
    using State = portico::detail::LiveBody::State;

    static Channel channel(std::string_view name) { return Channel::shared(name); }

    Live open(std::vector<Channel> channels, std::string_view lastEventId = {}, const Caller& caller = Caller::nobody())
    {
        EventStream stream(*hub, std::move(channels));
        stream.label = "label";
        Request request;
        const HeaderField field{"Last-Event-ID", lastEventId};
        if (!lastEventId.empty()) request.headers = {&field, 1};
        request.caller = &caller;
        return hub->open(stream, request);
    }

    /// Text of the stream without its opening.
    static std::string taken(Live& stream, State expected = State::Open)
    {
        std::string out;
        CHECK(stream->take(out) == expected);
        constexpr std::string_view opening = "retry: 2000\n\n";
        if (out.starts_with(opening)) out.erase(0, opening.size());
        return out;
    }

    TEST(framesFollowTheStandard)
    {
        equal("id: 1\nevent: note\ndata: {}\n\n", eventFrame("1", "note", "{}"));
        equal("id: 1\ndata: a\ndata: b\ndata: c\ndata: \ndata: d\n\n", eventFrame("1", "", "a\nb\r\nc\n\rd"));
        equal("id: 1\ndata: \n\n", eventFrame("1", "", ""));
        for (const auto type : {std::string_view("a\nb"), std::string_view("a\rdata: x"), std::string_view("a\0b", 3)})
            CPPUNIT_ASSERT_THROW(eventFrame("1", type, "x"), std::invalid_argument);
    }

    TEST(readersGetTheirChannels)
    {
        auto first = open({channel("a"), channel("a"), channel("b")});
        auto second = open({channel("b")});
        equal("id: " + hub->position() + "\n\n", taken(first));
        taken(second);
        const auto one = hub->publish(channel("a"), "t", "1");
        const auto two = hub->publish(channel("b"), "t", "2");
        hub->publish(channel("c"), "t", "3");
        equal(eventFrame(one, "t", "1") + eventFrame(two, "t", "2"), taken(first));
        equal(eventFrame(two, "t", "2"), taken(second));
        equal("", taken(second));
        equal(2, hub->streams());
        first.reset();
        equal(1, hub->streams());
    }

    TEST(channelsOfTenantsAreApart)
    {
        const auto a = OrganizationId::make(Instant{}), b = OrganizationId::make(Instant{});
        auto reader = open({Channel(a, "notes")});
        taken(reader);
        hub->publish(Channel(b, "notes"), "", "theirs");
        hub->publish(Channel::shared("notes"), "", "nobody's");
        equal("", taken(reader));
        hub->publish(Channel(a, "notes"), "", "ours");
        CHECK(taken(reader).find("ours") != std::string::npos);
    }

    TEST(reconnectingClientMissesNothing)
    {
        const auto before = hub->position();
        const auto one = hub->publish(channel("a"), "", "1");
        const auto two = hub->publish(channel("b"), "", "2");
        const auto three = hub->publish(channel("a"), "", "3");
        const auto all = eventFrame(one, "", "1") + eventFrame(two, "", "2") + eventFrame(three, "", "3");
        const auto here = "id: " + three + "\n\n";
        auto again = open({channel("b"), channel("a")}, before);
        equal(all + here, taken(again));
        again = open({channel("b"), channel("a")}, two);
        equal(eventFrame(three, "", "3") + here, taken(again));
        again = open({channel("a")}, three);
        equal(here, taken(again));
        // The plugin's start position is used if the client names none.
        EventStream stream(*hub, {channel("a")});
        stream.after = one;
        again = hub->open(stream, Request());
        equal(eventFrame(three, "", "3") + here, taken(again));
    }

    TEST(lostEventsCauseReset)
    {
        const auto before = hub->position();
        for (std::size_t i = 0; i <= Channels::keptEvents; ++i) hub->publish(channel("a"), "", std::to_string(i));
        const auto reset = eventFrame(hub->position(), "reset", "{}") + "id: " + hub->position() + "\n\n";
        auto again = open({channel("a")}, before);
        equal(reset, taken(again));
        // Another channel has lost nothing.
        again = open({channel("b")}, before);
        equal("id: " + hub->position() + "\n\n", taken(again));
        const EventHub other;
        const auto later = hub->position() + "0";
        for (const std::string& id : {other.position(), std::string("x"), std::string("-1"), later, hub->position() + " "})
        {
            again = open({channel("b")}, id);
            equal(reset, taken(again), id);
        }
        // Large events, too, take the place of others.
        const auto large = hub->position();
        for (int i = 0; i < 3; ++i) hub->publish(channel("c"), "", std::string(40'000, 'x'));
        again = open({channel("c")}, large);
        CHECK(taken(again).find("event: reset") != std::string::npos);
    }

    TEST(unreadChannelsAreForgottenInTheEnd)
    {
        const auto before = hub->position();
        hub->publish(channel("old"), "", "1");
        auto reader = open({channel("read")});
        for (std::size_t i = 0; i < EventHub::knownChannels; ++i) hub->publish(channel(std::to_string(i)), "", "x");
        auto again = open({channel("old")}, before);
        CHECK(taken(again).find("event: reset") != std::string::npos);
        // All channels together also have a limit.
        const std::string large(60'000, 'x');
        const auto start = hub->position();
        for (int i = 0; i < 300; ++i) hub->publish(channel("large" + std::to_string(i)), "", large);
        again = open({channel("large0")}, start);
        CHECK(taken(again).find("event: reset") != std::string::npos);
        again = open({channel("large299")}, start);
        CHECK(taken(again).find(large) != std::string::npos);
        taken(reader);
        hub->publish(channel("read"), "", "still");
        CHECK(taken(reader).find("still") != std::string::npos);
    }

    TEST(slowReadersAreCutOff)
    {
        auto slow = open({channel("a")});
        auto quick = open({channel("a")});
        const std::string event(10'000, 'x');
        for (std::size_t i = 0; i * event.size() <= EventStream::maxWaitingBytes; ++i)
        {
            hub->publish(channel("a"), "", event);
            CHECK(!taken(quick).empty());
        }
        taken(slow, State::Overrun);
    }

    TEST(endsSelectedStreams)
    {
        Caller ada, bob;
        ada.sessionId = "ses_1";
        ada.principalId = bob.principalId = "usr_1";
        bob.sessionId = "ses_2";
        auto first = open({channel("a")}, {}, ada);
        auto second = open({channel("a")}, {}, bob);
        auto open3 = open({channel("a")});
        for (auto* stream : {&first, &second, &open3}) taken(*stream);
        equal(0, hub->end({}));
        equal(1, hub->end({.sessionId = "ses_1"}));
        hub->publish(channel("a"), "", "late");
        const auto last = taken(first, State::Ended);
        CPPUNIT_ASSERT_MESSAGE(last, last.starts_with(": ") && last.find("\nretry: 10\n\n") != std::string::npos);
        CHECK(taken(second).find("late") != std::string::npos);
        equal(2, hub->end({.principalId = "usr_1"}));
        taken(second, State::Ended);
        taken(open3);
        equal(3, hub->end({.label = "label"}));
        taken(open3, State::Ended);
    }

    TEST(outlivesItsOwner)
    {
        auto stream = open({channel("a")});
        hub.reset();
        taken(stream);
        stream->end();
        taken(stream, State::Ended);
    }

    TEST(refusesWhatIsTooMuch)
    {
        CPPUNIT_ASSERT_THROW(hub->publish(channel("a"), "", std::string(Channels::maxEventBytes + 1, 'x')), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(open({}), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(open(std::vector<Channel>(EventStream::maxChannels + 1, channel("a"))), std::invalid_argument);
        equal(0, hub->streams());
    }

    TEST(publishesWhileReadersComeAndGo)
    {
        std::atomic<bool> over{false};
        std::vector<std::jthread> publishers;
        for (int i = 0; i < 2; ++i)
            publishers.emplace_back(
                [&]
                {
                    while (!over) hub->publish(channel("a"), "", "x");
                });
        std::vector<std::jthread> readers;
        for (int i = 0; i < 4; ++i)
            readers.emplace_back(
                [&]
                {
                    auto last = hub->position();
                    for (int round = 0; round < 200; ++round)
                    {
                        auto stream = open({channel("a"), channel("b")}, last);
                        std::string out;
                        // A reader that gets no processor for a while is cut off, and comes back with what it had.
                        if (stream->take(out) == State::Overrun) continue;
                        const auto id = out.rfind("id: ") + 4;
                        last = out.substr(id, out.find('\n', id) - id);
                    }
                });
        readers.clear();
        over = true;
        publishers.clear();
        equal(0, hub->streams());
    }

    std::shared_ptr<EventHub> hub = std::make_shared<EventHub>();
};

} // namespace portico::tests
