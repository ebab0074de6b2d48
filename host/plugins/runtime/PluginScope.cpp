#include "host/plugins/runtime/PluginScope.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <new>
#include <unistd.h>

namespace portico::host::plugins
{

namespace
{

thread_local PluginTag inside;

/// The stack for signal handlers of this thread; an existing one is kept.
class SignalStack
{
public:
    SignalStack() noexcept
    {
        stack_t present{};
        if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
        const auto size = static_cast<std::size_t>(std::max(::sysconf(_SC_SIGSTKSZ), 16L * 1024));
        _memory.reset(new (std::nothrow) char[size]);
        if (!_memory) return;
        stack_t wanted{};
        wanted.ss_sp = _memory.get();
        wanted.ss_size = size;
        if (::sigaltstack(&wanted, nullptr) != 0) _memory.reset();
    }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;
    ~SignalStack()
    {
        if (!_memory) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        ::sigaltstack(&none, nullptr);
    }

private:
    std::unique_ptr<char[]> _memory;
};

void ensureSignalStack() noexcept { thread_local const SignalStack stack; }

template <std::size_t Size>
void assign(std::array<char, Size>& field, std::string_view text) noexcept
{
    field.fill('\0');
    std::copy_n(text.begin(), std::min(text.size(), Size - 1), field.begin());
}

} // namespace

void PluginTag::setServiceId(std::string_view text) noexcept { assign(serviceId, text); }

void PluginTag::setSha256(std::string_view text) noexcept { assign(sha256, text); }

PluginScope::PluginScope(const PluginTag& tag, PluginTag::Phase phase) noexcept : _outer(inside), _thread(&inside)
{
    ensureSignalStack();
    inside = tag;
    inside.phase = phase;
}

PluginScope::~PluginScope()
{
    if (_thread == &inside) inside = _outer;
}

const PluginTag& PluginScope::current() noexcept { return inside; }

} // namespace portico::host::plugins
