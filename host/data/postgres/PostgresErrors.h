#pragma once

#include "portico/Database.h"

#include <libpq-fe.h>

#include <string_view>

namespace portico::host::data
{

/// The class of an SQLSTATE.
DatabaseError::Kind kindOfSqlState(std::string_view sqlState) noexcept;

/// What a failed result says. Its detail and hint stay out: they quote the values of rows.
DatabaseError postgresError(const PGconn* connection, const PGresult* result, std::string_view sql);

/// An error of this layer.
DatabaseError postgresError(std::string_view sqlState, std::string_view message, std::string_view sql);

} // namespace portico::host::data
