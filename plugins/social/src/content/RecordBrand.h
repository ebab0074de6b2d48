#pragma once

#include "brands/Brand.h"
#include "common/BrandChoice.h"

#include "portico/Problem.h"

namespace portico::social
{

/// Returns the brand for a path with a record: the one in header or query (2.A.1), or for a bearer without either the record's brand.
/// @throws Problem as `requireBrand`, and 404 when there is no such record
template <class T, class I>
BrandId brandOfRecord(Session& session, const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                      const Table<T, BrandId, I>& table, I T::*key, const I& id)
{
    if (*header || query || caller.credential == CredentialKind::ApiKey) return requireBrand(session, caller, header, query);
    const auto record = table.select(caller.tenant()).where(key, id).first(session);
    if (!record) throw Problem::notFound();
    return record->brandId;
}

} // namespace portico::social
