#pragma once

#include "portico/Services.h"

#include <string>
#include <string_view>

namespace portico::interfaces
{

/// Operations of porticoctl on the running host. Provided by the host, only to the built-in plugin that `admin.console` names; other
/// plugins get an empty lease. Thread-safe.
class HostOperations : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "host.operations";
    static constexpr std::string_view interfaceVersion = "1.0";

    /// The operator. The host stores it with the operation and logs it.
    struct Operator
    {
        /// `usr_…`
        std::string userId;
        /// `ses_…`
        std::string sessionId;
        std::string clientAddress;
        std::string requestId;
    };

    /// One of `status`, `services`, `operations` and `jobs.list`, with the arguments that porticoctl sends (an object of JSON,
    /// or empty); and `log`, the newest records of the log that agree with `service`, `level` (and above) and `requestId`, at most `limit`,
    /// or the first after the number `after`; `samples`, the host's load in the last hour; and `installed`, what is
    /// installed and differs from what runs. @return JSON as `porticoctl --json` shows it. @throws Problem 400 `invalid_request`, 404
    /// `unknown_service`, 409 with the code of another refusal
    virtual std::string ask(std::string_view question, std::string_view arguments = {}) = 0;

    /// Checks whether `begin` would accept the command.
    /// @throws Problem 409 `use_porticoctl` for any command but `reload`, `enable`, `disable`, `jobs.retry`, `jobs.discard` and
    /// `config.reload`, and for commands that would lock operators out: disabling the credential provider or the console; otherwise as
    /// `ask`
    virtual void check(std::string_view command, std::string_view arguments) = 0;

    /// Starts the command and returns its operation id for `progress`. The operation continues even if it reloads the caller.
    /// @throws Problem as `check`; 503 `overloaded` if too many operations are in progress
    virtual std::string begin(std::string_view command, std::string_view arguments, const Operator& by) = 0;

    /// `{"id":…,"command":…,"state":"running|succeeded|failed","requestedBy":…,"startedAt":…,"endedAt":…,"result":…,"error":{"code":…,
    /// "message":…}}` of one that was begun here; the last hundred are known, until the host is restarted. @throws Problem 404
    virtual std::string progress(std::string_view operationId) = 0;
};

} // namespace portico::interfaces
