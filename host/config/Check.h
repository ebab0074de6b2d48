#pragma once

#include "host/config/Configuration.h"
#include "host/config/Layers.h"

#include <string>
#include <vector>

namespace portico::host::config
{

/// One mistake in the configuration.
struct Diagnostic
{
    enum class Severity : std::uint8_t
    {
        Warning, ///< Said, nothing else.
        Error
    };
    Severity severity = Severity::Error;
    Source source;
    std::string key;
    std::string expected;
    std::string found;
    std::string remedy;
    /// The service whose setting it is; empty: the host's own. A mistake in the settings of a service keeps that service from starting,
    /// nothing else.
    std::string serviceId;

    /// `portico.properties:12: server.port: expected …, found …. …`
    std::string text() const;
};

/// Every mistake of the layers, in their order. Opens the secret files, changes nothing.
std::vector<Diagnostic> check(const Catalog& catalog, const Layers& layers);

/// Settings that are right by themselves and wrong together, and addresses, networks, origins and the sender of mails by their form.
std::vector<Diagnostic> crossCheck(const Configuration& configuration);

/// Settings that must not stand in the drop-ins of the state directory, where plugins can write: which of them are loaded is the operator's
/// to say.
std::vector<Diagnostic> checkDropIns(const std::vector<Entry>& entries, const std::filesystem::path& dropIns);

} // namespace portico::host::config
