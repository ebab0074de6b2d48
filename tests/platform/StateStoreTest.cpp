#include "platform/StateStoreContract.h"
#include "platform/TestClock.h"

#include "host/platform/state/MemoryStateStore.h"

namespace portico::tests
{

using host::platform::MemoryStateStore;

/// The store in memory: the promises of all, and its own about time to the millisecond and about memory.
class StateStoreTest : public StateStoreContract<StateStoreTest>
{
    TEST(forgetsToTheMillisecond)
    {
        _store.put("k", "v", 100ms);
        _clock.advance(99ms);
        equal("v", _store.get("k").value().value);
        _clock.advance(1ms);
        CHECK(!_store.get("k"));
    }

    TEST(anOlderDeadlineDoesNotEndANewerValue)
    {
        _store.put("k", "old", 100ms);
        _store.put("k", "new", 1'000ms);
        _clock.advance(500ms);
        _store.sweep();
        equal("new", _store.get("k").value().value);
        _clock.advance(500ms);
        _store.sweep();
        equal(0, _store.entryCount());
    }

    TEST(aCounterEndsToTheMillisecond)
    {
        equal(1, _store.add("window", 1, 100ms));
        _clock.advance(99ms);
        equal(2, _store.add("window", 1, 100ms));
        _clock.advance(1ms);
        equal(1, _store.add("window", 1, 100ms));
    }

    TEST(losesWhatEndsFirst)
    {
        MemoryStateStore store(_clock, 10'000);
        store.put("long", "x", 2s);
        fill(store);
        CHECK(store.usedBytes() <= 10'000);
        CHECK(store.get("999") && !store.get("0"));
        equal("x", store.get("long").value().value);
    }

    TEST(expiryMakesRoom)
    {
        MemoryStateStore store(_clock, 10'000);
        fill(store);
        _clock.advance(1s);
        store.put("again", "x", 1s);
        fill(store, 30);
        CHECK(store.get("again"));
        _clock.advance(1s);
        store.sweep();
        equal(0, store.usedBytes());
    }

    TEST(noUseStarvesAnother)
    {
        MemoryStateStore store(_clock, 10'000);
        for (int i = 0; i < 10; ++i) store.put("hold:" + std::to_string(i), "x", 1s);
        fill(store, 1'000, "login:", 1h);
        fill(store, 1'000, "ticket:", 1h);
        for (int i = 0; i < 10; ++i) CHECK(store.get("hold:" + std::to_string(i)));
        CHECK(store.get("login:999") && store.get("ticket:999"));
        CHECK(store.usedBytes() <= 10'000);
    }

    TEST(aUseMayHaveWhatOthersLeave)
    {
        MemoryStateStore store(_clock, 10'000);
        fill(store, 1'000, "login:");
        const auto all = store.entryCount();
        CHECK(store.usedBytes() > 9'700);
        fill(store, 1'000, "ticket:");
        std::size_t logins = 0;
        for (int i = 0; i < 1'000; ++i) logins += store.get("login:" + std::to_string(i)).has_value();
        CHECK(logins >= all / 2 - 1 && logins <= all / 2 + 1);
    }

    TEST(refusesWhatIsMoreThanAShare)
    {
        MemoryStateStore store(_clock, 10'000);
        fill(store, 20, "login:");
        store.put("ticket:large", std::string(5'000, 'x'), 1s);
        CPPUNIT_ASSERT_THROW(store.put("ticket:large", std::string(6'000, 'x'), 1s), Problem);
        CPPUNIT_ASSERT_THROW(store.put("ticket:other", std::string(6'000, 'x'), 1s), Problem);
        equal(5'000, store.get("ticket:large").value().value.size());
        for (int i = 0; i < 20; ++i) CHECK(store.get("login:" + std::to_string(i)));
        store.put("ticket:other", std::string(4'000, 'x'), 1s);
        CHECK(store.get("ticket:other") && !store.get("ticket:large"));
    }

    TEST(madeUpUsesShareOne)
    {
        MemoryStateStore store(_clock, 100'000);
        for (int i = 0; i < 10'000; ++i) store.put(std::to_string(i) + ":k", "x", 1s);
        CHECK(store.usedBytes() <= 100'000);
        for (const char* early : {"0:k", "62:k"}) CPPUNIT_ASSERT_MESSAGE(early, store.get(early));
        CHECK(store.get("9999:k"));
    }

    TEST(givesBackWhatItCharged)
    {
        _store.put("a", std::string(1'000, 'a'), 1s);
        _store.put("a", "short", 1s);
        _store.put("b", "b", 1s);
        _store.take("a");
        _store.remove("b");
        _store.add("c", 1, 1s);
        _store.compareAndSet("c", _store.get("c").value().version, std::string(500, 'c'), 1s);
        _clock.advance(1s);
        _store.sweep();
        equal(0, _store.usedBytes());
    }

    TEST(rewritingDoesNotGrow)
    {
        MemoryStateStore store(_clock, 2'000);
        for (int i = 0; i < 10'000; ++i)
        {
            store.put("same", std::to_string(i), 1h);
            _clock.advance(1ms);
        }
        equal(1, store.entryCount());
    }

protected:
    StateStore& store() override { return _store; }
    StateStore& second() override { return _store; }
    void letPass(milliseconds time) override { _clock.advance(time); }

private:
    static void fill(MemoryStateStore& store, int count = 1'000, const std::string& use = {}, milliseconds life = 1s)
    {
        for (int i = 0; i < count; ++i) store.put(use + std::to_string(i), "x", life);
    }

    TestClock _clock;
    MemoryStateStore _store{_clock};
};

template class StateStoreContract<StateStoreTest>;

} // namespace portico::tests
