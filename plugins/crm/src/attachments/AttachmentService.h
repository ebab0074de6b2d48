#pragma once

#include "contacts/ContactStore.h"

#include "portico/Arguments.h"
#include "portico/Caller.h"
#include "portico/Plugin.h"

#include <functional>
#include <optional>
#include <string_view>

namespace portico::crm
{

/// Limits of attachments, as they were when the plugin started.
struct AttachmentSettings
{
    std::uint64_t maxBytes = 25 * 1024 * 1024;
    std::int64_t perContact = 200;
    /// Quota of one organization; 0: the host's limit.
    std::uint64_t quotaBytes = 0;
};

AttachmentSettings readAttachmentSettings(const Config& config);

/// Creates and deletes attachments. Bytes are written outside of transactions, which stay short. `stage` makes a durable blob; `attach`
/// makes it an attachment in a transaction. A staged blob that is never attached is removed an hour later, also after a crash. Thread-safe.
class AttachmentService
{
public:
    /// Maximum size of a photo for `stagePhoto`.
    static constexpr std::size_t photoBytes = 1024 * 1024;

    AttachmentService(PluginContext& context, AttachmentSettings settings) : _context(context), _settings(settings) {}

    const AttachmentSettings& settings() const noexcept { return _settings; }

    /// @throws Problem 400 (too many), 404, 413
    Attachment create(const Caller& caller, const ContactId& contactId, const IncomingFile& file);
    /// Also clears the contact's photo if this was it.
    /// @param check called with the locked attachment; may reject the removal
    /// @throws Problem 404
    Deleted<AttachmentId> remove(const Caller& caller, const AttachmentId& id, const std::function<void(const Attachment&)>& check);

    /// Writes the bytes; call it outside of a transaction. The attachment belongs to no contact yet. @throws Problem 413
    Attachment stage(Tenant tenant, std::string_view createdBy, const IncomingFile& file);
    /// `stage` for a contact's photo; empty for bytes that are no picture or more than `photoBytes`.
    std::optional<Attachment> stagePhoto(Tenant tenant, std::string_view createdBy, std::string_view bytes);
    /// Assigns a staged attachment to a contact that exists in the transaction. The caller publishes the event and sets
    /// `photoAttachmentId`. Changes nothing if it throws a Problem.
    /// @throws Problem 400, 404, 503 if it was staged too long ago
    void attach(Transaction& transaction, Tenant tenant, const ContactId& contactId, Attachment& staged) const;
    /// Has a staged attachment removed that will not be attached.
    void discard(Tenant tenant, const Attachment& staged) noexcept;

private:
    /// Writes the event `crm.attachment.<what>` in the transaction of the change.
    void publish(Session& session, std::string_view what, Tenant tenant, const AttachmentId& id, const ContactId& contact) const;
    void requireRoom(Tenant tenant, const ContactId& contactId, std::uint64_t size) const;
    void requireQuota(Tenant tenant, std::uint64_t more) const;
    void requireFewer(std::int64_t count) const;
    Blobs::Stored store(Tenant tenant, const ReceivedFile& content);
    void dropPhoto(Transaction& transaction, Tenant tenant, const Attachment& attachment) const;
    Instant now() const { return _context.clock().now(); }

    PluginContext& _context;
    ContactStore _contacts;
    AttachmentSettings _settings;
};

} // namespace portico::crm
