#include "host/plugins/Instance.h"

#include "host/plugins/BinaryCheck.h"
#include "host/plugins/FileHash.h"
#include "host/plugins/FileView.h"
#include "host/plugins/RouteCheck.h"

#include <stdexcept>

namespace portico::host::plugins
{

namespace
{
/// Faults as one text, each on a line of its own.
[[noreturn]] void refuse(const std::string& what, const std::vector<std::string>& faults)
{
    std::string text = what;
    for (const auto& fault : faults) text += "\n  " + fault;
    throw std::runtime_error(text);
}

void checkMigrationHash(const Manifest& manifest)
{
    if (!manifest.migrations || manifest.migrationsSha256.empty()) return;
    const auto found = sha256OfFolder(*manifest.migrations);
    if (found != manifest.migrationsSha256)
        throw std::runtime_error(manifest.migrations->string() + ": expected the SHA-256 " + manifest.migrationsSha256 +
                                 " of the manifest, found " + found + ": install the plugin again");
}
} // namespace

Instance::Instance(std::shared_ptr<const Manifest> manifest, std::uint64_t number, const InstanceParts& parts)
    : _manifest(std::move(manifest)), _parts(parts), _generation(std::make_shared<Generation>(_manifest, number))
{
}

Instance::~Instance()
{
    // A plugin that never came to rest may still use what it was given: then that stays, as its code does.
    if (_plugin) static_cast<void>(_context.release());
    if (_copy && _library) _copy->keep();
}

void Instance::verify()
{
    const auto library = _manifest->directory() / _manifest->library;
    _copy.emplace(_parts.store.copy(library, _manifest->serviceId, _generation->number()));
    const FileView view(_copy->library());
    _sha256 = sha256OfText(view.bytes());
    _generation->setSha256(_sha256);
    if (!_manifest->librarySha256.empty() && _sha256 != _manifest->librarySha256)
        throw std::runtime_error(library.string() + ": expected the SHA-256 " + _manifest->librarySha256 + " of the manifest, found " +
                                 _sha256 + ": install the plugin again");
    checkMigrationHash(*_manifest);
    try
    {
        auto file = ElfFile::parse(view.bytes());
        if (const auto faults = checkBinary(file, *_manifest); !faults.empty()) refuse(library.string() + " cannot be loaded:", faults);
        _fingerprint = std::move(*file.fingerprint);
        _needed = std::move(file.needed);
    }
    catch (const ElfError& error)
    {
        throw std::runtime_error(library.string() + ": " + error.what());
    }
}

void Instance::load() { _library.emplace(_copy->library(), _fingerprint, _needed); }

void Instance::start()
{
    _context = _parts.contexts.create(*_manifest, _generation);
    // The thread keeps this alive: if it never comes back, nothing that it may touch is ever destroyed.
    _inside = std::make_unique<PluginThread>([self = shared_from_this()] { self->bringUp(); });
    if (!_inside->waitFor(std::chrono::seconds(_manifest->startSeconds)))
    {
        _givenUp = true;
        throw std::runtime_error(std::string("its ") + _step.load() + " has not returned within " +
                                 std::to_string(_manifest->startSeconds) + " s (plugin.lifecycle.startSeconds)");
    }
    const auto error = _inside->error();
    _inside.reset();
    if (!error.empty()) throw std::runtime_error(std::string("its ") + _step.load() + " threw: " + error);
}

void Instance::bringUp()
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

void Instance::enter(const char* step)
{
    if (_givenUp) throw std::runtime_error("the host has given it up");
    _step = step;
}

void Instance::checkDeclarations()
{
    auto collected = collectRoutes(std::move(_declarations), *_manifest);
    _declarations.clear();
    _generation->setHandlers(std::move(collected.handlers));
    _routes = std::move(collected.routes);
    for (const auto& interface : _parts.interfaces.missing(*_generation))
        collected.faults.push_back("plugin.provides: expected the interface '" + interface +
                                   "' to be provided in start, found that it was not");
    if (!collected.faults.empty()) refuse("what it declares does not fit its manifest:", collected.faults);
}

void Instance::activate()
{
    _parts.interfaces.announce(*_generation);
    _context->activate();
}

bool Instance::drain(std::chrono::milliseconds patience)
{
    if (_context) _context->deactivate();
    _parts.interfaces.withdraw(*_generation);
    if (_generation->drain(patience)) return true;
    _generation->setPhase(Generation::Phase::Resident);
    return false;
}

std::string Instance::stop()
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
        if (!_inside->waitFor(_parts.stopPatience))
            return "its stop has not returned within " + std::to_string(_parts.stopPatience.count()) + " ms";
        _inside.reset();
    }
    const PluginScope scope(_generation->tag(), PluginTag::Phase::Stopping);
    if (auto left = clearRegistrations(); !left.empty()) return left;
    if (_plugin) _library->descriptor().destroy(std::exchange(_plugin, nullptr));
    _context.reset();
    _generation->setPhase(Generation::Phase::Stopped);
    return {};
}

std::string Instance::clearRegistrations()
{
    _parts.interfaces.withdraw(*_generation);
    _declarations.clear();
    _generation->clearHandlers();
    std::string text;
    if (_context)
        for (const auto& left : _context->clear()) text += (text.empty() ? "the host could not let go of: " : ", ") + left;
    return text;
}

std::string Instance::unload()
{
    if (!_library)
    {
        _copy.reset();
        return {};
    }
    const auto reason = mayUnmap() ? _library->close() : whyNotUnmapped();
    if (!reason.empty())
    {
        _copy->keep();
        _generation->setPhase(Generation::Phase::Resident);
    }
    _library.reset();
    _copy.reset();
    return reason;
}

std::string Instance::whyNotUnmapped() const
{
    if (buildNeverUnmaps()) return "builds with sanitizers never unmap";
    return std::string("unmapping is off by ") + (_parts.unmap ? "the manifest (plugin.lifecycle.unmap)" : "the host's configuration");
}

bool Instance::isAtRest()
{
    if (_inside && !_inside->waitFor(std::chrono::milliseconds(0))) return false;
    _inside.reset();
    return _generation->inFlight() == 0;
}

} // namespace portico::host::plugins
