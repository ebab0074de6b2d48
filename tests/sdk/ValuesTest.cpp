#include "support/Suite.h"

#include "portico/Id.h"
#include "portico/Instant.h"
#include "portico/Problem.h"
#include "portico/Results.h"

#include <boost/json.hpp>

#include <set>

using namespace portico;
using portico::testing::equal;
using portico::testing::Suite;

class ValuesTest : public Suite<ValuesTest>
{
    TEST(parsesInstants)
    {
        for (const auto& [text, canonical] : {std::pair{"2026-11-21T09:00:00Z", "2026-11-21T09:00:00.000Z"},
                                              {"2026-11-21t09:00:00.1z", "2026-11-21T09:00:00.100Z"},
                                              {"2026-11-21T00:30:00.123999999+01:00", "2026-11-20T23:30:00.123Z"},
                                              {"1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"},
                                              {"2028-02-29T12:00:00-23:59", "2028-03-01T11:59:00.000Z"}})
            equal(canonical, toString(parseInstant(text).value()));
    }

    TEST(refusesWrongInstants)
    {
        for (const char* text : {"", "2026-11-21", "2026-11-21 09:00:00Z", "2026-11-21T09:00:00", "2026-02-29T00:00:00Z",
                                 "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z", "2026-11-21T09:00:60Z",
                                 "2026-11-21T09:00:00.Z", "2026-11-21T09:00:00.1234567890Z", "2026-11-21T09:00:00+1:00",
                                 "2026-11-21T09:00:00Zx", "2026-11-21T09:00:00+24:00", "-026-11-21T09:00:00Z"})
            CPPUNIT_ASSERT_MESSAGE(text, !parseInstant(text));
        CHECK(isDate("2028-02-29") && !isDate("2026-02-29") && !isDate("2026-2-9") && !isDate("2026-11-21T"));
    }

    TEST(idsSortByTimeAndDiffer)
    {
        std::set<std::string> seen;
        std::string last;
        for (int i = 0; i < 1000; ++i)
        {
            const auto id = Id<"con">::make(fromMillis(1'700'000'000'000 + i)).text();
            CHECK(id > last && seen.insert(id).second && Id<"con">::parse(id));
            last = id;
        }
        CHECK(makeUlid(Instant{}).starts_with("0000000000"));
    }

    /// Like in tests whose clock does not move.
    TEST(idsOfOneMillisecondSortAsMade)
    {
        const auto now = fromMillis(1'700'000'000'000);
        std::string last;
        for (int i = 0; i < 10'000; ++i)
        {
            const auto id = Id<"con">::make(now).text();
            CHECK(id > last && Id<"con">::parse(id));
            // Threads read the clock before they come here: the one that was later may be first.
            makeUlid(now + std::chrono::milliseconds(i % 5));
            last = id;
        }
        equal(makeUlid(now).substr(0, 10), last.substr(4, 10));
    }

    TEST(refusesForeignIds)
    {
        const auto ulid = makeUlid(fromMillis(1'700'000'000'000));
        CHECK(!Id<"con">::parse("not_" + ulid) && !Id<"con">::parse("con" + ulid) && !Id<"con">::parse("con_" + ulid + "0") &&
              !Id<"con">::parse(""));
        std::string upper = ulid;
        upper.back() = 'Z';
        CHECK(!isUlid(upper) && !isUlid("8zzzzzzzzzzzzzzzzzzzzzzzzz") && isUlid("7zzzzzzzzzzzzzzzzzzzzzzzzz") &&
              !isUlid("01jd000000000000000000000u"));
    }

    TEST(problemsAreDocuments)
    {
        const auto document =
            boost::json::parse(Problem::invalid("a[0].b", "too_long", "At most \"5\"").withDetails("{\"x\":1}").toJson("req-1"));
        equal(400, document.at("status").as_int64());
        equal("Bad Request", std::string(document.at("title").as_string()));
        equal("a[0].b", std::string(document.at("errors").at(0).at("field").as_string()));
        equal("req-1", std::string(document.at("requestId").as_string()));
        equal(1, document.at("details").at("x").as_int64());
    }

    TEST(fileNamesAreEncoded)
    {
        equal("attachment; filename=\"a_b__.txt\"; filename*=UTF-8''a%22b%C3%A9.txt", attachmentDisposition("a\"b\xc3\xa9.txt"));
        CHECK(attachmentDisposition("a\r\nX: y").find_first_of("\r\n") == std::string::npos);
    }
};
