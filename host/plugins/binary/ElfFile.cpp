#include "host/plugins/binary/ElfFile.h"

#include <elf.h>

#include <cstring>

namespace portico::host::plugins
{

namespace
{
/// More of anything than this is not a plugin, whatever a header claims.
constexpr std::uint64_t maxEntries = 1'000'000;

/// The bytes of a file, read by offset with every bound checked.
class Bytes
{
public:
    explicit Bytes(std::string_view bytes) : _bytes(bytes) {}

    std::string_view slice(std::uint64_t offset, std::uint64_t size, const char* what) const
    {
        if (offset > _bytes.size() || size > _bytes.size() - offset)
            throw ElfError(std::string("expected ") + what + " within the file, found it beyond the end (truncated or damaged)");
        return _bytes.substr(offset, size);
    }

    /// A copy: the file's structures need not be aligned.
    template <class T>
    T at(std::uint64_t offset, const char* what) const
    {
        T value;
        std::memcpy(&value, slice(offset, sizeof(T), what).data(), sizeof(T));
        return value;
    }

    template <class T>
    std::vector<T> table(std::uint64_t offset, std::uint64_t count, const char* what) const
    {
        if (count > maxEntries)
            throw ElfError(std::string("expected a table of ") + what + " of sane size, found " + std::to_string(count) + " entries");
        const auto bytes = slice(offset, count * sizeof(T), what);
        std::vector<T> values(count);
        if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

private:
    std::string_view _bytes;
};

std::string textAt(std::string_view table, std::uint64_t offset)
{
    if (offset >= table.size()) throw ElfError("expected a name within the table of names, found it beyond its end (damaged)");
    const auto rest = table.substr(offset);
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) throw ElfError("expected a name with an end, found none (damaged)");
    return std::string(rest.substr(0, end));
}

class Reader
{
public:
    explicit Reader(std::string_view bytes) : _bytes(bytes) {}

    ElfFile read()
    {
        readHeader();
        _sections = _bytes.table<Elf64_Shdr>(_header.e_shoff, _header.e_shnum, "section headers");
        for (const auto& segment : _bytes.table<Elf64_Phdr>(_header.e_phoff, _header.e_phnum, "program headers"))
            if (segment.p_type == PT_NOTE) readNotes(_bytes.slice(segment.p_offset, segment.p_filesz, "a note segment"));
        for (const auto& section : _sections)
        {
            if (section.sh_type == SHT_DYNSYM) readSymbols(section);
            if (section.sh_type == SHT_DYNAMIC) readDynamic(section);
        }
        return std::move(_file);
    }

private:
    void readHeader()
    {
        _header = _bytes.at<Elf64_Ehdr>(0, "an ELF header");
        if (std::memcmp(_header.e_ident, ELFMAG, SELFMAG) != 0)
            throw ElfError("expected a shared object (ELF), found another kind of file");
        if (_header.e_ident[EI_CLASS] != ELFCLASS64 || _header.e_ident[EI_DATA] != ELFDATA2LSB)
            throw ElfError("expected a 64-bit little-endian ELF file, found another");
        if (_header.e_type != ET_DYN) throw ElfError("expected a shared object, found ELF type " + std::to_string(_header.e_type));
        if (_header.e_shentsize != sizeof(Elf64_Shdr) || _header.e_phentsize != sizeof(Elf64_Phdr) || _header.e_shnum == 0)
            throw ElfError("expected section and program headers, found none (stripped with sstrip, or damaged)");
    }

    std::string_view namesOf(const Elf64_Shdr& section) const
    {
        if (section.sh_link >= _sections.size()) throw ElfError("expected a table of names, found none (damaged)");
        const auto& names = _sections[section.sh_link];
        return _bytes.slice(names.sh_offset, names.sh_size, "a table of names");
    }

    void readSymbols(const Elf64_Shdr& section)
    {
        const auto names = namesOf(section);
        for (const auto& symbol : _bytes.table<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym), "dynamic symbols"))
        {
            const auto binding = ELF64_ST_BIND(symbol.st_info);
            if (binding == STB_LOCAL) continue;
            _file.symbols.push_back({textAt(names, symbol.st_name), symbol.st_shndx != SHN_UNDEF, binding == STB_GNU_UNIQUE});
        }
    }

    void readDynamic(const Elf64_Shdr& section)
    {
        const auto names = namesOf(section);
        for (const auto& entry : _bytes.table<Elf64_Dyn>(section.sh_offset, section.sh_size / sizeof(Elf64_Dyn), "dynamic entries"))
        {
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_NEEDED) _file.needed.push_back(textAt(names, entry.d_un.d_val));
            if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) _file.searchPath = textAt(names, entry.d_un.d_val);
            if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NODELETE) != 0) _file.neverUnloads = true;
        }
    }

    /// Notes of a segment: name and description are padded to four bytes each.
    void readNotes(std::string_view segment)
    {
        const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
        const Bytes notes(segment);
        for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= segment.size();)
        {
            const auto note = notes.at<Elf64_Nhdr>(at, "a note");
            const auto name = notes.slice(at + sizeof note, note.n_namesz, "a note's name");
            const auto description = notes.slice(at + sizeof note + padded(note.n_namesz), note.n_descsz, "a note's description");
            if (name == std::string_view("Portico\0", 8) && note.n_type == 1)
                _file.fingerprint = std::string(description.substr(0, description.find('\0')));
            at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
        }
    }

    Bytes _bytes;
    Elf64_Ehdr _header{};
    std::vector<Elf64_Shdr> _sections;
    ElfFile _file;
};
} // namespace

ElfFile ElfFile::parse(std::string_view bytes) { return Reader(bytes).read(); }

} // namespace portico::host::plugins
