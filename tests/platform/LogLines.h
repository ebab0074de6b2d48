#pragma once

#include "portico/Logger.h"

#include <mutex>
#include <string>
#include <string_view>

namespace portico::tests
{

/// Stores the texts and fields of a log. Thread-safe.
class LogLines final : public Logger
{
public:
    void write(LogLevel, std::string_view text, Fields fields) override
    {
        const std::lock_guard lock(_mutex);
        _text.append(text);
        for (const auto& [name, value] : fields) _text.append(" ").append(name).append("=").append(value);
        _text.append("\n");
    }
    bool enabled(LogLevel) const noexcept override { return true; }
    bool contains(std::string_view part) const
    {
        const std::lock_guard lock(_mutex);
        return _text.find(part) != std::string::npos;
    }

private:
    mutable std::mutex _mutex;
    std::string _text;
};

} // namespace portico::tests
