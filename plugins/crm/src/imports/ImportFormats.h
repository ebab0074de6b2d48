#pragma once

#include "exchange/ImportSource.h"

#include <memory>
#include <string_view>

namespace portico::crm
{

/// The request's own description of a file.
struct ImportHints
{
    std::string_view contentType = {};
    std::string_view fileName = {};
};

/// Looks a file through and decides how to read it. May read all of it (dates, encodings), never keeps more than a piece.
/// @throws Problem 400 `validation_failed` about `file` with `empty_file`, `no_header`, `unsupported_format`, `too_many_columns` (over 200)
/// or `not_decodable`, about `mapping.<column>` with `unknown_column` or `unknown_option` (a path that contacts do not have).
ImportPlan planImport(ImportFile& file, const ImportOptions& options, const ImportHints& hints = {});

/// `from`: the `next` of the last record that was dealt with; the default reads from the start. File and plan must outlive the reader.
std::unique_ptr<ImportReader> openImport(ImportFile& file, const ImportPlan& plan, const ImportPosition& from = {});

} // namespace portico::crm
