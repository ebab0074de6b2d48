#pragma once

#include "common/Core.h"
#include "keys/ApiKey.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

namespace portico::identity
{

/// What somebody found where it does not belong.
struct LeakReport
{
    std::string key;
    std::string source;
    std::optional<std::string> url;
};

constexpr auto schemaOf(const LeakReport*)
{
    return describe(field("key", &LeakReport::key).required().maxLength(200),
                    field("source", &LeakReport::source).required().maxLength(200), field("url", &LeakReport::url).maxLength(2000));
}

struct LeakReceived
{
    std::string status = "received";
};

constexpr auto schemaOf(const LeakReceived*) { return describe(field("status", &LeakReceived::status)); }

/// What is looked into after the answer; not the key itself.
struct LeakedKey
{
    std::string keyId;
    std::string secretHash;
    std::string source;
    std::optional<std::string> url;
    std::string address;
};

constexpr auto schemaOf(const LeakedKey*)
{
    return describe(field("keyId", &LeakedKey::keyId), field("secretHash", &LeakedKey::secretHash), field("source", &LeakedKey::source),
                    field("url", &LeakedKey::url), field("address", &LeakedKey::address));
}

struct LeakedKeyMail
{
    std::string key;
    std::string prefix;
    std::string source;
    std::optional<std::string> url;
};

constexpr auto schemaOf(const LeakedKeyMail*)
{
    return describe(field("key", &LeakedKeyMail::key), field("prefix", &LeakedKeyMail::prefix), field("source", &LeakedKeyMail::source),
                    field("url", &LeakedKeyMail::url));
}

/// Takes reports of keys that were found in public, from scanners and people. The answer is the same for whatever is sent, and after the
/// same work: whether there is such a key shows afterwards, to its owners. Thread-safe.
class LeakedKeyRoutes
{
public:
    explicit LeakedKeyRoutes(Core& core);
    void start();
    void declare(Routes& routes);

    Reply<LeakReceived> report(const Request& request, const Body<LeakReport>& input);

private:
    /// Disables the key, if it is one that still opens something, and tells whose it is.
    void act(const LeakedKey& leaked);
    void tellOwners(Transaction& transaction, const ApiKey& key, const LeakedKey& leaked) const;

    Core& _core;
    RateLimit _reports;
    MailTemplate<LeakedKeyMail> _mail;
};

} // namespace portico::identity
