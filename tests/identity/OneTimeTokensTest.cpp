#include "users/OneTimeTokens.h"
#include "identity/IdentityHost.h"

#include <atomic>
#include <cppunit/extensions/HelperMacros.h>
#include <thread>

namespace portico::tests
{

namespace one_time_tokens = identity::one_time_tokens;
using identity::IssuedToken;
using identity::TokenOrder;
using one_time_tokens::CodeOutcome;

/// Secrets that open one thing once, on whichever database the suite runs.
class OneTimeTokensTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(OneTimeTokensTest);
    CPPUNIT_TEST(aLinkOpensOnce);
    CPPUNIT_TEST(aLinkOpensNothingOfAnotherPurpose);
    CPPUNIT_TEST(endsWithItsTime);
    CPPUNIT_TEST(aCodeHasFiveTries);
    CPPUNIT_TEST(aCodeUsesUpItsLink);
    CPPUNIT_TEST(onlyTheNewestCodeCounts);
    CPPUNIT_TEST(whatIsTakenBackOpensNothing);
    CPPUNIT_TEST(ofManyAtOnceOneGetsIt);
    CPPUNIT_TEST(guessesAtOnceAreAllCounted);
    CPPUNIT_TEST(aRefusedTransactionLeavesTheTokenUnused);
    CPPUNIT_TEST(keepsNoSecrets);
    CPPUNIT_TEST(sweepsWhatHasExpired);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _host = std::make_unique<IdentityHost>(); }
    void tearDown() override { _host.reset(); }

    void aLinkOpensOnce()
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1), {}, R"({"n":1})"});
        CPPUNIT_ASSERT_EQUAL(std::size_t{43}, issued.secret.size());
        CPPUNIT_ASSERT(issued.code.empty());
        const auto token = use("reset", issued.secret);
        CPPUNIT_ASSERT(token.has_value());
        CPPUNIT_ASSERT_EQUAL(std::string("usr_1"), token->subject);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"n":1})"), token->data);
        CPPUNIT_ASSERT(!use("reset", issued.secret));
        CPPUNIT_ASSERT(!use("reset", ""));
    }

    void aLinkOpensNothingOfAnotherPurpose()
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1)});
        CPPUNIT_ASSERT(!use("verification", issued.secret));
        CPPUNIT_ASSERT(use("reset", issued.secret).has_value());
    }

    void endsWithItsTime()
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        _host->context().clock().advance(std::chrono::minutes(10));
        CPPUNIT_ASSERT(CodeOutcome::Gone == useCode("a@b.example", issued.code));
        CPPUNIT_ASSERT(find(issued.secret));
        _host->context().clock().advance(std::chrono::minutes(50));
        CPPUNIT_ASSERT(!find(issued.secret));
        CPPUNIT_ASSERT(!use("verification", issued.secret));
    }

    void aCodeHasFiveTries()
    {
        const auto issued = issue({"verification", "a@b.example", {}, std::chrono::minutes(10)});
        CPPUNIT_ASSERT_EQUAL(std::size_t{6}, issued.code.size());
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT(CodeOutcome::Wrong == useCode("a@b.example", other(issued.code)));
        CPPUNIT_ASSERT(CodeOutcome::Gone == useCode("a@b.example", issued.code));
        const auto next = issue({"verification", "a@b.example", {}, std::chrono::minutes(10)});
        CPPUNIT_ASSERT(CodeOutcome::Wrong == useCode("a@b.example", "not a code"));
        CPPUNIT_ASSERT(CodeOutcome::Right == useCode("a@b.example", next.code));
        CPPUNIT_ASSERT(CodeOutcome::Gone == useCode("a@b.example", next.code));
        CPPUNIT_ASSERT(CodeOutcome::Gone == useCode("nobody@b.example", next.code));
    }

    void aCodeUsesUpItsLink()
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        CPPUNIT_ASSERT(CodeOutcome::Right == useCode("a@b.example", issued.code));
        CPPUNIT_ASSERT(!use("verification", issued.secret));
    }

    void onlyTheNewestCodeCounts()
    {
        const auto first = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        _host->context().clock().advance(std::chrono::milliseconds(1));
        const auto second = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        if (first.code != second.code) CPPUNIT_ASSERT(CodeOutcome::Wrong == useCode("a@b.example", first.code));
        CPPUNIT_ASSERT(CodeOutcome::Right == useCode("a@b.example", second.code));
        CPPUNIT_ASSERT_MESSAGE("the link of the first is another matter", use("verification", first.secret));
    }

    void whatIsTakenBackOpensNothing()
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        const auto foreign = issue({"verification", "c@b.example", std::chrono::hours(1)});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                             transact([&](Transaction& t) { return one_time_tokens::revoke(t, "verification", "a@b.example", now()); }));
        CPPUNIT_ASSERT(!use("verification", issued.secret));
        CPPUNIT_ASSERT(CodeOutcome::Gone == useCode("a@b.example", issued.code));
        CPPUNIT_ASSERT(use("verification", foreign.secret));
    }

    void ofManyAtOnceOneGetsIt()
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1)});
        CPPUNIT_ASSERT_EQUAL(1, countAtOnce(16, [&] { return use("reset", issued.secret).has_value(); }));
    }

    void guessesAtOnceAreAllCounted()
    {
        const auto issued = issue({"verification", "a@b.example", {}, std::chrono::minutes(10)});
        CPPUNIT_ASSERT_EQUAL(5, countAtOnce(16, [&] { return CodeOutcome::Wrong == useCode("a@b.example", other(issued.code)); }));
        CPPUNIT_ASSERT(CodeOutcome::Gone == useCode("a@b.example", issued.code));
    }

    void aRefusedTransactionLeavesTheTokenUnused()
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1)});
        {
            auto transaction = _host->context().database().begin();
            CPPUNIT_ASSERT(one_time_tokens::use(transaction, "reset", issued.secret, now()));
        }
        CPPUNIT_ASSERT(use("reset", issued.secret).has_value());
    }

    void keepsNoSecrets()
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        auto session = _host->context().database().session();
        auto rows = session.query("SELECT * FROM one_time_tokens");
        const auto row = rows.next().value();
        for (int column = 0; column < 6; ++column)
        {
            if (row.isNull(column)) continue;
            CPPUNIT_ASSERT(row.text(column).find(issued.secret) == std::string_view::npos);
            CPPUNIT_ASSERT(row.text(column) != issued.code);
        }
    }

    void sweepsWhatHasExpired()
    {
        issue({"reset", "usr_1", std::chrono::minutes(20)});
        const auto later = issue({"reset", "usr_2", std::chrono::hours(1)});
        _host->context().clock().advance(std::chrono::minutes(30));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, transact([&](Transaction& t) { return one_time_tokens::sweep(t, now()); }));
        CPPUNIT_ASSERT(use("reset", later.secret));
    }

