#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace portico::tests
{

struct MobileRequest
{
    std::string method, url, body;
    std::map<std::string, std::string> headers;
};

struct MobileAnswer
{
    int status = 200;
    std::string body = "{}";
    std::map<std::string, std::string> headers = {};
};

/// Identity and launchpad as a mobile app meets them: refresh tokens rotate, the token before is answered with the same successor for 30 s,
/// and an older one ends the sign-in. Verifies every proof. Thread-safe.
class FakeServer
{
public:
    MobileAnswer answer(const MobileRequest& request, std::int64_t now);

    /// Answers every request with this status, if it is not 0.
    int fault = 0;
    /// Replaces the answers of single paths.
    std::map<std::string, MobileAnswer> instead;
    /// True if the app has a build for the platform of a launch.
    bool hasBuild = true;
    bool hasStore = true;

    bool revoked = false;
    std::int64_t generation = 0;
    std::int64_t rotatedAt = 0;
    int rotations = 0;
    std::string challenge;
    /// Faults of the proofs that arrived.
    std::vector<std::string> faults;
    std::vector<MobileRequest> seen;

private:
    MobileAnswer token(const MobileRequest& request, std::int64_t now);
    MobileAnswer tokens();
    MobileAnswer launch(const MobileRequest& request);
    void checkProof(const MobileRequest& request, const std::string& token);

    std::mutex _mutex;
    int _accesses = 0;
    std::map<std::string, bool> _proofs;
};

/// A field of a form or query.
std::string fieldOf(const std::string& form, const std::string& name);

} // namespace portico::tests
