#pragma once

#include "catalog/AppCatalog.h"
#include "preferences/Preferences.h"

#include <string>
#include <vector>

namespace portico::launchpad
{

/// Checks and cleans lists of service IDs against the registry.
class ServiceLists
{
public:
    explicit ServiceLists(const AppCatalog& apps) : _apps(apps) {}

    /// @throws Problem 400 `unknown_service` for an ID that the registry does not have, 400 `validation_failed` for one that is there twice
    void require(const std::vector<std::string>& ids, const std::string& field) const;
    /// The same for folders, whose IDs are unique and which share no app.
    void require(const std::vector<AppFolder>& folders) const;
    /// The same for tiles: the manifest has the widget and offers its size. @throws Problem 400
    void require(const std::vector<PlacedWidget>& widgets) const;

    /// Removes the IDs of apps that no longer exist.
    void clean(std::vector<std::string>& ids) const;
    void clean(Preferences& preferences) const;

private:
    bool isThere(const std::string& serviceId) const;
    const App& known(const std::string& serviceId) const;

    const AppCatalog& _apps;
};

} // namespace portico::launchpad