private:
    Instant now() { return _host->context().clock().now(); }
    template <class F>
    std::invoke_result_t<F, Transaction&> transact(F&& work)
    {
        return _host->context().database().transact(std::forward<F>(work));
    }
    IssuedToken issue(const TokenOrder& order)
    {
        return transact([&](Transaction& t) { return one_time_tokens::issue(t, order, now()); });
    }
    std::optional<identity::OneTimeToken> use(std::string_view purpose, std::string_view secret)
    {
        return transact([&](Transaction& t) { return one_time_tokens::use(t, purpose, secret, now()); });
    }
    bool find(std::string_view secret)
    {
        auto session = _host->context().database().session();
        return one_time_tokens::find(session, "verification", secret, now()).has_value();
    }
    CodeOutcome useCode(std::string_view subject, std::string_view code)
    {
        return transact([&](Transaction& t) { return one_time_tokens::useCode(t, "verification", subject, code, now()).outcome; });
    }
    static std::string other(std::string code)
    {
        code[0] = code[0] == '0' ? '1' : '0';
        return code;
    }
    template <class F>
    static int countAtOnce(int threads, F&& succeeds)
    {
        std::atomic<int> good{0};
        std::vector<std::thread> running;
        for (int i = 0; i < threads; ++i) running.emplace_back([&] { good += succeeds() ? 1 : 0; });
        for (auto& thread : running) thread.join();
        return good;
    }

    std::unique_ptr<IdentityHost> _host;
};

CPPUNIT_TEST_SUITE_REGISTRATION(OneTimeTokensTest);

} // namespace portico::tests
