#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace portico::host::plugins
{

/// The plugin that runs, in a form that a signal handler can read: plain bytes, no pointers. A value.
struct PluginTag
{
    /// Phase of the plugin: a crash while it stops does not count towards quarantine.
    enum class Phase : char
    {
        None = 0,
        Starting = 's',
        Serving = 'r',
        Stopping = 'e'
    };

    /// Ends with a zero byte; longer ids than a manifest allows are cut.
    std::array<char, 48> serviceId{};
    std::array<char, 65> sha256{};
    std::uint64_t generation = 0;
    Phase phase = Phase::None;

    void setServiceId(std::string_view text) noexcept;
    void setSha256(std::string_view text) noexcept;
};

/// Marks the current thread as inside a plugin, so that a crash is attributed to it (CrashHandler). Gives the thread a signal stack, so
/// that a stack overflow can be reported. Scopes nest; one that ends on another thread than it began changes nothing.
class PluginScope
{
public:
    PluginScope(const PluginTag& tag, PluginTag::Phase phase) noexcept;
    explicit PluginScope(const PluginTag& tag) noexcept : PluginScope(tag, PluginTag::Phase::Serving) {}
    PluginScope(const PluginScope&) = delete;
    PluginScope& operator=(const PluginScope&) = delete;
    ~PluginScope();
    /// Tag of the current thread; its phase is None outside of all scopes. Async-signal-safe.
    static const PluginTag& current() noexcept;

private:
    const PluginTag _outer;
    const void* _thread;
};

} // namespace portico::host::plugins
