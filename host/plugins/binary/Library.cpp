#include "host/plugins/binary/Library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace portico::host::plugins
{

namespace
{
constexpr char magic[8] = {'P', 'O', 'R', 'T', 'I', 'C', 'O', '\0'};

std::string linkerError()
{
    const char* text = dlerror();
    return text ? text : "unknown error of the dynamic linker";
}

void keepForEver(const std::string& library)
{
    if (void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) dlclose(handle);
}
} // namespace

bool buildNeverUnmaps() noexcept
{
#if defined(PORTICO_SANITIZE) || defined(PORTICO_COVERAGE)
    return true;
#else
    return false;
#endif
}

Library::Library(std::filesystem::path file, std::string_view fingerprint, const std::vector<std::string>& needed)
    : _file(std::move(file)), _handle(dlopen(_file.c_str(), RTLD_NOW | RTLD_LOCAL))
{
    if (!_handle) throw std::runtime_error("the dynamic linker refuses it: " + linkerError());
    std::ranges::for_each(needed, keepForEver);
    try
    {
        _descriptor = static_cast<const abi::Descriptor*>(dlsym(_handle, "portico_plugin"));
        check(fingerprint);
    }
    catch (...)
    {
        if (!buildNeverUnmaps()) dlclose(_handle);
        throw;
    }
}

void Library::check(std::string_view fingerprint) const
{
    if (!_descriptor) throw std::runtime_error("expected a symbol portico_plugin, found none");
    const auto& found = *_descriptor;
    if (std::memcmp(found.magic, magic, sizeof magic) != 0)
        throw std::runtime_error("expected a descriptor that begins with PORTICO, found another");
    if (found.size != sizeof(abi::Descriptor) || found.epoch != abi::epoch || found.minor > abi::minor)
        throw std::runtime_error("expected a descriptor of " + std::to_string(sizeof(abi::Descriptor)) + " bytes and SDK epoch " +
                                 std::to_string(abi::epoch) + ", found " + std::to_string(found.size) + " bytes and epoch " +
                                 std::to_string(found.epoch) + "." + std::to_string(found.minor));
    if (found.fingerprint != fingerprint)
        throw std::runtime_error("expected the descriptor's fingerprint to be that of the ELF note, found another");
}

AddressRange Library::range() const
{
    struct Search
    {
        const char* file;
        AddressRange range{};
    } search{.file = _file.c_str()};
    const auto look = [](dl_phdr_info* info, std::size_t, void* data)
    {
        auto& wanted = *static_cast<Search*>(data);
        if (std::strcmp(info->dlpi_name, wanted.file) != 0) return 0;
        wanted.range.begin = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i)
            if (const auto& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD)
                wanted.range.end = std::max<std::uintptr_t>(wanted.range.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
        return 1;
    };
    dl_iterate_phdr(look, &search);
    return search.range;
}

std::string Library::close()
{
    if (dlclose(std::exchange(_handle, nullptr)) != 0) return "the dynamic linker refuses to unload it: " + linkerError();
    return isMapped() ? "it is still mapped after dlclose: a unique symbol, a thread_local of a living thread, or another user holds it"
                      : "";
}

bool Library::isMapped() const
{
    if (void* handle = dlopen(_file.c_str(), RTLD_LAZY | RTLD_NOLOAD))
    {
        dlclose(handle);
        return true;
    }
    const auto matches = [](dl_phdr_info* info, std::size_t, void* file)
    { return static_cast<int>(*static_cast<const std::filesystem::path*>(file) == info->dlpi_name); };
    return dl_iterate_phdr(matches, const_cast<std::filesystem::path*>(&_file)) != 0;
}

} // namespace portico::host::plugins
