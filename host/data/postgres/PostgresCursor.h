#pragma once

#include "portico/Database.h"

#include <libpq-fe.h>

#include <memory>
#include <string>

namespace portico::host::data
{

struct ClearResult
{
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, ClearResult>;

/// Rows of PostgreSQL. They are all in memory, so other statements may run meanwhile; what is large is read in pages.
class PostgresCursor final : public portico::detail::Cursor
{
public:
    explicit PostgresCursor(PostgresResult result) : _result(std::move(result)), _rows(PQntuples(_result.get())) {}

    bool next() override { return _row < _rows && ++_row < _rows; }
    int columnCount() const noexcept override { return PQnfields(_result.get()); }
    std::string_view columnName(int column) const noexcept override { return PQfname(_result.get(), column); }
    bool isNull(int column) const noexcept override { return PQgetisnull(_result.get(), _row, column) != 0; }
    std::int64_t integer(int column) const override;
    double number(int column) const override;
    bool boolean(int column) const override;
    std::string_view text(int column) const override;
    std::string bytes(int column) const override;

private:
    PostgresResult _result;
    int _rows;
    int _row = -1;
};

} // namespace portico::host::data
