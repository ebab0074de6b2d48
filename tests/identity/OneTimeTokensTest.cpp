#include "users/OneTimeTokens.h"
#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <atomic>
#include <thread>

namespace portico::tests
{

namespace one_time_tokens = identity::one_time_tokens;
using identity::IssuedToken;
using identity::TokenOrder;
using one_time_tokens::CodeOutcome;

/// Secrets that open one thing once, on whichever database the suite runs.
class OneTimeTokensTest : public Suite<OneTimeTokensTest>
{
    void setUp() override { _host = std::make_unique<IdentityHost>(); }
    void tearDown() override { _host.reset(); }

    TEST(aLinkOpensOnce)
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1), {}, R"({"n":1})"});
        equal(43, issued.secret.size());
        CHECK(issued.code.empty());
        const auto token = use("reset", issued.secret);
        CHECK(token.has_value());
        equal("usr_1", token->subject);
        equal(R"({"n":1})", token->data);
        CHECK(!use("reset", issued.secret));
        CHECK(!use("reset", ""));
    }

    TEST(aLinkOpensNothingOfAnotherPurpose)
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1)});
        CHECK(!use("verification", issued.secret));
        CHECK(use("reset", issued.secret).has_value());
    }

    TEST(endsWithItsTime)
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        _host->context().clock().advance(std::chrono::minutes(10));
        CHECK(CodeOutcome::Gone == useCode("a@b.example", issued.code));
        CHECK(find(issued.secret));
        _host->context().clock().advance(std::chrono::minutes(50));
        CHECK(!find(issued.secret));
        CHECK(!use("verification", issued.secret));
    }

    TEST(aCodeHasFiveTries)
    {
        const auto issued = issue({"verification", "a@b.example", {}, std::chrono::minutes(10)});
        equal(6, issued.code.size());
        for (int i = 0; i < 5; ++i) CHECK(CodeOutcome::Wrong == useCode("a@b.example", other(issued.code)));
        CHECK(CodeOutcome::Gone == useCode("a@b.example", issued.code));
        const auto next = issue({"verification", "a@b.example", {}, std::chrono::minutes(10)});
        CHECK(CodeOutcome::Wrong == useCode("a@b.example", "not a code"));
        CHECK(CodeOutcome::Right == useCode("a@b.example", next.code));
        CHECK(CodeOutcome::Gone == useCode("a@b.example", next.code));
        CHECK(CodeOutcome::Gone == useCode("nobody@b.example", next.code));
    }

    TEST(aCodeUsesUpItsLink)
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        CHECK(CodeOutcome::Right == useCode("a@b.example", issued.code));
        CHECK(!use("verification", issued.secret));
    }

    TEST(onlyTheNewestCodeCounts)
    {
        const auto first = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        _host->context().clock().advance(std::chrono::milliseconds(1));
        const auto second = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        if (first.code != second.code) CHECK(CodeOutcome::Wrong == useCode("a@b.example", first.code));
        CHECK(CodeOutcome::Right == useCode("a@b.example", second.code));
        CPPUNIT_ASSERT_MESSAGE("the link of the first is another matter", use("verification", first.secret));
    }

    TEST(revokedTokensAreInvalid)
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        const auto foreign = issue({"verification", "c@b.example", std::chrono::hours(1)});
        equal(1, transact([&](Transaction& t) { return one_time_tokens::revoke(t, "verification", "a@b.example", now()); }));
        CHECK(!use("verification", issued.secret));
        CHECK(CodeOutcome::Gone == useCode("a@b.example", issued.code));
        CHECK(use("verification", foreign.secret));
    }

    TEST(oneOfManyParallelUsesSucceeds)
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1)});
        equal(1, countAtOnce(16, [&] { return use("reset", issued.secret).has_value(); }));
    }

    TEST(guessesAtOnceAreAllCounted)
    {
        const auto issued = issue({"verification", "a@b.example", {}, std::chrono::minutes(10)});
        equal(5, countAtOnce(16, [&] { return CodeOutcome::Wrong == useCode("a@b.example", other(issued.code)); }));
        CHECK(CodeOutcome::Gone == useCode("a@b.example", issued.code));
    }

    TEST(aRefusedTransactionLeavesTheTokenUnused)
    {
        const auto issued = issue({"reset", "usr_1", std::chrono::hours(1)});
        {
            auto transaction = _host->context().database().begin();
            CHECK(one_time_tokens::redeem(transaction, "reset", issued.secret, now()));
        }
        CHECK(use("reset", issued.secret).has_value());
    }

    TEST(keepsNoSecrets)
    {
        const auto issued = issue({"verification", "a@b.example", std::chrono::hours(1), std::chrono::minutes(10)});
        auto session = _host->context().database().session();
        auto rows = session.query("SELECT * FROM one_time_tokens");
        const auto row = rows.next().value();
        for (int column = 0; column < 6; ++column)
        {
            if (row.isNull(column)) continue;
            CHECK(row.text(column).find(issued.secret) == std::string_view::npos);
            CHECK(row.text(column) != issued.code);
        }
    }

    TEST(sweepsWhatHasExpired)
    {
        issue({"reset", "usr_1", std::chrono::minutes(20)});
        const auto later = issue({"reset", "usr_2", std::chrono::hours(1)});
        _host->context().clock().advance(std::chrono::minutes(30));
        equal(1, transact([&](Transaction& t) { return one_time_tokens::sweep(t, now()); }));
        CHECK(use("reset", later.secret));
    }

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
        return transact([&](Transaction& t) { return one_time_tokens::redeem(t, purpose, secret, now()); });
    }
    bool find(std::string_view secret)
    {
        auto session = _host->context().database().session();
        return one_time_tokens::look(session, "verification", secret, now()).has_value();
    }
    CodeOutcome useCode(std::string_view subject, std::string_view code)
    {
        return transact([&](Transaction& t) { return one_time_tokens::redeemCode(t, "verification", subject, code, now()).outcome; });
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

} // namespace portico::tests
