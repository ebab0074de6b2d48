#pragma once

#include "host/plugins/Manifest.h"
#include "host/plugins/SchemaChecker.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// A manifest, or everything that is wrong with it.
struct ReadManifest
{
    /// Null when there are errors.
    std::shared_ptr<const Manifest> manifest;
    /// `file:line: member: expected …, found …: remedy`.
    std::vector<std::string> errors;
};

/// Reads and checks manifests. Stateless after construction; thread-safe.
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
};

} // namespace portico::host::plugins
