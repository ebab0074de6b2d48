// Answers of networks: whatever they send, a step ends in an outcome that the worker knows, and nothing but a ConnectFault is thrown.
#include "fuzz/Require.h"

#include "networks/bluesky/BlueskyNetwork.h"
#include "networks/mastodon/MastodonNetwork.h"
#include "networks/webhook/WebhookNetwork.h"

#include "portico/Problem.h"
#include "portico/testing/FakeBlobs.h"
#include "portico/testing/FakeClock.h"

#include <array>
#include <span>

namespace
{
using namespace portico;
using namespace portico::social;

/// Gives the same answer to every request.
class OneAnswer final : public HttpClient
{
public:
    Response send(const Request&) override
    {
        Response response;
        response.status = status;
        response.body = body;
        response.headers = {{"Retry-After", body.substr(0, 20)}, {"X-RateLimit-Reset", body.substr(0, 20)}, {"DPoP-Nonce", "n"}};
        return response;
    }
    void requireAllowed(std::string_view) const override {}
    bool isAllowedByOperator(std::string_view) const override { return true; }

    int status = 200;
    std::string body;
};

/// Nothing is stored.
class NoDatabase final : public Database
{
public:
    Dialect dialect() const noexcept override { return Dialect::SQLite; }
    Session session() override { throw DatabaseError(DatabaseError::Kind::Unavailable, "57P01", {}, "No database."); }
    Transaction begin() override { throw DatabaseError(DatabaseError::Kind::Unavailable, "57P01", {}, "No database."); }
    Transaction snapshot() override { throw DatabaseError(DatabaseError::Kind::Unavailable, "57P01", {}, "No database."); }
};

struct World
{
    OneAnswer http;
    NoDatabase database;
    testing::FakeBlobs blobs;
    testing::FakeClock clock;
    BlueskyNetwork bluesky{http,
                           blobs,
                           clock,
                           {"https://resolver.example", "https://plc.example"},
                           social::bluesky::Client(database, clock, std::nullopt, "https://social.example")};
    const std::string key = JwtKey::generate().toPem();
    MastodonNetwork mastodon{http, blobs, clock, mastodon::Applications(database, clock, std::nullopt), true};
    WebhookNetwork webhook{http, clock};
    std::string blobKey = blobs.store("fuzz", "bytes");
};

Publication publicationOf(const World& world)
{
    Publication made;
    made.contentId = ContentId::make(world.clock.now());
    PublishedFile file;
    file.mediaId = MediaId::make(world.clock.now());
    file.kind = "image";
    file.contentType = "image/png";
    file.size = 5;
    file.blobKey = world.blobKey;
    made.parts = {{"One @ada.example https://example.org #tag", {file}}, {"Two", {}}};
    made.scheduledFor = world.clock.now();
    return made;
}

void publish(World& world, Network& network, const NetworkAccount& account)
{
    const auto now = world.clock.now();
    const auto steps = network.prepare(publicationOf(world), account, now);
    std::vector<StepResult> results;
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const StepCall call{steps[i], results, std::span(steps).first(i), account, now, now};
        network.lookUp(call);
        const auto outcome = network.perform(call);
        fuzz::require(outcome.message.size() <= 4'000);
        if (outcome.notBefore) fuzz::require(*outcome.notBefore <= now + std::chrono::hours(25));
        if (outcome.kind != StepOutcome::Kind::Done) break;
        // A published post without an id could not be found again. An upload to Bluesky has a blob instead of an id.
        if (steps[i].kind == "post") fuzz::require(!outcome.result.id.empty());
        results.push_back(outcome.result);
    }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2) return 0;
    static World world;
    static constexpr std::array statuses{200, 201, 202, 206, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503};
    world.http.status = statuses[data[0] % statuses.size()];
    world.http.body = fuzz::textOf(data + 2, size - 2);
    const std::array<Network*, 3> networks{&world.bluesky, &world.mastodon, &world.webhook};
    auto& network = *networks[data[1] % networks.size()];
    NetworkAccount account{"did:plc:abc", "ada.example", "https://network.example", {}};
    account.credentials.accessToken = account.credentials.refreshToken = account.credentials.signingSecret = "c2VjcmV0";
    // Each call has a proof of a key; tokens are not renewed, which needs a database.
    const bool proves = &network == &world.bluesky && data[1] >= 128;
    if (proves) account.credentials.dpopKey = world.key;
    try
    {
        publish(world, network, account);
        network.remove(account, {"at://did:plc:abc/app.bsky.feed.post/1", "https://network.example/1", {}});
        network.numbers(account, {"at://did:plc:abc/app.bsky.feed.post/1", "https://network.example/1", {}});
        network.check(account);
    }
    catch (const ConnectFault&)
    {
    }
    try
    {
        if (!proves) network.refresh(account);
    }
    catch (const ConnectFault&)
    {
    }
    return 0;
}
