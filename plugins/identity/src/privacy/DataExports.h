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

/// Which export a job works on.
struct ExportOrder
{
    UserId userId;
    ExportId exportId;
};

constexpr auto schemaOf(const ExportOrder*) { return describe(members<&ExportOrder::userId, &ExportOrder::exportId>()); }

/// Tells somebody that their file is there.
struct ExportMail
{
    std::string link;
};

constexpr auto schemaOf(const ExportMail*) { return describe(field<&ExportMail::link>()); }

/// Makes the files in which people get what is kept of them: a job asks identity and every service in turn and writes as it reads, so that
/// memory does not grow with it. One export of a person runs at a time; the file is there for seven days. Thread-safe.
class DataExports
{
public:
    /// Where a browser gets the file; the id follows.
    static constexpr std::string_view page = "/account-export/";

    DataExports(Core& core, OwnRecords& own) : _core(core), _own(own), _mail(core.mails.bind<ExportMail>("export-ready")) {}
    void start();

    /// The export that runs for them, or a new one; what they had before goes.
    ExportId request(Transaction& transaction, const User& user, const Client& client);
    std::optional<DataExport> find(const UserId& user, std::string_view id) const;
    /// The file of one that is ready. Empty: there is none.
    std::optional<FileBody> open(const DataExport& made) const;
    /// Removes the files of those that have expired.
    void sweep();
    /// Removes all of somebody who is deleted.
    void forget(const UserId& user);

private:
    void run(const ExportOrder& order, const Job& job);
    void gaveUp(const ExportOrder& order, const Job& job, std::string_view error);
    /// Every service that has to answer is here. @throws JobRetry
    std::vector<std::string> requireKeepers(const ExportOrder& order);
    Blobs::Stored write(const ExportOrder& order, const interfaces::Person& person, const std::vector<std::string>& services);
    void finish(const ExportOrder& order, const User& user, const Blobs::Stored& stored);
    void removeFiles(std::string_view which, const SqlValue& value);

    Core& _core;
    OwnRecords& _own;
    MailTemplate<ExportMail> _mail;
};

} // namespace portico::identity
