#pragma once

#include "portico/Logger.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Keeps every record. Thread-safe.
class PORTICO_API FakeLogger final : public Logger
{
public:
    struct Record
    {
        LogLevel level = LogLevel::Information;
        std::string text;
        std::map<std::string, std::string, std::less<>> fields;
    };

    ~FakeLogger() override;
    void write(LogLevel level, std::string_view text, Fields fields) override;
    bool enabled(LogLevel) const noexcept override { return true; }

    std::vector<Record> records() const;
    /// True if any text or field holds this: for proving that a secret is never logged.
    bool mentions(std::string_view text) const;

private:
    mutable std::mutex _mutex;
    std::vector<Record> _records;
};

} // namespace portico::testing
