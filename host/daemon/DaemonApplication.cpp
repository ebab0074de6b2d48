#include "host/daemon/DaemonApplication.h"

#include "host/daemon/Daemon.h"

#include <Poco/Util/HelpFormatter.h>
#include <Poco/Util/OptionException.h>

#include <iostream>
#include <sstream>

namespace portico::host::daemon
{

namespace
{

constexpr int exitFailed = 1;

/// Writes to the terminal: there is no log yet.
void say(const config::Reading& reading)
{
    for (const auto& diagnostic : reading.diagnostics)
        std::cerr << (diagnostic.severity == config::Diagnostic::Severity::Error ? "error: " : "warning: ") << diagnostic.text() << '\n';
}

/// @throws ConfigurationFailure for a file that cannot be read: another start changes nothing.
config::Reading read(const config::ConfigurationStore& store)
try
{
    return store.read();
}
catch (const std::runtime_error& error)
{
    throw ConfigurationFailure(error.what());
}

} // namespace

DaemonApplication::DaemonApplication() { setUnixOptions(true); }

void DaemonApplication::defineOptions(Poco::Util::OptionSet& options)
{
    // Without those of ServerApplication: service managers start daemons in the background.
    using Poco::Util::Option;
    options.addOption(
        Option("config", "", "read settings from FILE and conf.d/*.properties beside it", false, "FILE", true).repeatable(true));
    options.addOption(Option("set", "", "override a setting", false, "key=value", true).repeatable(true));
    options.addOption(Option("state", "", "keep everything in DIR", false, "DIR", true));
    options.addOption(Option("safe-mode", "", "start only the plugins that came with porticod", false));
    options.addOption(Option("check", "", "check configuration and manifests, then end", false));
    options.addOption(Option("print-settings", "", "print every setting, as properties or as manual", false, "FORM", true));
    options.addOption(Option("version", "", "print the version", false));
    options.addOption(Option("help", "", "print this", false));
}

void DaemonApplication::handleOption(const std::string& name, const std::string& value)
{
    if (name == "config")
        _files.emplace_back(value);
    else if (name == "set")
        _overrides.push_back(value);
    else if (name == "state")
        _state = value;
    else if (name == "safe-mode")
        _overrides.emplace_back("plugins.safeMode=true");
    else if (name == "check")
        _checks = true;
    else if (name == "version")
        _text = "porticod " PORTICO_VERSION "\n";
    else if (name == "help")
        _text = help();
    else if (value == "manual")
        _text = config::referenceManual();
    else if (value == "properties")
        _text = config::referenceProperties();
    else
        throw Poco::Util::InvalidArgumentException("print-settings takes properties or manual, not " + value);
}

int DaemonApplication::main(const std::vector<std::string>& words)
{
    // Caught here, since Poco::Util::Application would write the exception to its own log.
    try
    {
        if (!words.empty())
        {
            std::cerr << "porticod: '" << words.front() << "' is not an option; --help explains.\n";
            return EXIT_USAGE;
        }
        if (_text.empty()) return checkOrServe();
        std::cout << _text;
        return EXIT_OK;
    }
    catch (const ConfigurationFailure& failure)
    {
        std::cerr << "porticod: " << failure.what() << '\n';
        return EXIT_CONFIG;
    }
    catch (const std::exception& failure)
    {
        std::cerr << "porticod: " << failure.what() << '\n';
        return exitFailed;
    }
}

std::string DaemonApplication::help() const
{
    Poco::Util::HelpFormatter formatter(options());
    formatter.setUnixStyle(true);
    formatter.setWidth(100);
    formatter.setCommand("porticod");
    formatter.setUsage("[options]");
    formatter.setHeader("Serves the services that are installed as plugins, in the foreground. porticoctl operates it.");
    std::ostringstream text;
    formatter.format(text);
    return std::move(text).str();
}

config::LayerSources DaemonApplication::sources(const std::filesystem::path& state) const
{
    config::LayerSources sources{_files, state / "conf.d", config::environmentVariables(), _overrides};
    const auto file = _layout.configurationFile();
    std::error_code error;
    // A file that cannot be examined is reported when it is read.
    if (sources.files.empty() && (std::filesystem::exists(file, error) || error)) sources.files.push_back(file);
    return sources;
}

int DaemonApplication::checkOrServe()
{
    const auto layers = sources(_state);
    const InstalledPlugins installed(_layout, layers.files);
    config::ConfigurationStore store(layers, [&](const config::Configuration& settings) { return installed.settings(settings); });
    const auto reading = read(store);
    return _checks ? check(installed, reading) : serve(installed, store, reading);
}

int DaemonApplication::check(const InstalledPlugins& installed, const config::Reading& reading)
{
    say(reading);
    bool ok = true;
    for (const auto& diagnostic : reading.diagnostics) ok = ok && diagnostic.severity != config::Diagnostic::Severity::Error;
    const auto discovery = installed.discover(*reading.configuration);
    for (const auto& [id, plugin] : discovery.plugins)
        for (const auto& error : plugin.errors)
        {
            std::cerr << "error: " << error << '\n';
            ok = false;
        }
    for (const auto& warning : discovery.warnings) std::cerr << "warning: " << warning << '\n';
    std::cout << (ok ? "The configuration is right.\n" : "The configuration has mistakes.\n");
    return ok ? EXIT_OK : EXIT_CONFIG;
}

int DaemonApplication::serve(const InstalledPlugins& installed, config::ConfigurationStore& store, const config::Reading& reading)
{
    if (reading.refused())
    {
        say(reading);
        throw ConfigurationFailure("The configuration has mistakes, see above. porticod --check shows them again.");
    }
    store.adopt(reading.configuration);

    const StateDirectory state(_state);
    Daemon daemon(state, _layout, store, installed);
    daemon.tell(reading.diagnostics);
    daemon.start();
    while (_signals.wait() == Signals::Request::Reload) daemon.reloadConfiguration();
    daemon.stop();
    return EXIT_OK;
}

} // namespace portico::host::daemon
