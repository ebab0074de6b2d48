#include "contacts/ContactService.h"

#include "blobs/BlobSweeper.h"
#include "contacts/ContactDuplicates.h"
#include "contacts/ContactEvents.h"
#include "contacts/ContactRules.h"
#include "data/Locks.h"
#include "data/SqlText.h"
#include "records/CustomField.h"

#include "portico/interfaces/Directory.h"

namespace portico::crm
{

namespace
{

std::vector<PossibleDuplicate> contactsOf(const std::vector<DuplicateMatch>& matches)
{
    std::vector<PossibleDuplicate> contacts;
    for (const auto& match : matches) contacts.push_back(match.contact);
    return contacts;
}

std::string locationOf(const ContactId& id) { return "/api/contacts/" + id.text(); }

} // namespace

ListSettings ContactService::listSettings() const { return {now() - _settings.restorable, _settings.callingCode}; }

Created<Contact> ContactService::create(const Caller& caller, const Query<CreateOptions>& options, const Body<Contact>& body)
{
    const auto tenant = caller.tenant();
    const auto onDuplicate = options->onDuplicate;
    Contact contact = *body;
    if (contact.ownerUserId) checkOwner(tenant, *contact.ownerUserId);
    if (!contact.source) contact.source = caller.credential == CredentialKind::ApiKey ? ContactSource::Api : ContactSource::Manual;
    contact.id = ContactId::make(now());
    contact.createdAt = contact.updatedAt = now();
    contact.createdBy = caller.principalId;

    return _context.database().transact(
        [&](Transaction& transaction) -> Created<Contact>
        {
            complete(contact, nullptr, _settings.callingCode, customFieldsFor(transaction, tenant, contact.customFields));
            if (onDuplicate != OnDuplicate::Allow) lockExclusively(transaction, duplicatesLock, tenant);
            const auto matches = findDuplicates(transaction, tenant, contact);
            if (auto existing = answerDuplicate(transaction, tenant, onDuplicate, matches))
                return {*existing, locationOf(existing->id), true};
            _store.insert(transaction, tenant, contact);
            publishContact(_context.events(), transaction, "created", tenant, contact.id);
            Contact answer = contact;
            answer.pipelines.emplace();
            answer.counts.emplace();
            answer.possibleDuplicates = contactsOf(matches);
            return {std::move(answer), locationOf(contact.id)};
        });
}

std::optional<Contact> ContactService::answerDuplicate(Transaction& transaction, Tenant tenant, OnDuplicate onDuplicate,
                                                       const std::vector<DuplicateMatch>& matches) const
{
    if (onDuplicate == OnDuplicate::Allow || matches.empty() || !matches.front().certain()) return std::nullopt;
    if (onDuplicate == OnDuplicate::Return) return _store.load(transaction, tenant, matches.front().contact.id);
    throw Problem::badRequest("duplicate_contact", "A contact with the same e-mail address, phone number or external id exists.")
        .withDetails("{\"possibleDuplicates\":" + toJson(contactsOf(matches)) + "}");
}

Contact ContactService::update(const Caller& caller, const Path<ContactId>& path, const Body<Patch<Contact>>& body, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    const auto& id = *path;
    const auto& patch = *body;
    checkNewOwner(tenant, id, patch);
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto fields = patch.has("customFields") ? heldCustomFields(transaction, tenant) : CustomFields{};
            const Contact before = _store.require(transaction, tenant, id);
            Contact after = before;
            patch.applyTo(after);
            if (!after.source) after.source = before.source;
            complete(after, &before, _settings.callingCode, fields);
            ifMatch.require(before.version);
            auto changed = changedMembers(before, after);
            if (changed.empty()) return before;
            after.version = before.version + 1;
            after.updatedAt = now();
            _store.update(transaction, tenant, before, after);
            publishContact(_context.events(), transaction, "updated", tenant, id, std::move(changed));
            return after;
        });
}

