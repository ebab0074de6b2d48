#pragma once

#include "content/Rollups.h"

#include "portico/Results.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace portico::social
{

/// Figures in memory, with the end of the brand's chain of events from which they were counted. Every change of a timestamp that is counted
/// records an event, so figures are right as long as the chain has the same end. Thread-safe.
class KeptRollups
{
public:
    /// Figures of 92 days take about 10 KB.
    static constexpr std::size_t most = 32;

    /// @param question what was asked: brand, zone, dates, platform
    std::optional<Reply<Rollups>> find(const std::string& question, const std::string& chainEnd) const;
    void keep(const std::string& question, const std::string& chainEnd, const Reply<Rollups>& reply);

private:
    struct Kept
    {
        std::string chainEnd;
        Reply<Rollups> reply;
    };
    mutable std::mutex _mutex;
    std::map<std::string, Kept> _kept;
};

} // namespace portico::social
