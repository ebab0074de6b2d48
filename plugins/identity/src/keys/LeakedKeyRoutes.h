#pragma once

#include "common/Core.h"
#include "mails/Mails.h"
#include "records/ApiKey.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

namespace portico::identity
{

/// Report of a key that was found in a public place.
struct LeakReport
{
    std::string key;
    std::string source;
    std::optional<std::string> url;
};

constexpr auto schemaOf(const LeakReport*)
{
    return describe(field<&LeakReport::key>().required().maxLength(200), field<&LeakReport::source>().required().maxLength(200),
                    field<&LeakReport::url>().maxLength(2000));
}

struct LeakReceived
{
    std::string status = "received";
};

constexpr auto schemaOf(const LeakReceived*) { return describe(field<&LeakReceived::status>()); }

/// Payload of the job that handles a report; does not contain the key.
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
    return describe(members<&LeakedKey::keyId, &LeakedKey::secretHash, &LeakedKey::source, &LeakedKey::url, &LeakedKey::address>());
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
    return describe(members<&LeakedKeyMail::key, &LeakedKeyMail::prefix, &LeakedKeyMail::source, &LeakedKeyMail::url>());
}

/// Receives reports of keys that were found in public, from scanners and people. Every report gets the same answer after the same work, so
/// that it does not reveal whether the key exists. Thread-safe.
class LeakedKeyRoutes
{
public:
    explicit LeakedKeyRoutes(Core& core);
    void start();
    void declare(Routes& routes);

    Reply<LeakReceived> report(const Request& request, const Body<LeakReport>& input);

private:
    /// Disables the key if it is still usable, and notifies its owners.
    void act(const LeakedKey& leaked);
    void tellOwners(Transaction& transaction, const ApiKey& key, const LeakedKey& leaked) const;

    Core& _core;
    RateLimit _reports;
    MailTemplate<LeakedKeyMail> _mail;
};

} // namespace portico::identity
