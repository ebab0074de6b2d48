#include "host/plugins/TrustedKeys.h"

#include "host/plugins/FileOwnership.h"

#include <algorithm>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
void addKey(const fs::path& file, TrustedKeys& found)
{
    try
    {
        // Whoever may change it decides what runs in the daemon.
        if (auto fault = whoElseMayChange(file); !fault.empty())
            found.faults.push_back(std::move(fault));
        else
            found.keys.push_back({file.stem().string(), PublicKey::read(file)});
    }
    catch (const std::exception& error)
    {
        found.faults.emplace_back(error.what());
    }
}
} // namespace

TrustedKeys TrustedKeys::read(const fs::path& folder)
{
    TrustedKeys found{.folder = folder, .keys = {}, .faults = {}};
    std::error_code error;
    if (!fs::exists(folder, error)) return found;
    if (auto fault = whoElseMayChange(folder); !fault.empty())
    {
        found.faults.push_back(std::move(fault));
        return found;
    }
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".pub") addKey(entry->path(), found);
    if (error)
        found.faults.push_back(folder.string() + ": expected a folder with keys (*.pub), found that it cannot be read: " + error.message());
    std::ranges::sort(found.keys, {}, &TrustedKey::name);
    std::ranges::sort(found.faults);
    return found;
}

const TrustedKey* TrustedKeys::signer(std::string_view message, std::string_view signature) const
{
    const auto found = std::ranges::find_if(keys, [&](const TrustedKey& each) { return each.key.verifies(message, signature); });
    return found == keys.end() ? nullptr : &*found;
}

std::string TrustedKeys::text() const
{
    std::string names;
    for (const auto& key : keys) names += (names.empty() ? "" : ", ") + key.name;
    return folder.string() + " (" + (names.empty() ? "none is there" : names) + ")";
}

} // namespace portico::host::plugins
