#pragma once

#include "portico/Database.h"

#include <optional>
#include <string_view>

namespace portico::host::data
{

/// What has become of a connection's transaction. On both engines a failed statement spoils its transaction, as PostgreSQL has it: code
/// that was tried on SQLite behaves the same in production. `ROLLBACK TO` a savepoint repairs it.
class TransactionState
{
public:
    bool isOpen() const noexcept { return _open; }
    bool isSpoiled() const noexcept { return _spoiled.has_value(); }

    /// @throws DatabaseError 25001 when one is open already.
    void requireNone() const;
    /// @throws DatabaseError 25P02, of the kind of the first failure, when the transaction was spoiled and `sql` does not repair it.
    void requireSound(std::string_view sql) const;
    void opened() noexcept { _open = true; }
    void ended() noexcept
    {
        _open = false;
        _spoiled.reset();
    }
    /// A statement ran well.
    void succeeded(std::string_view sql) noexcept;
    /// A statement failed; without an open transaction nothing is spoiled.
    void failed(const DatabaseError& error);

private:
    bool _open = false;
    std::optional<DatabaseError> _spoiled;
};

/// True for `ROLLBACK TO …` in any case.
bool isRollbackToSavepoint(std::string_view sql) noexcept;

} // namespace portico::host::data
