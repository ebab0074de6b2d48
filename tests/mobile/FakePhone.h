#pragma once

#include "portico_mobile.h"

#include "mobile/FakeServer.h"

#include <openssl/evp.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::tests
{

/// Secrets, the key and the clock of the apps of a keychain group. Thread-safe.
struct KeychainGroup
{
    KeychainGroup();

    std::mutex mutex;
    std::map<std::string, std::string> secrets;
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key;
    std::atomic<std::int64_t> now{1'800'000'000};
};

/// One app with the functions that a shell supplies.
class FakePhone
{
public:
    FakePhone(FakeServer& server, KeychainGroup& group, const char* appName = "shell");
    ~FakePhone() { pm_client_free(client); }
    FakePhone(const FakePhone&) = delete;
    FakePhone& operator=(const FakePhone&) = delete;

    pm_status signIn();
    /// URL of the callback that the server answers `url` with.
    std::string callback(const std::string& url);
    /// Everything that the app has written: secrets aside, cache files and messages.
    std::string written() const;

    static pm_config config();
    pm_shell shell();

    FakeServer& server;
    KeychainGroup& group;
    pm_client* client = nullptr;
    std::map<std::string, std::string> files;
    std::string log;
    bool offline = false, diskFull = false, storeFails = false, keyFails = false, rawSignatures = false, throws = false;
    int installed = 0;
    std::string installedAsked;
    /// Replaces what the key returns.
    std::string point, signature;
};

} // namespace portico::tests
