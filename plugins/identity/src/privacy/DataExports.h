#pragma once

#include "common/Core.h"
#include "common/Requests.h"
#include "mails/Mails.h"
#include "privacy/DataExport.h"
#include "privacy/OwnRecords.h"
#include "users/User.h"

#include "portico/Jobs.h"

namespace portico::identity
{

/// Payload of an export job.
struct ExportOrder
{
    UserId userId;
    ExportId exportId;
};

constexpr auto schemaOf(const ExportOrder*) { return describe(members<&ExportOrder::userId, &ExportOrder::exportId>()); }

/// Mail about a finished export.
struct ExportMail
{
    std::string link;
};

constexpr auto schemaOf(const ExportMail*) { return describe(field<&ExportMail::link>()); }

/// Creates data exports. A job asks identity and every service in turn and streams the records, so that memory is bounded. Only one export
/// of a user runs at a time. The file is available for seven days. Thread-safe.
class DataExports
{
public:
    /// Path of the download page, followed by the id.
    static constexpr std::string_view page = "/account-export/";

    DataExports(Core& core, OwnRecords& own) : _core(core), _own(own), _mail(core.mails.bind<ExportMail>("export-ready")) {}
    void start();

    /// Returns the user's running export, or starts a new one and deletes earlier ones.
    ExportId request(Transaction& transaction, const User& user, const Client& client);
    std::optional<DataExport> find(const UserId& user, std::string_view id) const;
    /// Opens the file of a finished export; none if it does not exist.
    std::optional<FileBody> open(const DataExport& made) const;
    /// Removes the files of expired exports.
    void sweep();
    /// Removes all exports of a deleted user.
    void forget(const UserId& user);

private:
    void run(const ExportOrder& order, const Job& job);
    void gaveUp(const ExportOrder& order, const Job& job, std::string_view error);
    /// Requires that every service with personal data is available. @throws JobRetry
    std::vector<std::string> requireKeepers(const ExportOrder& order);
    Blobs::Stored write(const ExportOrder& order, const interfaces::Person& person, const std::vector<std::string>& services);
    void finish(const ExportOrder& order, const User& user, const Blobs::Stored& stored);
    void removeFiles(std::string_view which, const SqlValue& value);

    Core& _core;
    OwnRecords& _own;
    MailTemplate<ExportMail> _mail;
};

} // namespace portico::identity
