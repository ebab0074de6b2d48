#include "crm/FakeContext.h"

#include <stdexcept>

namespace portico::tests
{

namespace
{

class NoLease final : public LeaseHandle
{
};

std::map<std::string, std::string, std::less<>> withDefaults(std::map<std::string, std::string, std::less<>> settings)
{
    settings.emplace("crm.contacts.restorableDays", "30");
    settings.emplace("crm.currency", "EUR");
    settings.emplace("crm.phones.countryCode", "");
    return settings;
}

} // namespace

void FakeEvents::publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data)
{
    session.execute("INSERT INTO test_event (organization_id, type, data) VALUES ($1, $2, $3)", organizationId, type, data);
    if (failing.exchange(false)) throw std::runtime_error("the outbox failed");
}

std::optional<interfaces::DirectoryMember> FakeDirectory::member(std::string_view organizationId, std::string_view userId)
{
    const auto found = members.find({std::string(organizationId), std::string(userId)});
    if (found == members.end()) return std::nullopt;
    interfaces::DirectoryMember member;
    member.userId = userId;
    member.active = found->second;
    return member;
}

std::unique_ptr<LeaseHandle> FakeServices::findInterface(std::string_view name, ServiceInterface*& found)
{
    if (name != interfaces::Directory::interfaceName || !directoryPresent) return nullptr;
    found = &directory;
    return std::make_unique<NoLease>();
}

FakeContext::FakeContext(Database& database, std::map<std::string, std::string, std::less<>> settings)
    : _database(database), _config(withDefaults(std::move(settings)))
{
    _host.serviceId = "crm";
    _host.serviceVersion = "0.1.0";
}

void FakeContext::notUsed() { throw std::logic_error("the CRM asked for a part of its context that these tests do not give"); }

} // namespace portico::tests
