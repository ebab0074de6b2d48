#pragma once

#include "clients/OAuthClient.h"
#include "tokens/JsonWebKey.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::identity
{

/// Key sets that clients have registered (`jwks`), read once for each version of a client, so that a key is built once. Thread-safe.
class ClientKeys
{
public:
    using Keys = std::shared_ptr<const std::vector<JsonWebKey>>;

    /// Never null. The set lives as long as the caller keeps it.
    Keys of(const OAuthClient& client);

private:
    struct Entry
    {
        std::int64_t version = 0;
        Keys keys;
    };
    std::mutex _mutex;
    std::map<std::string, Entry, std::less<>> _entries;
};

} // namespace portico::identity
