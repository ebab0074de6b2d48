#include "host/plugins/binary/HelperCheck.h"

#include "host/plugins/binary/BinaryCheck.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <elf.h>

namespace portico::host::plugins
{

namespace
{
#if defined(__x86_64__)
constexpr std::uint16_t thisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t thisMachine = EM_AARCH64;
#else
constexpr std::uint16_t thisMachine = EM_NONE;
#endif
constexpr std::uint16_t maxSegments = 64;

template <class T>
bool copyAt(std::string_view bytes, std::uint64_t at, T& value)
{
    if (at > bytes.size() || bytes.size() - at < sizeof value) return false;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return true;
}
} // namespace

std::string helperFault(std::string_view bytes)
{
    Elf64_Ehdr header;
    if (!copyAt(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return "expected a 64-bit ELF program, found something else";
    if (thisMachine != EM_NONE && header.e_machine != thisMachine)
        return "expected a program for this machine, found one for ELF machine " + std::to_string(header.e_machine);
    if ((header.e_type != ET_EXEC && header.e_type != ET_DYN) || header.e_phnum > maxSegments)
        return "expected a program, found an object or a damaged file";
    for (std::uint16_t i = 0; i < header.e_phnum; ++i)
    {
        Elf64_Phdr segment;
        if (header.e_phoff > bytes.size() || !copyAt(bytes, header.e_phoff + std::uint64_t{i} * sizeof segment, segment))
            return "expected program headers within the file, found them beyond its end";
        if (segment.p_type == PT_INTERP)
            return "expected a statically linked program, found one that needs a dynamic loader: link it with -static-pie "
                   "(portico_add_helper)";
    }
    return {};
}

void checkHelpers(const Manifest& manifest, const Manifest& installed)
{
    for (const auto& helper : manifest.helpers)
    {
        const auto shown = (installed.directory() / helper).string();
        if (!std::filesystem::is_regular_file(manifest.directory() / helper))
            throw std::runtime_error(shown +
                                     ": expected the program of the manifest (plugin.helpers), found none: install the plugin again");
        const FileView view(manifest.directory() / helper);
        if (const auto fault = helperFault(view.bytes()); !fault.empty()) throw std::runtime_error(shown + ": " + fault);
    }
}

void makeHelpersExecutable(const Manifest& copy)
{
    for (const auto& helper : copy.helpers)
        std::filesystem::permissions(copy.directory() / helper, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec |
                                                                    std::filesystem::perms::owner_write);
}

} // namespace portico::host::plugins
