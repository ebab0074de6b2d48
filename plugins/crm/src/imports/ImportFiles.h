#pragma once

#include "exchange/ImportSource.h"

#include "portico/Request.h"
#include "portico/Response.h"

namespace portico::crm
{

/// A received file as readers of contacts take it.
class ReceivedImportFile final : public ImportFile
{
public:
    explicit ReceivedImportFile(const ReceivedFile& file) noexcept : _file(file) {}
    std::uint64_t size() const override { return _file.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) override { return _file.read(offset, buffer); }

private:
    const ReceivedFile& _file;
};

/// A blob, as readers of contacts take it.
class BlobImportFile final : public ImportFile
{
public:
    explicit BlobImportFile(FileBody body) noexcept : _body(std::move(body)) {}
    std::uint64_t size() const override { return _body.size; }
    /// @throws std::system_error if the disk fails.
    std::size_t read(std::uint64_t offset, std::span<char> buffer) override;

private:
    FileBody _body;
};

} // namespace portico::crm
