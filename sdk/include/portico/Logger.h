#pragma once

#include "portico/Export.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace portico
{

enum class LogLevel : std::uint8_t
{
    Debug,
    Information,
    Warning,
    Error
};

/// A structured log: a short text and named values. All arguments are copied before the call returns. Never log secrets, tokens, passwords
/// or bodies. Thread-safe.
class PORTICO_API Logger
{
public:
    using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
    virtual ~Logger();
    virtual void write(LogLevel level, std::string_view text, Fields fields) = 0;
    virtual bool enabled(LogLevel level) const noexcept = 0;
    void debug(std::string_view text, Fields fields = {}) { write(LogLevel::Debug, text, fields); }
    void information(std::string_view text, Fields fields = {}) { write(LogLevel::Information, text, fields); }
    void warning(std::string_view text, Fields fields = {}) { write(LogLevel::Warning, text, fields); }
    void error(std::string_view text, Fields fields = {}) { write(LogLevel::Error, text, fields); }
};

} // namespace portico
