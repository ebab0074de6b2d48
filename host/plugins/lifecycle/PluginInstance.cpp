#include "host/plugins/lifecycle/PluginInstance.h"

#include "host/base/Text.h"
#include "host/plugins/binary/HelperCheck.h"
#include "host/plugins/lifecycle/DependencyUnavailable.h"
#include "host/plugins/package/PageCheck.h"
#include "host/plugins/runtime/RouteCheck.h"

#include <stdexcept>

namespace portico::host::plugins
{

namespace
{
/// The manifest as that of a copy of its folder: what the host reads of the plugin from here on is what it has verified.
std::shared_ptr<const Manifest> moved(const Manifest& installed, const PrivateCopy& copy)
{
    auto manifest = std::make_shared<Manifest>(installed);
    manifest->file = copy.folder() / installed.file.filename();
    if (installed.migrations) manifest->migrations = copy.folder() / installed.migrations->lexically_relative(installed.directory());
    const auto found = copy.files().files.find(installed.file.filename().string());
    if (found == copy.files().files.end() || found->second != installed.sha256)
        throw std::runtime_error(installed.file.string() + ": expected the file that was read a moment ago, found another: try again");
    return manifest;
}
} // namespace

PluginInstance::PluginInstance(std::shared_ptr<const Manifest> manifest, std::uint64_t number, const LifecycleSettings& settings,
                               const LifecycleDependencies& dependencies, GenerationStore& store)
    : _manifest(std::move(manifest)),
      _settings(settings),
      _dependencies(dependencies),
      _store(store),
      _generation(std::make_shared<Generation>(_manifest, number))
{
}

PluginInstance::~PluginInstance()
{
    // A plugin that never came to rest may still use what it was given: then that stays, as its code does.
    if (_plugin) static_cast<void>(_context.release());
    if (_copy && _library) _copy->keep();
}

void PluginInstance::verify()
{
    const auto installed = _manifest;
    const auto library = installed->directory() / installed->library;
    if (!std::filesystem::is_regular_file(library))
        throw std::runtime_error("expected a library at " + library.string() + ", found none: install the plugin again");
    _copy.emplace(_store.copy(installed->directory(), installed->serviceId, _generation->number()));
    _manifest = moved(*installed, *_copy);

    auto verdict = judgeTrust(_settings.trust, *installed, _copy->folder(), _copy->files());
    if (!verdict.faults.empty()) throw std::runtime_error(joined("it is not loaded:", verdict.faults));
    _provenance = std::move(verdict.provenance);
    _byException = verdict.byException;
    _checked = checkLibrary(*_manifest, library, _copy->files().files.at(_manifest->library));
    _generation->setSha256(_checked.sha256);
    checkMigrationHash(*_manifest, *installed);
    checkHelpers(*_manifest, *installed);
    makeHelpersExecutable(*_manifest);
    if (const auto faults = pageFaults(*_manifest); !faults.empty()) throw std::runtime_error(joined("its pages are not served:", faults));
}

void PluginInstance::keepPages(PageStore& store)
{
    _pages = std::make_shared<const std::vector<PageBuild>>(store.keep(*_manifest, _copy->files()));
}

void PluginInstance::load()
{
    _library.emplace(_manifest->directory() / _manifest->library, _checked.fingerprint, _checked.needed);
    _image = MappedImages::noteMapped(_generation->tag(), _library->range());
}

void PluginInstance::start()
{
    _context = _dependencies.contexts.create(*_manifest, _generation);
    // The thread keeps this alive: if it never comes back, nothing that it may touch is ever destroyed.
    _inside = std::make_unique<PluginThread>([self = shared_from_this()] { self->bringUp(); });
    if (!_inside->waitFor(std::chrono::seconds(_manifest->startSeconds)))
    {
        _givenUp = true;
        throw std::runtime_error(std::string("its ") + _step.load() + " has not returned within " +
                                 std::to_string(_manifest->startSeconds) + " s (plugin.lifecycle.startSeconds)");
    }
    const auto error = _inside->error();
    const auto away = _inside->away();
    _inside.reset();
    if (error.empty()) return;
    const auto text = std::string("its ") + _step.load() + " threw: " + error;
    if (!away.empty()) throw DependencyUnavailable(away, text);
    throw std::runtime_error(text);
}

void PluginInstance::bringUp()
{
    const PluginScope scope(_generation->tag(), PluginTag::Phase::Starting);
    _plugin = _library->descriptor().create(*_context);
    enter("start");
    _plugin->start();
    _started = true;
    enter("declare");
    Routes routes;
    _plugin->declare(routes);
    _declarations = routes.take();
    enter("health");
    _generation->noteHealth(_plugin->health());
    _generation->setPlugin(_plugin);
}

void PluginInstance::enter(const char* step)
{
    if (_givenUp) throw std::runtime_error("the host has given it up");
    _step = step;
}

void PluginInstance::checkDeclarations()
{
    auto found = checkRoutes(_declarations, *_manifest);
    _warnings = std::move(found.warnings);
    if (_pages && _pages->empty())
        _warnings.push_back("its pages (web.root) are not there: it was built without them, and its addresses for browsers say so");
    auto collected = collectRoutes(std::exchange(_declarations, {}));
    _generation->setHandlers(std::move(collected.handlers));
    _routes = std::move(collected.routes);
    for (const auto& interface : _dependencies.interfaces.missing(*_generation))
        found.faults.push_back("plugin.provides: expected the interface '" + interface +
                               "' to be provided in start, found that it was not");
    if (!found.faults.empty()) throw std::runtime_error(joined("what it declares does not fit its manifest:", found.faults));
}

void PluginInstance::activate()
{
    _dependencies.interfaces.announce(*_generation);
    _context->activate();
}

bool PluginInstance::drain(std::chrono::milliseconds patience)
{
    if (_context) _context->deactivate();
    _dependencies.interfaces.withdraw(*_generation);
    if (_generation->drain(patience)) return true;
    _generation->setPhase(Generation::Phase::Resident);
    return false;
}

std::string PluginInstance::stop()
{
    if (_plugin && _started)
    {
        _inside = std::make_unique<PluginThread>(
            [self = shared_from_this()]
            {
                const PluginScope scope(self->_generation->tag(), PluginTag::Phase::Stopping);
                self->_plugin->stop();
            });
        _started = false;
        if (!_inside->waitFor(_settings.stopPatience))
            return "its stop has not returned within " + std::to_string(_settings.stopPatience.count()) + " ms";
        _inside.reset();
    }
    const PluginScope scope(_generation->tag(), PluginTag::Phase::Stopping);
    if (auto left = clearRegistrations(); !left.empty()) return left;
    if (_plugin) _library->descriptor().destroy(std::exchange(_plugin, nullptr));
    _context.reset();
    _generation->setPhase(Generation::Phase::Stopped);
    return {};
}

std::string PluginInstance::clearRegistrations()
{
    _dependencies.interfaces.withdraw(*_generation);
    _declarations.clear();
    _generation->clearHandlers();
    std::string text;
    if (_context)
        for (const auto& left : _context->clear()) text += (text.empty() ? "the host could not let go of: " : ", ") + left;
    return text;
}

std::string PluginInstance::unload()
{
    if (!_library)
    {
        _copy.reset();
        return {};
    }
    const auto reason = mayUnmap() ? _library->close() : whyNotUnmapped();
    if (reason.empty())
    {
        MappedImages::noteUnmapped(_image, toMillis(SystemClock().now()));
        _store.putBack(std::move(*_copy));
    }
    else
    {
        _copy->keep();
        _generation->setPhase(Generation::Phase::Resident);
    }
    _library.reset();
    _copy.reset();
    return reason;
}

std::string PluginInstance::whyNotUnmapped() const
{
    if (buildNeverUnmaps()) return "builds with sanitizers never unmap";
    return std::string("unmapping is off by ") + (_settings.unmap ? "the manifest (plugin.lifecycle.unmap)" : "the host's configuration");
}

bool PluginInstance::isAtRest()
{
    if (_inside && !_inside->waitFor(std::chrono::milliseconds(0))) return false;
    _inside.reset();
    return _generation->inFlight() == 0;
}

} // namespace portico::host::plugins
