#pragma once

#include "portico/Crypto.h"
#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// One-time secrets of one kind that are rows of a table: they survive a restart, and are listed and revoked. A row has the digest of its
/// secret. The verbs are those of `OneTimeSecrets`, in the caller's transaction: a secret is redeemed exactly if what it opens has
/// happened. Thread-safe. @tparam Owner id of the organization or household that has the row
template <class T, class State, class Open, class Owner = std::string>
class OneTimeRows
{
public:
    /// @param digest column of the digest @param state member that has the value `open` until the secret is redeemed
    constexpr OneTimeRows(std::string_view table, std::string_view digest, State T::*state, Open open)
        : _table(table), _digest(digest), _state(state), _open(open)
    {
    }
    /// @param owner member outside the Schema, which `look` and `find` fill from this column
    constexpr OneTimeRows(std::string_view table, std::string_view digest, State T::*state, Open open, std::string_view ownerColumn,
                          Owner T::*owner)
        : _table(table), _digest(digest), _state(state), _open(open), _ownerColumn(ownerColumn), _owner(owner)
    {
    }

    /// Makes a secret of 256 bits in base64url. The caller stores the digest in a row.
    static std::string issue(std::string& digest)
    {
        auto secret = randomToken();
        digest = sha256(secret).hex();
        return secret;
    }
    /// Returns the row of a secret, redeemed or not.
    std::optional<T> look(Session& session, std::string_view secret) const { return read(session, _digest, sha256(secret).hex()); }
    /// Returns a row by its id, which is not a secret.
    std::optional<T> find(Session& session, std::string_view id) const { return read(session, "id", id); }
    /// Sets columns of a row that is open. Returns true to one of several callers. @param row selects it by its id
    template <class... A>
    bool redeem(Transaction& transaction, Select<T>& row, const Stamp& stamp, const A&... changes) const
    {
        return row.where(_state, _open).set(transaction, stamp, changes...) == 1;
    }

private:
    std::optional<T> read(Session& session, std::string_view column, std::string_view key) const
    {
        std::string sql("SELECT ");
        if (_owner) (sql += _ownerColumn) += ", ";
        ((((sql += columns<T>()) += " FROM ") += _table) += " WHERE ") += column;
        auto rows = session.query(sql += " = $1", key);
        const auto row = rows.next();
        if (!row) return std::nullopt;
        auto record = row->template as<T>();
        if (_owner) record.*_owner = row->template get<Owner>(0);
        return record;
    }

    std::string_view _table, _digest;
    State T::*_state;
    Open _open;
    std::string_view _ownerColumn;
    Owner T::*_owner = nullptr;
};

} // namespace portico::identity
