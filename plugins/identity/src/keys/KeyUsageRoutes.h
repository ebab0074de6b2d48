#pragma once

#include "common/Core.h"
#include "common/Ids.h"
#include "keys/KeyUsage.h"

#include "portico/Routes.h"

#include <map>

namespace portico::identity
{

struct KeyUseCounts
{
    std::int64_t ok = 0;
    std::int64_t denied = 0;
    std::int64_t rateLimited = 0;
};

constexpr auto schemaOf(const KeyUseCounts*)
{
    return describe(members<&KeyUseCounts::ok, &KeyUseCounts::denied, &KeyUseCounts::rateLimited>());
}

struct KeyDay
{
    /// UTC.
    std::string date;
    std::int64_t ok = 0;
    std::int64_t denied = 0;
    std::int64_t rateLimited = 0;
};

constexpr auto schemaOf(const KeyDay*) { return describe(members<&KeyDay::date, &KeyDay::ok, &KeyDay::denied, &KeyDay::rateLimited>()); }

struct KeyUsageReport
{
    /// Days without a use are left out; the oldest first.
    std::vector<KeyDay> daily;
    /// By the id of the service that the call was for; `-`: one that is not registered.
    std::map<std::string, KeyUseCounts> byService;
    /// Networks that it came from last, the newest first.
    std::vector<std::string> lastIps;
};

constexpr auto schemaOf(const KeyUsageReport*)
{
    return describe(members<&KeyUsageReport::daily, &KeyUsageReport::byService, &KeyUsageReport::lastIps>());
}

struct UsageQuery
{
    std::int64_t days = 30;
};

constexpr auto schemaOf(const UsageQuery*) { return describe(field<&UsageQuery::days>().range(1, 365)); }

/// How a key was used. Thread-safe.
class KeyUsageRoutes
{
public:
    KeyUsageRoutes(Core& core, KeyUsage& usage) : _core(core), _usage(usage) {}
    void declare(Routes& routes);
    KeyUsageReport show(const Caller& caller, const Path<ApiKeyId>& id, const Query<UsageQuery>& query) const;

private:
    Core& _core;
    KeyUsage& _usage;
};

} // namespace portico::identity
