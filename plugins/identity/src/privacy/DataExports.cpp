#include "privacy/DataExports.h"

#include "audit/Audit.h"
#include "privacy/Keepers.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view exportJob = "identity.data-export";
constexpr std::chrono::hours fileLife{7 * 24};

/// Writes the one document of an export, record by record.
class ExportDocument
{
public:
    ExportDocument(Blobs::Writer& writer, std::string_view userId, Instant now) : _writer(writer)
    {
        _pending = R"({"userId":")" + std::string(userId) + R"(","exportedAt":")" + toString(now) + R"(","records":[)";
    }

    void add(std::string_view serviceId, std::string_view kind, std::string_view json)
    {
        _pending += _any ? ",\n{\"service_id\":" : "\n{\"service_id\":";
        _any = true;
        appendJsonString(_pending, serviceId);
        _pending += ",\"kind\":";
        appendJsonString(_pending, kind);
        _pending += ",\"record\":";
        _pending += json;
        _pending += '}';
        if (_pending.size() >= pieceBytes) flush();
    }
    void close()
    {
        _pending += "\n]}\n";
        flush();
    }

private:
    static constexpr std::size_t pieceBytes = 64 * 1024;
    void flush()
    {
        _writer.write(_pending);
        _pending.clear();
    }

    Blobs::Writer& _writer;
    std::string _pending;
    bool _any = false;
};

} // namespace

void DataExports::start()
{
    _core.context.jobs().handle(exportJob, &DataExports::run, this);
    _core.context.jobs().onFailure(exportJob, &DataExports::gaveUp, this);
}

ExportId DataExports::request(Transaction& transaction, const User& user, const Client& client)
{
    const auto now = _core.clock.now();
    // The row of the account, so that of two who ask at once one waits.
    transaction.execute("UPDATE users SET updated_at = updated_at WHERE id = $1", user.id);
    if (const auto running = transaction.value<ExportId>("SELECT id FROM data_exports WHERE user_id = $1 AND status = 'running'", user.id))
        return *running;
    dataExportTable.select(user.id).where(&DataExport::status, DataExportStatus::Ready).set(transaction, &DataExport::expiresAt, now);
    DataExport made;
    made.id = ExportId::make(now);
    made.createdAt = now;
    dataExportTable.insert(transaction, user.id, made);
    _core.context.jobs().enqueue(transaction, exportJob, ExportOrder{user.id, made.id});
    AuditLog::ofUser(client, user.id, now).record(transaction, "user.export_requested", user.id, {{"exportId", made.id}});
    return made.id;
}

std::optional<DataExport> DataExports::find(const UserId& user, std::string_view id) const
{
    const auto parsed = ExportId::parse(id);
    if (!parsed) return std::nullopt;
    auto session = _core.database.session();
    auto found = dataExportTable.find(session, user, *parsed);
    if (found && found->status == DataExportStatus::Ready && _core.clock.now() >= found->expiresAt.value_or(Instant{}))
        found->status = DataExportStatus::Expired;
    return found;
}

std::optional<FileBody> DataExports::open(const DataExport& made) const
{
    if (made.status != DataExportStatus::Ready || !made.blobKey) return std::nullopt;
    return _core.context.blobs().open(*made.blobKey);
}

void DataExports::run(const ExportOrder& order, const Job&)
{
    const auto user = [&]
    {
        auto session = _core.database.session();
        const auto made = dataExportTable.find(session, order.userId, order.exportId);
        return made && made->status == DataExportStatus::Running ? users::find(session, order.userId.text()) : std::nullopt;
    }();
    if (!user || user->status == UserStatus::Deleted) return;
    const auto services = requireKeepers(order);
    auto person = _core.read([&](Session& session)
                             { return keepers::person(session, order.userId.text(), user->emailVerified ? user->email : std::string()); });
    finish(order, *user, write(order, person, services));
}

std::vector<std::string> DataExports::requireKeepers(const ExportOrder& order)
{
    auto& services = _core.context.services();
    const auto all = _core.read([&](Session& session) { return keepers::all(services, session); });
    std::vector<std::string> away;
    for (const auto& id : all)
        if (!keepers::find(services, id)) away.push_back(id);
    _core.database.transact([&](Transaction& transaction)
                            { dataExportTable.set(transaction, order.userId, order.exportId, &DataExport::waitingFor, away); });
    if (!away.empty()) throw JobRetry::after(keepers::awayWait, keepers::whyWaiting(away)).uncounted();
    return all;
}

