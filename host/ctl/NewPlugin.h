#pragma once

#include "host/ctl/RecordFields.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::ctl
{

/// How a plugin is called where: made from its id, as `acme-notes`.
struct PluginNames
{
    std::string id;        ///< `acme-notes`: service, folder, file, package
    std::string space;     ///< `acme_notes`: C++ namespace, never a word that C++ or its library has taken
    std::string type;      ///< `AcmeNotes`: beginning of the class's name
    std::string title;     ///< `Acme Notes`: for people
    std::string variables; ///< `ACME_NOTES`: beginning of CMake and environment variables
};

/// Names of the plugin's record; in the template, a note.
struct RecordNames
{
    std::string one = "note";   ///< table, prefix of ids, words in texts
    std::string many = "notes"; ///< paths, permissions, scopes, files
};

/// @throws Refused with the code `invalid_name` that says what a name may be.
PluginNames pluginNames(std::string_view id);

/// `room`, or `person:people` where an s does not make the plural. @throws Refused `invalid_record`
RecordNames recordNames(std::string_view text);

/// A text of the template, the plugin `acme-notes` with its notes, with other names.
std::string renamed(std::string_view text, const PluginNames& names, const RecordNames& record = {});

/// Plan of the new plugin.
struct PluginPlan
{
    PluginNames names;
    RecordNames record = {};
    /// With the tile on the launchpad. Without it lines of the template that name a widget, and files, are left out.
    bool widget = true;
    /// Members of the record beside its title, in the place of the template's `text`; empty: that one.
    std::vector<RecordField> fields = {};
    /// With pages on the web kit, those of the template's folder `kit`, instead of the template's page.
    bool kit = false;
};

/// The template that belongs to a porticoctl: of the package portico-sdk-dev, or of the source tree that it was built in. Empty if neither
/// is there.
/// @param program The file of the running porticoctl.
std::filesystem::path templateOf(const std::filesystem::path& program);

/// Writes the template under other names into a folder that it makes; the paths of the files in it, sorted. Leaves nothing when it fails.
/// @throws Refused `template_missing`, `directory_exists`, `write_failed`.
std::vector<std::string> writePlugin(const std::filesystem::path& source, const std::filesystem::path& folder, const PluginPlan& plan);

} // namespace portico::host::ctl
