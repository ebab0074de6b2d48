#pragma once

#include "host/admin/Commands.h"
#include "host/admin/ControlServer.h"

#include "portico/system/HostOperations.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::host::admin
{

/// Commands of the control socket that a console in the browser may use: those that only read, and those that do not end the operator's
/// access to the host. The caller is recorded as for porticoctl. Thread-safe.
class ConsoleOperations final : public interfaces::HostOperations
{
public:
    /// @param console the service whose plugin gets this (`admin.console`). Both references outlive this.
    ConsoleOperations(const ControlCommands& commands, const CommandDependencies& parts, std::string console);

    /// Returns true if the generation is of the console's plugin as it came with the host.
    bool isFor(const plugins::Generation& user) const;

    std::string ask(std::string_view question, std::string_view arguments) override;
    void check(std::string_view command, std::string_view arguments) override;
    std::string begin(std::string_view command, std::string_view arguments, const Operator& by) override;
    std::string progress(std::string_view operationId) override;

private:
    /// One that was begun; guarded by `_mutex`.
    struct Begun
    {
        std::string id;
        std::string command;
        std::string requestedBy;
        Instant startedAt{};
        Instant endedAt{};
        /// Null while it runs.
        json::value answer;
    };

    /// @return the arguments. @throws Problem as `check`
    json::object requireHarmless(std::string_view command, std::string_view arguments) const;
    void finish(const std::shared_ptr<Begun>& begun, const std::string& answer);

    const ControlCommands& _commands;
    const CommandDependencies& _parts;
    const std::string _console;
    const SystemClock _clock;
    std::mutex _mutex;
    /// The newest last.
    std::deque<std::shared_ptr<Begun>> _begun;
    CommandThreads _threads{0};
};

} // namespace portico::host::admin
