#pragma once

#include "portico/Services.h"

#include <string>
#include <string_view>

namespace portico::interfaces
{

/// What an operator sees of the running host and does with it, as with porticoctl. The host itself provides it, and only to the plugin that
/// came with it and that its setting `admin.console` names: to others it is as absent as any that nobody provides. Thread-safe.
class HostOperations : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "host.operations";
    static constexpr std::string_view interfaceVersion = "1.0";

    /// Who asks. The host keeps it with the operation, and writes it into its log.
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
    /// installed and differs from what runs. @return JSON as `porticoctl --json` shows it. @throws Problem 400 `invalid_request`, 404 `unknown_service`, 409 with the
    /// code of another refusal
    virtual std::string ask(std::string_view question, std::string_view arguments = {}) = 0;

    /// Whether `begin` would take it. @throws Problem 409 `use_porticoctl` for any command but `reload`, `enable`, `disable`, `jobs.retry`,
    /// `jobs.discard` and `config.reload`, and for what would lock the operators out: switching off who checks credentials, or the console;
    /// as `ask`
    virtual void check(std::string_view command, std::string_view arguments) = 0;

    /// Begins it, and returns at once: it goes on when the caller is the one that is reloaded. @return the operation's id, for `progress`
    /// @throws Problem as `check`; 503 `overloaded` where too many are under way
    virtual std::string begin(std::string_view command, std::string_view arguments, const Operator& by) = 0;

    /// `{"id":…,"command":…,"state":"running|succeeded|failed","requestedBy":…,"startedAt":…,"endedAt":…,"result":…,"error":{"code":…,
    /// "message":…}}` of one that was begun here; the last hundred are known, until the host is restarted. @throws Problem 404
    virtual std::string progress(std::string_view operationId) = 0;
};

} // namespace portico::interfaces
