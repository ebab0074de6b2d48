#pragma once

#include "imports/ImportFormats.h"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

/// File that is read in small pieces, so that every boundary is split somewhere.
class PiecewiseText final : public crm::ImportFile
{
public:
    PiecewiseText(std::string_view text, std::size_t pieceBytes) : _text(text), _pieceBytes(pieceBytes) {}
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

/// All records of a file.
inline std::vector<crm::ParsedRow> readAll(crm::ImportFile& file, const crm::ImportPlan& plan, const crm::ImportPosition& from = {})
{
    std::vector<crm::ParsedRow> records;
    const auto reader = crm::openImport(file, plan, from);
    crm::ParsedRow record;
    while (reader->next(record)) records.push_back(record);
    return records;
}

/// Describes a record like the corpus does: only members with a value.
boost::json::object summaryOf(const crm::ParsedRow& record);

/// Describes the result of a file, one record a line: its plan and records, or the problem that rejected it.
std::string reportOf(crm::ImportFile& file, const crm::ImportOptions& options, const crm::ImportHints& hints);

} // namespace portico::tests
