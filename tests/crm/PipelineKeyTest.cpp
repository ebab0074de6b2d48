#include "pipelines/Currency.h"
#include "pipelines/MoneySum.h"
#include "pipelines/OrderKey.h"
#include "support/Suite.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace portico::tests
{

using namespace crm;

/// Order keys and sums: pure functions.
class PipelineKeyTest : public Suite<PipelineKeyTest>
{
    TEST(growsAtBothEnds)
    {
        std::string first = keyBetween({}, {}), last = first;
        for (int i = 0; i < 10000; ++i)
        {
            const auto before = keyBetween({}, first), after = keyBetween(last, {});
            CHECK(before < first);
            CHECK(last < after);
            first = before;
            last = after;
        }
        CHECK(first.size() <= 4);
        CHECK(last.size() <= 4);
    }

    TEST(findsRoomBetweenAnyTwo)
    {
        const std::vector<std::string> keys{"A00000000000000000000000000V",
                                            "Xzzz",
                                            "Y00",
                                            "Yzz",
                                            "Z0",
                                            "Zz",
                                            "Zz1",
                                            "ZzV",
                                            "a0",
                                            "a001",
                                            "a00V",
                                            "a01",
                                            "a0V",
                                            "a0z",
                                            "a0zzz",
                                            "a1",
                                            "az",
                                            "azz",
                                            "b00",
                                            "b001",
                                            "bzz",
                                            "c000"};
        CHECK(std::is_sorted(keys.begin(), keys.end()));
        for (std::size_t i = 0; i < keys.size(); ++i)
            for (std::size_t j = i + 1; j < keys.size(); ++j)
            {
                const auto between = keyBetween(keys[i], keys[j]);
                CPPUNIT_ASSERT_MESSAGE(keys[i] + ' ' + between + ' ' + keys[j], keys[i] < between && between < keys[j]);
            }
    }

    TEST(staysOrderedThroughRandomMoves)
    {
        std::mt19937 random(2026);
        std::vector<std::string> order = freshKeys(100);
        for (int i = 0; i < 10000; ++i)
        {
            order.erase(order.begin() + static_cast<std::ptrdiff_t>(random() % order.size()));
            put(order, random() % (order.size() + 1));
        }
        equal(100, order.size());
    }

    /// The worst case: always into the same gap, from either side and at random. Too long keys are replaced, like in the service.
    TEST(staysShortInOneGap)
    {
        std::mt19937 random(7);
        for (int side = 0; side < 3; ++side)
        {
            std::vector<std::string> order = freshKeys(3);
            std::size_t respaced = 0, low = 1;
            for (int i = 0; i < 10000; ++i)
            {
                if (put(order, low))
                {
                    ++respaced;
                    order = freshKeys(order.size());
                }
                if (side == 1 || (side == 2 && random() % 2 == 0)) ++low;
            }
            equal(10003, order.size());
            CPPUNIT_ASSERT_MESSAGE(std::to_string(respaced), respaced < 20);
        }
    }

    TEST(makesFreshKeys)
    {
        const auto keys = freshKeys(5000);
        CHECK(std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end());
        CHECK(std::all_of(keys.begin(), keys.end(), [](const auto& key) { return key.size() <= 4; }));
        CHECK(freshKeys(0).empty());
    }

    TEST(knowsCurrencies)
    {
        for (const auto* code : {"EUR", "USD", "AED", "ZWG", "JPY"}) CPPUNIT_ASSERT_MESSAGE(code, isCurrency(code));
        for (const auto* code : {"", "eur", "EU", "EURO", "XYZ", "R U", " EU", "XAU"}) CPPUNIT_ASSERT_MESSAGE(code, !isCurrency(code));
    }

    TEST(addsMoney)
    {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        equal(5, percentOf(99, 5)); // 4.95
        equal(1, percentOf(10, 5)); // half up
        equal(0, percentOf(9, 5));
        equal(most, percentOf(most, 100));
        equal(0, percentOf(most, 0));
        equal(most, added(most, 1));
    }

    /// Puts a card at a place; true when its key got too long.
    static bool put(std::vector<std::string>& order, std::size_t at)
    {
        const auto low = at == 0 ? std::string() : order[at - 1], high = at == order.size() ? std::string() : order[at];
        const auto key = keyBetween(low, high);
        CPPUNIT_ASSERT_MESSAGE(low + ' ' + key + ' ' + high, low < key && (high.empty() || key < high));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), key);
        return key.size() > longestKey;
    }
};

} // namespace portico::tests
