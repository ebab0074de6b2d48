#include "platform/StateStoreContract.h"
#include "platform/TestClock.h"

#include "host/platform/MemoryStateStore.h"

namespace portico::tests
{

using host::platform::MemoryStateStore;

/// The store in memory: the promises of all, and its own about time to the millisecond and about memory.
class StateStoreTest : public StateStoreContract
{
    CPPUNIT_TEST_SUB_SUITE(StateStoreTest, StateStoreContract);
    CPPUNIT_TEST(forgetsToTheMillisecond);
    CPPUNIT_TEST(anOlderDeadlineDoesNotEndANewerValue);
    CPPUNIT_TEST(aCounterEndsToTheMillisecond);
    CPPUNIT_TEST(refusesBeyondTheLimit);
    CPPUNIT_TEST(expiryMakesRoom);
    CPPUNIT_TEST(givesBackWhatItCharged);
    CPPUNIT_TEST(rewritingDoesNotGrow);
    CPPUNIT_TEST_SUITE_END();

public:
    void forgetsToTheMillisecond()
    {
        _store.put("k", "v", 100ms);
        _clock.advance(99ms);
        CPPUNIT_ASSERT_EQUAL(std::string("v"), _store.get("k").value().value);
        _clock.advance(1ms);
        CPPUNIT_ASSERT(!_store.get("k"));
    }

    void anOlderDeadlineDoesNotEndANewerValue()
    {
        _store.put("k", "old", 100ms);
        _store.put("k", "new", 1'000ms);
        _clock.advance(500ms);
        _store.sweep();
        CPPUNIT_ASSERT_EQUAL(std::string("new"), _store.get("k").value().value);
        _clock.advance(500ms);
        _store.sweep();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _store.entryCount());
    }

    void aCounterEndsToTheMillisecond()
    {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _store.add("window", 1, 100ms));
        _clock.advance(99ms);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _store.add("window", 1, 100ms));
        _clock.advance(1ms);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _store.add("window", 1, 100ms));
    }

    void refusesBeyondTheLimit()
    {
        MemoryStateStore store(_clock, 10'000);
        CPPUNIT_ASSERT_THROW(fill(store), Problem);
        CPPUNIT_ASSERT(store.usedBytes() <= 10'000);
        CPPUNIT_ASSERT_EQUAL(std::string("x"), store.get("0").value().value);
    }

    void expiryMakesRoom()
    {
        MemoryStateStore store(_clock, 10'000);
        CPPUNIT_ASSERT_THROW(fill(store), Problem);
        _clock.advance(1s);
        store.sweep();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, store.usedBytes());
        store.put("again", "x", 1s);
    }

    void givesBackWhatItCharged()
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
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _store.usedBytes());
    }

    void rewritingDoesNotGrow()
    {
        MemoryStateStore store(_clock, 2'000);
        for (int i = 0; i < 10'000; ++i)
        {
            store.put("same", std::to_string(i), 1h);
            _clock.advance(1ms);
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.entryCount());
    }

protected:
    StateStore& store() override { return _store; }
    StateStore& second() override { return _store; }
    void letPass(milliseconds time) override { _clock.advance(time); }

private:
    static void fill(MemoryStateStore& store)
    {
        for (int i = 0; i < 1'000; ++i) store.put(std::to_string(i), "x", 1s);
    }

    TestClock _clock;
    MemoryStateStore _store{_clock};
};

CPPUNIT_TEST_SUITE_REGISTRATION(StateStoreTest);

} // namespace portico::tests
