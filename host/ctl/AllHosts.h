#pragma once

#include "host/ctl/Terminal.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::ctl
{

/// A host of an installation, as the file of hosts names it.
struct NamedHost
{
    std::string name;
    /// For ssh; empty: this machine.
    std::string destination;
};

/// Where the hosts of an installation are listed, unless `--hosts` names another file.
inline constexpr const char* hostsFile = "/etc/portico/hosts";

/// Reads one host a line: its name, and behind it its destination for ssh where that is another; `localhost` is this machine. `#` begins a
/// comment. @throws Refused `no_hosts` for a file that cannot be read or names none, `bad_hosts` for a line that cannot be understood
std::vector<NamedHost> readHosts(const std::filesystem::path& file);

/// Runs a command of porticoctl on each host: here by the control socket, elsewhere by ssh (`PORTICO_SSH` names another program), which
/// must not ask for a password. `status` asks every host. A command that changes something runs on one host after the other and stops at
/// the first failure.
/// @param words the command: status, reload, enable or disable
/// @return the exit code: that of the first host that failed. @throws UsageError for another command
int runOnAllHosts(const std::vector<NamedHost>& hosts, const std::vector<std::string>& words, bool asJson, const Terminal& terminal);

} // namespace portico::host::ctl
