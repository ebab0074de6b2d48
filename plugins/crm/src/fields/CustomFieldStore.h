#pragma once

#include "fields/CustomField.h"
#include "fields/CustomValues.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// The rows of custom fields. Every statement names the organization. A field that is being removed, because many contacts still have its
/// values, keeps its row until they are gone, and is not there for anybody else. Holds SQL only, so one object serves all threads.
class CustomFieldStore
{
public:
    CustomFieldStore();

    Page<CustomField> list(Session& session, Tenant tenant, const Paging& paging) const;
    /// The field for changing: no other writer changes it until the transaction ends.
    std::optional<CustomField> load(Transaction& transaction, Tenant tenant, const CustomFieldId& id) const;
    /// All fields of the organization.
    CustomFields all(Session& session, Tenant tenant) const;
    /// What `complete` of a new contact needs to know, for the transaction that writes the contact: the fields by which its values are
    /// checked, which stay until the transaction ends.
    CustomFields forContact(Transaction& transaction, Tenant tenant, const CustomValues& values) const;
    /// The same for a transaction that writes values of contacts that there are. To be called before it locks one of them.
    CustomFields forContacts(Transaction& transaction, Tenant tenant) const;

    /// Keeps fields from being made and removed, here and by others, until the transaction ends: waits for contacts that are being written
    /// with custom values.
    void lock(Transaction& transaction, Tenant tenant) const;
    /// How many there are.
    std::size_t count(Session& session, Tenant tenant) const;
    /// Behind all others.
    std::int64_t nextPosition(Session& session, Tenant tenant) const;
    /// Whether a field has or had this key and contacts may have values of it.
    enum class KeyUse
    {
        Free,
        Taken,
        BeingRemoved
    };
    KeyUse useOf(Session& session, Tenant tenant, std::string_view key) const;

    void insert(Transaction& transaction, Tenant tenant, const CustomField& field) const;
    void update(Transaction& transaction, Tenant tenant, const CustomField& field) const;
    void erase(Transaction& transaction, Tenant tenant, const CustomFieldId& id) const;
    void markRemoved(Transaction& transaction, Tenant tenant, const CustomFieldId& id, Instant now) const;
    /// Key of a field that is being removed, or empty.
    std::optional<std::string> keyOfRemoved(Session& session, Tenant tenant, const CustomFieldId& id) const;

private:
    std::string _columns;
};

} // namespace portico::crm
