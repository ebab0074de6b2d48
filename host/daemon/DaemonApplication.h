#pragma once

#include "host/config/Configuration.h"
#include "host/config/InstallLayout.h"
#include "host/daemon/InstalledPlugins.h"
#include "host/daemon/Signals.h"

#include <Poco/Util/ServerApplication.h>

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::daemon
{

/// The process: command line, order of start and stop, exit status.
class DaemonApplication : public Poco::Util::ServerApplication
{
public:
    DaemonApplication();

protected:
    void defineOptions(Poco::Util::OptionSet& options) override;
    void handleOption(const std::string& name, const std::string& value) override;
    int main(const std::vector<std::string>& words) override;

private:
    config::LayerSources sources(const std::filesystem::path& state) const;
    int checkOrServe();
    static int check(const InstalledPlugins& installed, const config::Reading& reading);
    int serve(const InstalledPlugins& installed, config::ConfigurationStore& store, const config::Reading& reading);
    std::string help() const;

    // Before the first thread.
    const Signals _signals;
    const config::InstallLayout _layout = config::InstallLayout::ofThisProgram();
    bool _checks = false;
    /// Printed instead of anything else.
    std::string _text;
    std::vector<std::filesystem::path> _files;
    std::vector<std::string> _overrides;
    std::filesystem::path _state = config::InstallLayout::stateDirectory();
};

} // namespace portico::host::daemon