Blobs::Stored DataExports::write(const ExportOrder& order, const interfaces::Person& person, const std::vector<std::string>& services)
{
    auto writer = _core.context.blobs().create(order.userId.text());
    const auto before = _core.database.transact(
        [&](Transaction& transaction)
        {
            auto row = dataExportTable.require(transaction, order.userId, order.exportId);
            const auto changed = dataExportTable.select(order.userId)
                                     .where(&DataExport::id, order.exportId)
                                     .where(&DataExport::status, DataExportStatus::Running)
                                     .set(transaction, &DataExport::blobKey, writer->key());
            // A concurrent attempt has finished; its file stays.
            return changed == 0 ? std::optional<std::string>() : row.blobKey;
        });
    // Removes the file of an earlier, interrupted attempt.
    if (before) _core.context.blobs().remove(*before);
    ExportDocument document(*writer, order.userId.text(), _core.clock.now());
    const auto receiverOf = [&](std::string_view service)
    { return [&document, service](std::string_view kind, std::string_view json) { document.add(service, kind, json); }; };
    _own.give(person, receiverOf(identityServiceId));
    for (const auto& id : services)
    {
        const auto service = keepers::find(_core.context.services(), id);
        if (!service) throw JobRetry::after(keepers::awayWait, keepers::whyWaiting({id})).uncounted();
        service->give(person, receiverOf(id));
    }
    document.close();
    return writer->commit();
}

void DataExports::finish(const ExportOrder& order, const User& user, const Blobs::Stored& stored)
{
    const bool kept = _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto changed =
                dataExportTable.select(order.userId)
                    .where(&DataExport::id, order.exportId)
                    .where(&DataExport::status, DataExportStatus::Running)
                    .where(&DataExport::blobKey, stored.key)
                    .set(transaction, &DataExport::status, DataExportStatus::Ready, &DataExport::sizeBytes,
                         static_cast<std::int64_t>(stored.size), &DataExport::readyAt, now, &DataExport::expiresAt, now + fileLife);
            if (changed == 0) return false;
            _mail.send(transaction, mailRecipient(user), {_core.origin + std::string(page) + order.exportId.text()});
            AuditLog::ofUser({}, order.userId, now).record(transaction, "user.exported", order.userId, {{"exportId", order.exportId}});
            return true;
        });
    // The account was deleted, or another attempt with a separate file has begun.
    if (!kept) _core.context.blobs().remove(stored.key);
}

void DataExports::gaveUp(const ExportOrder& order, const Job&, std::string_view)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            dataExportTable.select(order.userId)
                .where(&DataExport::id, order.exportId)
                .where(&DataExport::status, DataExportStatus::Running)
                .set(transaction, &DataExport::status, DataExportStatus::Failed, &DataExport::expiresAt, _core.clock.now());
        });
}

void DataExports::sweep() { removeFiles("expires_at <= $1", SqlValue(_core.clock.now())); }

void DataExports::forget(const UserId& user)
{
    removeFiles("user_id = $1", SqlValue(user));
    _core.database.transact([&](Transaction& transaction) { dataExportTable.select(user).remove(transaction); });
}

void DataExports::removeFiles(std::string_view which, const SqlValue& value)
{
    std::vector<std::pair<ExportId, std::string>> files;
    {
        auto session = _core.database.session();
        for (Row row : session.queryValues("SELECT id, blob_key FROM data_exports WHERE blob_key IS NOT NULL AND " + std::string(which),
                                           std::vector<SqlValue>{value}))
            files.emplace_back(row.get<ExportId>(0), row.get<std::string>(1));
    }
    for (const auto& file : files)
    {
        _core.context.blobs().remove(file.second);
        _core.database.transact(
            [&](Transaction& transaction)
            {
                transaction.execute("UPDATE data_exports SET status = CASE WHEN status = 'ready' THEN 'expired' ELSE status END, "
                                    "blob_key = NULL WHERE id = $1 AND blob_key = $2",
                                    file.first, file.second);
            });
    }
}

} // namespace portico::identity
