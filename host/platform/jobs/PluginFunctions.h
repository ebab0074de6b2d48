#pragma once

#include "host/plugins/runtime/Generation.h"
#include "host/plugins/runtime/PluginScope.h"

#include "portico/Jobs.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// Functions that one generation of a plugin registered, by name. They are called under a lease of the generation, so its drain waits for
/// them; what they throw is turned into an exception of the host's own while the plugin's code is still there. Filled before it is shared,
/// then thread-safe.
template <class Argument>
class PluginFunctions
{
public:
    using Function = std::function<void(const Argument&)>;

    explicit PluginFunctions(std::shared_ptr<plugins::Generation> generation) : _generation(std::move(generation)) {}

    void add(std::string name, Function function) { _functions.emplace(std::move(name), std::move(function)); }
    bool contains(std::string_view name) const { return _functions.find(name) != _functions.end(); }

    /// Each name once.
    std::vector<std::string> names() const
    {
        std::vector<std::string> names;
        for (auto next = _functions.begin(); next != _functions.end(); next = _functions.upper_bound(next->first))
            names.push_back(next->first);
        return names;
    }

    /// Calls all functions of a name. Returns false, without a call, if the generation accepts no more work or has ended.
    bool call(std::string_view name, const Argument& argument)
    {
        const auto lease = plugins::Lease::take(_generation);
        if (!lease) return false;
        const Running running(_running);
        const plugins::PluginScope scope(_generation->tag());
        const auto [first, last] = _functions.equal_range(name);
        for (auto function = first; function != last; ++function) guarded(function->second, argument);
        return first != last;
    }

    /// Destroys the functions, once the generation has drained. The names stay, because threads read them without a lease. Returns how many
    /// calls still run, in which case nothing is destroyed.
    std::size_t clear()
    {
        if (const auto running = _running.load(); running > 0) return running;
        for (auto& entry : _functions) entry.second = nullptr;
        return 0;
    }

    const std::shared_ptr<plugins::Generation>& generation() const noexcept { return _generation; }

private:
    struct Running
    {
        explicit Running(std::atomic<std::size_t>& counted) : count(counted) { ++count; }
        ~Running() { --count; }
        std::atomic<std::size_t>& count;
    };

    static void guarded(const Function& function, const Argument& argument)
    {
        std::string failure;
        try
        {
            function(argument);
            return;
        }
        catch (const JobRetry& asked)
        {
            throw JobRetry(asked);
        }
        catch (const JobFailed& failed)
        {
            throw JobFailed(failed);
        }
        catch (const std::exception& error)
        {
            failure = error.what();
        }
        catch (...)
        {
            failure = "an exception that is not a std::exception";
        }
        throw std::runtime_error(failure);
    }

    const std::shared_ptr<plugins::Generation> _generation;
    std::multimap<std::string, Function, std::less<>> _functions;
    std::atomic<std::size_t> _running{0};
};

/// The table of functions of the generation that serves now; null while none does. Thread-safe.
template <class Table>
class CurrentFunctions
{
public:
    std::shared_ptr<Table> get() const
    {
        const std::lock_guard lock(_mutex);
        return _table;
    }
    void set(std::shared_ptr<Table> table)
    {
        const std::lock_guard lock(_mutex);
        _table = std::move(table);
    }
    /// Leaves a successor alone.
    void drop(const std::shared_ptr<Table>& table)
    {
        const std::lock_guard lock(_mutex);
        if (_table == table) _table = nullptr;
    }

private:
    mutable std::mutex _mutex;
    std::shared_ptr<Table> _table;
};

} // namespace portico::host::platform
