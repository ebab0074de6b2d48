#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

// Counts password hashes: CMakeLists.txt substitutes these functions for libsodium's, which they call. Repeated inputs return the earlier
// result, because the suite would otherwise spend most of its time hashing a few passwords.
namespace
{

using portico::testing::equal;
using portico::testing::Suite;

std::atomic<int> passwordHashes{0};

/// Caches the answers of a function by its input.
template <class Question, class Answer>
class Answers
{
public:
    template <class Ask>
    Answer of(const Question& question, const Ask& ask)
    {
        const std::scoped_lock lock(_mutex);
        const auto known = _known.find(question);
        return known != _known.end() ? known->second : _known.emplace(question, ask()).first->second;
    }

private:
    std::mutex _mutex;
    std::map<Question, Answer> _known;
};

} // namespace

extern "C"
{
    int __real_crypto_pwhash_str_alg(char* out, const char* password, unsigned long long length, unsigned long long operations,
                                     std::size_t memory, int algorithm);
    int __real_crypto_pwhash_str_verify(const char* text, const char* password, unsigned long long length);
    int __wrap_crypto_pwhash_str_alg(char* out, const char* password, unsigned long long length, unsigned long long operations,
                                     std::size_t memory, int algorithm)
    {
        ++passwordHashes;
        using Made = std::pair<int, std::string>;
        static Answers<std::tuple<std::string, unsigned long long, std::size_t, int>, Made> made;
        const auto ask = [&] { return Made{__real_crypto_pwhash_str_alg(out, password, length, operations, memory, algorithm), out}; };
        const auto [failed, hash] = made.of({{password, length}, operations, memory, algorithm}, ask);
        *std::ranges::copy(hash, out).out = '\0';
        return failed;
    }
    int __wrap_crypto_pwhash_str_verify(const char* text, const char* password, unsigned long long length)
    {
        ++passwordHashes;
        static Answers<std::tuple<std::string, std::string>, int> made;
        return made.of({text, {password, length}}, [&] { return __real_crypto_pwhash_str_verify(text, password, length); });
    }
}

namespace portico::tests
{

/// Requests must do the same work whether an account exists or not, so that response times do not reveal it.
/// tests/benchmarks/identity_load.py measures the times.
class AccountSecrecyTest : public Suite<AccountSecrecyTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        for (const std::string name : {"known", "provider", "suspended", "pending"}) _host->createUser(name + "@x.example");
        _host->change("UPDATE users SET email_verified = TRUE WHERE email <> 'pending@x.example'");
        _host->change("UPDATE users SET password_hash = NULL WHERE email = 'provider@x.example'");
        _host->change("UPDATE users SET status = 'suspended' WHERE email = 'suspended@x.example'");
        _host->change("UPDATE users SET status = 'pending_verification' WHERE email = 'pending@x.example'");
    }
    void tearDown() override { _host.reset(); }

    TEST(doesTheSameForEverybody)
    {
        struct Door
        {
            std::string path;
            std::function<std::string(const std::string& email)> body;
            int hashes;
        };
        const auto addressed = [](const std::string& email) { return jsonWith(R"({"email":"$"})", email); };
        const std::vector<Door> doors = {
            {"/api/auth/login",
             [](const std::string& email) { return jsonWith(R"({"identifier":"$","password":"wrong","service_id":"desk"})", email); }, 1},
            {"/api/auth/register",
             [&](const std::string& email)
             {
                 return jsonWith(R"({"email":"$","password":"a quiet harbour","displayName":"A","acceptTerms":true,"humanVerification":$})",
                                 email, _host->humanProof("register"));
             },
             1},
            {"/api/auth/password/forgot", addressed, 0},
            {"/api/auth/email/verification", addressed, 0},
            {"/api/auth/passkeys/authenticate/options", [](const std::string& email) { return jsonWith(R"({"identifier":"$"})", email); },
             0},
        };
        for (const auto& door : doors)
            for (const auto* name : {"nobody", "known", "provider", "suspended", "pending"})
            {
                const auto before = done();
                const auto answer = _host->call({.method = Method::Post,
                                                 .target = door.path,
                                                 .body = door.body(name + std::string("@x.example")),
                                                 .clientAddress = "192.0.2." + std::to_string(++_client)});
                const auto said = door.path + ' ' + name + ": " + std::to_string(answer.status) + ' ' + answer.body;
                const auto after = done();
                CPPUNIT_ASSERT_MESSAGE(said, answer.status < 500 && answer.status != 404);
                equal(door.hashes, after.hashes - before.hashes, said);
                const Work work{0, after.mails - before.mails, after.jobs - before.jobs, after.entries - before.entries};
                if (name == std::string_view("nobody")) _ofNobody = work;
                equal(_ofNobody.mails, work.mails, said + ": mails");
                equal(_ofNobody.jobs, work.jobs, said + ": jobs");
                equal(_ofNobody.entries, work.entries, said + ": entries of the trail");
            }
    }

    struct Work
    {
        int hashes = 0;
        std::size_t mails = 0;
        std::size_t jobs = 0;
        std::int64_t entries = 0;
    };

    /// All that was done until now.
    Work done() const
    {
        return {passwordHashes, _host->context().mailer().sent().size(), _host->context().jobs().waiting().size(),
                _host->count("SELECT COUNT(*) FROM audit_events")};
    }

    std::unique_ptr<IdentityHost> _host;
    Work _ofNobody;
    int _client = 0;
};

} // namespace portico::tests
