#include "host/data/engines/EngineLibrary.h"

#include "portico/Id.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace portico::host::data
{

namespace
{

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& reason)
{
    throw std::runtime_error("the engine " + file.string() + " cannot be used: " + reason + ": install it from the same release");
}

/// Where libportico.so was loaded from: engines are installed beside it, wherever the prefix is.
std::filesystem::path libraryFolder()
{
    Dl_info facts{};
    if (::dladdr(reinterpret_cast<const void*>(&makeUlid), &facts) == 0 || !facts.dli_fname) return {};
    return std::filesystem::weakly_canonical(facts.dli_fname).parent_path();
}

} // namespace

void* loadEngineMaker(std::string_view name, const char* versionSymbol, const char* makeSymbol)
{
    const auto file = libraryFolder() / "portico" / "engines" / (std::string(name) + ".so");
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
    {
        const char* reason = ::dlerror();
        fail(file, reason ? reason : "it cannot be loaded");
    }
    auto* version = reinterpret_cast<DatabaseEngineVersion*>(::dlsym(library, versionSymbol));
    void* make = ::dlsym(library, makeSymbol);
    if (!version || !make) fail(file, "it is not an engine");
    if (std::string_view(version()) != PORTICO_VERSION) fail(file, std::string("expected version " PORTICO_VERSION ", found ") + version());
    return make;
}

std::unique_ptr<DatabaseEngine> loadEngine(std::string_view name)
{
    auto* make = reinterpret_cast<MakeDatabaseEngine*>(loadEngineMaker(name, databaseEngineVersionSymbol, makeDatabaseEngineSymbol));
    return std::unique_ptr<DatabaseEngine>(make());
}

} // namespace portico::host::data
