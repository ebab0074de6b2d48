#include "host/data/migrations/MigrationFiles.h"

#include "host/base/Digests.h"
#include "host/base/ReadFiles.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>

namespace portico::host::data
{

namespace
{

namespace fs = std::filesystem;

constexpr std::size_t digits = 4;

struct FileName
{
    std::int64_t number = 0;
    std::string name;
    std::optional<Dialect> dialect;
};

[[noreturn]] void refuse(const fs::path& file, const std::string& what) { throw MigrationError(file.string() + ": " + what); }

bool isNameCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool takeSuffix(std::string& text, std::string_view suffix)
{
    if (!text.ends_with(suffix)) return false;
    text.resize(text.size() - suffix.size());
    return true;
}

FileName parseName(const fs::path& file)
{
    std::string stem = file.filename().string();
    FileName parsed;
    takeSuffix(stem, ".sql");
    if (takeSuffix(stem, ".sqlite"))
        parsed.dialect = Dialect::SQLite;
    else if (takeSuffix(stem, ".postgresql"))
        parsed.dialect = Dialect::PostgreSQL;
    const auto end = std::from_chars(stem.data(), stem.data() + stem.size(), parsed.number).ptr;
    const bool numbered = end == stem.data() + digits && stem.size() > digits + 1 && *end == '_' && parsed.number > 0;
    if (!numbered || !std::all_of(end, static_cast<const char*>(stem.data() + stem.size()), isNameCharacter))
        refuse(file,
               "the name of a migration: expected 0001_what_it_does.sql (four digits from 0001, then a-z, 0-9 and _), or .sqlite.sql and "
               ".postgresql.sql twins of it; rename the file");
    parsed.name = stem.substr(digits + 1);
    return parsed;
}

std::string readFile(const fs::path& file)
{
    auto text = contentOf(file);
    if (!text) refuse(file, "the file cannot be read; check its permissions");
    if (text->find('\0') != std::string::npos) refuse(file, "expected SQL as UTF-8 text, found a zero byte; save the file as text");
    return *std::move(text);
}

/// The files of one number.
struct Candidates
{
    std::string name;
    std::optional<fs::path> common;
    std::map<Dialect, fs::path> twins;
};

void add(Candidates& candidates, const FileName& name, const fs::path& file)
{
    if (!candidates.name.empty() && candidates.name != name.name)
        refuse(file, "found a second migration with this number ('" + candidates.name + "'); give it the next free number");
    candidates.name = name.name;
    if (name.dialect)
        candidates.twins[*name.dialect] = file;
    else
        candidates.common = file;
}

const fs::path& choose(const Candidates& candidates, Dialect dialect)
{
    if (candidates.common)
    {
        if (!candidates.twins.empty())
            refuse(*candidates.common, "expected either this file or .sqlite.sql and .postgresql.sql twins, found both; keep one form");
        return *candidates.common;
    }
    if (auto twin = candidates.twins.find(dialect); twin != candidates.twins.end()) return twin->second;
    refuse(candidates.twins.begin()->second, std::string("expected a twin for ") +
                                                 (dialect == Dialect::SQLite ? "SQLite (.sqlite.sql)" : "PostgreSQL (.postgresql.sql)") +
                                                 ", found none; add it, or rename this file to .sql if it serves both");
}

std::map<std::int64_t, Candidates> candidatesIn(const fs::path& directory)
{
    std::map<std::int64_t, Candidates> byNumber;
    for (const auto& entry : fs::directory_iterator(directory))
    {
        if (entry.path().extension() != ".sql") continue;
        const auto name = parseName(entry.path());
        add(byNumber[name.number], name, entry.path());
    }
    return byNumber;
}

} // namespace

std::vector<Migration> readMigrations(const fs::path& directory, Dialect dialect)
{
    std::vector<Migration> migrations;
    if (!fs::exists(directory)) return migrations;
    std::int64_t expected = 1;
    for (const auto& [number, candidates] : candidatesIn(directory))
    {
        const auto& file = choose(candidates, dialect);
        if (number != expected)
            refuse(file, "expected migration " + std::to_string(expected) + ", found " + std::to_string(number) +
                             "; numbers run from 1 without gaps");
        ++expected;
        auto sql = readFile(file);
        auto sha256 = sha256Hex(sql);
        migrations.push_back({number, candidates.name, file, std::move(sql), std::move(sha256)});
    }
    return migrations;
}

} // namespace portico::host::data