DeletedContact ContactService::remove(const Caller& caller, const Path<ContactId>& path, const Query<DeleteOptions>& options,
                                      const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    const auto& id = *path;
    if (options->permanent) return purge(caller, id, ifMatch);
    return _context.database().transact(
        [&](Transaction& transaction) -> DeletedContact
        {
            Contact contact = _store.require(transaction, tenant, id);
            ifMatch.require(contact.version);
            contact.deletedAt = contact.updatedAt = now();
            ++contact.version;
            _store.markDeleted(transaction, tenant, contact);
            publishContact(_context.events(), transaction, "deleted", tenant, id);
            return {id, true, *contact.deletedAt + _settings.restorable};
        });
}

DeletedContact ContactService::purge(const Caller& caller, const ContactId& id, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    if (caller.credential == CredentialKind::ApiKey)
        throw Problem::forbidden("bearer_required", "API keys cannot delete contacts permanently.");
    if (!caller.may("crm.contacts:purge")) throw Problem::forbidden();
    return _context.database().transact(
        [&](Transaction& transaction) -> DeletedContact
        {
            ifMatch.require(_store.require(transaction, tenant, id).version);
            _store.erase(transaction, tenant, id, _keepers);
            BlobSweeper::request(_context.jobs(), transaction);
            publishContact(_context.events(), transaction, "deleted", tenant, id);
            return {id, true, std::nullopt};
        });
}

Contact ContactService::restore(const Caller& caller, const Path<ContactId>& path, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    const auto& id = *path;
    return _context.database().transact(
        [&](Transaction& transaction) -> Contact
        {
            auto contact = _store.loadAny(transaction, tenant, id);
            if (!contact || (contact->deletedAt && *contact->deletedAt <= now() - _settings.restorable)) throw Problem::notFound();
            ifMatch.require(contact->version);
            if (!contact->deletedAt) return *std::move(contact);
            contact->deletedAt.reset();
            contact->updatedAt = now();
            ++contact->version;
            _store.unmarkDeleted(transaction, tenant, *contact);
            publishContact(_context.events(), transaction, "restored", tenant, id);
            return *std::move(contact);
        });
}

void ContactService::checkOwner(Tenant tenant, const UserId& owner) const
{
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("validation_unavailable", "Members cannot be looked up at the moment.");
    const auto member = directory->member(tenant, owner.text());
    if (!member || !member->active) throw Problem::invalid("ownerUserId", "unknown_owner", "Not an active member of the organization");
}

void ContactService::checkNewOwner(Tenant tenant, const ContactId& id, const Patch<Contact>& patch) const
{
    const auto& owner = patch.values().ownerUserId;
    if (!owner) return;
    // Checked before the transaction, which must not wait for another service. A former member may stay the owner.
    auto session = _context.database().session();
    const auto current = _store.ownerOf(session, tenant, id);
    if (current && *current != owner->text()) checkOwner(tenant, *owner);
}

std::size_t ContactService::removeExpired(const std::stop_token& stop)
{
    std::size_t removed = 0;
    while (!stop.stop_requested())
    {
        const auto batch = removeExpiredBatch();
        if (batch == 0) break;
        removed += batch;
    }
    return removed;
}

std::size_t ContactService::removeExpiredBatch()
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto end = now() - _settings.restorable;
            const auto organization = transaction.value<std::string>(
                "SELECT organization_id FROM contact WHERE deleted_at <= $1 ORDER BY deleted_at LIMIT 1", end);
            if (!organization) return std::size_t{0};
            const auto tenant = Tenant::fromStored(*organization);
            // Small, so that other writers wait little.
            std::vector<ContactId> expired;
            for (Row row : transaction.query("SELECT id FROM contact WHERE organization_id = $1 AND deleted_at <= $2 ORDER BY deleted_at "
                                             "LIMIT 200" +
                                                 std::string(forUpdate(transaction)),
                                             tenant, end))
                expired.push_back(row.get<ContactId>(0));
            for (const auto& id : expired) _store.erase(transaction, tenant, id, _keepers);
            if (!expired.empty()) BlobSweeper::request(_context.jobs(), transaction);
            return expired.size();
        });
}

} // namespace portico::crm
