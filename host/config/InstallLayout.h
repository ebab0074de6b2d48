#pragma once

#include <filesystem>
#include <string_view>

namespace portico::host::config
{

/// Where the parts of this installation are, relative to the running program: in a build tree, an install prefix or a package.
class InstallLayout
{
public:
    /// Layout of the running program.
    static InstallLayout ofThisProgram();
    /// `program` is `<prefix>/bin/porticod` or `<prefix>/sbin/porticod`.
    explicit InstallLayout(const std::filesystem::path& program);

    /// Below the library directory of the build, or plainly below lib.
    std::filesystem::path pluginsDirectory() const;
    /// The host's own migrations, a directory each set.
    std::filesystem::path migrations() const { return _prefix / "share" / "portico" / "migrations"; }
    /// Read if it is there and no other is named. Programs below /usr are configured below /etc.
    std::filesystem::path configurationFile() const;
    /// Folder of the keys that may sign plugins, beside that file.
    std::filesystem::path trustedKeys() const { return configurationFile().parent_path() / "trusted-keys.d"; }
    /// True for a plugin that came with this host: one of its services, in its own plugin directory. What else is installed there, or has
    /// the id of one elsewhere, is a third party's.
    bool isBuiltIn(std::string_view serviceId, const std::filesystem::path& folder) const;
    /// True for the id of a service that this host came with, in any folder.
    static bool isOwnId(std::string_view serviceId);
    /// That of systemd's unit, else `./.portico`.
    static std::filesystem::path stateDirectory();

private:
    std::filesystem::path _prefix;
};

} // namespace portico::host::config
