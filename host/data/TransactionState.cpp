#include "host/data/TransactionState.h"

#include "host/data/SqlText.h"

namespace portico::host::data
{

bool isRollbackToSavepoint(std::string_view sql) noexcept
{
    auto rest = sql;
    if (!equalsIgnoringCase(takeWord(rest), "ROLLBACK")) return false;
    auto word = takeWord(rest);
    if (equalsIgnoringCase(word, "TRANSACTION") || equalsIgnoringCase(word, "WORK")) word = takeWord(rest);
    return equalsIgnoringCase(word, "TO");
}

void TransactionState::requireNone() const
{
    if (_open)
        throw DatabaseError(DatabaseError::Kind::Other, "25001", {},
                            "a transaction is open already on this session: end it before another begins");
}

void TransactionState::requireSound(std::string_view sql) const
{
    if (!_spoiled || isRollbackToSavepoint(sql)) return;
    throw DatabaseError(_spoiled->kind(), "25P02", {},
                        std::string("the transaction was spoiled by an earlier failure and can only be rolled back: ") + _spoiled->what());
}

void TransactionState::succeeded(std::string_view sql) noexcept
{
    if (_spoiled && isRollbackToSavepoint(sql)) _spoiled.reset();
}

void TransactionState::failed(const DatabaseError& error)
{
    if (_open && !_spoiled) _spoiled.emplace(error);
}

} // namespace portico::host::data
