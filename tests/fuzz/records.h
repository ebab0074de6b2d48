#pragma once

#include "fuzz/Require.h"

#include "contacts/ContactRules.h"
#include "exchange/Encodings.h"
#include "imports/ImportFormats.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::fuzz
{

/// A file that gives few bytes at a time.
class Pieces final : public crm::ImportFile
{
public:
    Pieces(std::string_view text, std::size_t pieceBytes) : _text(text), _pieceBytes(pieceBytes) {}
    std::uint64_t size() const override { return _text.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) override
    {
        if (offset >= _text.size()) return 0;
        return _text.copy(buffer.data(), std::min(buffer.size(), _pieceBytes), static_cast<std::size_t>(offset));
    }

private:
    std::string_view _text;
    std::size_t _pieceBytes;
};

inline std::optional<crm::ImportPlan> plan(crm::ImportFile& file, const crm::ImportOptions& options)
{
    try
    {
        return crm::planImport(file, options);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

inline std::string textOf(const crm::ParsedRow& record)
{
    std::string text = std::to_string(record.row) + ' ' + std::to_string(record.line) + ' ' + std::to_string(record.next.offset) +
                       toJson(record.contact) + toJson(record.problems) + toJson(record.warnings) + toJson(record.notes);
    for (const auto& cell : record.cells) text += cell;
    return text;
}

/// Properties of every record that the import relies on.
inline void checkRecord(const crm::ParsedRow& record, const crm::ImportPosition& before)
{
    require(record.row == before.row + 1 && record.next.row == record.row);
    require(record.next.offset > before.offset && record.next.line >= before.line);
    require(record.problems.size() <= 20 && record.warnings.size() <= 20);
    require(crm::isUtf8(textOf(record)));
    for (const auto& problem : record.problems) require(!problem.code.empty() && problem.value.size() <= 400);
    if (record.skipped || !record.problems.empty()) return;
    require(crm::hasIdentity(record.contact) && crm::faultsOf(record.contact).empty());
    for (const auto& note : record.notes) require(!note.empty() && note.size() <= 80000);
}

inline std::vector<std::string> readAll(crm::ImportFile& file, const crm::ImportPlan& plan)
{
    std::vector<std::string> texts;
    const auto reader = crm::openImport(file, plan);
    crm::ParsedRow record;
    crm::ImportPosition before{0, plan.dataLine, 0};
    while (reader->next(record))
    {
        checkRecord(record, before);
        before = record.next;
        texts.push_back(textOf(record));
        if (texts.size() > 2) continue;
        // A resumed import continues identically.
        const auto resumed = crm::openImport(file, plan, record.next);
        crm::ParsedRow next;
        texts.push_back(resumed->next(next) ? textOf(next) : "end");
    }
    return texts;
}

/// Reads a file whole and in pieces, which must come to the same.
inline void readFile(std::string_view text, const crm::ImportOptions& options)
{
    crm::ImportText whole(text);
    Pieces pieces(text, 3);
    const auto found = plan(whole, options);
    require(found == plan(pieces, options));
    if (!found) return;
    require(fromJson<crm::ImportPlan>(toJson(*found)) == *found);
    require(readAll(whole, *found) == readAll(pieces, *found));
}

} // namespace portico::fuzz
