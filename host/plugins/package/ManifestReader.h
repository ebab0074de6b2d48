#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/package/SchemaChecker.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// Checks rules that a schema cannot express: references between parts of the manifest, and names that begin with the service's own.
/// @param manifest one that the schema has accepted.
std::vector<SchemaFault> checkManifestRules(const boost::json::object& manifest);

/// A manifest, or everything that is wrong with it.
struct ReadManifest
{
    /// Null when there are errors.
    std::shared_ptr<const Manifest> manifest;
    /// `file:line:column: member: expected …, found …: remedy`.
    std::vector<std::string> errors;
};

/// Reads and checks manifests. Remembers those that were well, by file: one that still has the same bytes is not parsed again, as each
/// command of the lifecycle looks at all of them. Thread-safe.
class ManifestReader
{
public:
    ManifestReader();
    /// Reads `file`. Never throws for what is in it, or for a file that cannot be read.
    ReadManifest read(const std::filesystem::path& file) const;
    /// The same for a text that is at hand; `file` is only named.
    ReadManifest parse(const std::filesystem::path& file, std::string text) const;

    /// Text of the published JSON schema.
    static std::string_view schemaText() noexcept;

private:
    SchemaChecker _checker;
    mutable std::mutex _mutex;
    mutable std::map<std::filesystem::path, std::shared_ptr<const Manifest>> _known;
};

} // namespace portico::host::plugins
