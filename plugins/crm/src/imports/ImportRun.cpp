#include "imports/ImportRun.h"

#include "data/Locks.h"
#include "imports/CheckedContacts.h"
#include "imports/ImportBatch.h"
#include "imports/ImportTally.h"
#include "imports/ImportUndo.h"
#include "imports/TableStatistics.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t rowsPerTransaction = 500;
/// A transaction is shorter where rows are long, so that memory stays bounded.
constexpr std::uint64_t bytesPerTransaction = 4 * 1024 * 1024;
constexpr std::int64_t removedPerTransaction = 2000;
constexpr int mostRaces = 5;

/// A row of an atomic import failed although it had passed the check.
struct AtomicFailure
{
};

ImportProblem limitReached(std::int64_t rows)
{
    return {{}, {}, "limit_reached", "Only the first " + std::to_string(rows) + " rows of a file are imported", {}};
}

} // namespace

ImportRun::ImportRun(const ImportTools& tools, std::string organizationId, ImportRecord record)
    : _tools(tools),
      _organizationId(std::move(organizationId)),
      _record(std::move(record)),
      _owners(tools.context.services(), _organizationId)
{
}

ImportRun::~ImportRun() = default;

bool ImportRun::step()
{
    switch (_record.phase)
    {
    case ImportPhase::Check:
    case ImportPhase::Store:
        runBatch();
        return true;
    case ImportPhase::Revert:
        revertSome();
        return true;
    case ImportPhase::Recheck:
    case ImportPhase::Clear:
        clearSome();
        return true;
    case ImportPhase::Done:
        break;
    }
    return false;
}

template <class F>
void ImportRun::change(F&& work)
{
    _record = _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            const auto current = _tools.imports.load(transaction, tenant(), _record.importId);
            if (!current || current->version != _record.version) throw ImportOvertaken();
            ImportRecord record = _record;
            work(transaction, record);
            ++record.version;
            record.updatedAt = now();
            _tools.imports.update(transaction, tenant(), record);
            return record;
        });
}

void ImportRun::open()
{
    // It may have read on before a transaction that failed, and a check is followed by another look at the whole file.
    if (_reader && _rowsRead == _record.positionRow) return;
    auto body = _record.blobKey ? _tools.context.blobs().open(*_record.blobKey) : std::nullopt;
    if (!body) throw ImportFileGone();
    _file = std::make_unique<BlobImportFile>(*std::move(body));
    _reader = openImport(*_file, _record.plan, _record.position());
    _rowsRead = _record.positionRow;
}

void ImportRun::readBatch()
{
    _batch.count = 0;
    _batch.last = false;
    const auto start = static_cast<std::uint64_t>(_record.positionOffset);
    for (std::uint64_t end = start; _batch.count < rowsPerTransaction && end - start < bytesPerTransaction;)
    {
        if (_batch.rows.size() == _batch.count) _batch.rows.emplace_back();
        auto& row = _batch.rows[_batch.count];
        if (!_reader->next(row.record))
        {
            _batch.last = true;
            return;
        }
        end = row.record.next.offset;
        _rowsRead = row.record.row;
        ++_batch.count;
    }
}

void ImportRun::findOwner(ImportRow& row)
{
    auto& record = row.record;
    auto& owner = record.contact.ownerUserId;
    if (record.skipped || !record.problems.empty() || _record.options.ownerUserId) return;
    if (record.ownerEmail.empty() && !owner) return;
    const auto& name = record.ownerEmail.empty() ? owner->text() : record.ownerEmail;
    const std::string field = record.ownerEmail.empty() ? "ownerUserId" : "ownerEmail";
    auto found = record.ownerEmail.empty() ? _owners.byId(*owner) : _owners.byEmail(record.ownerEmail);
    if (found)
        owner = std::move(found);
    else
        record.problems.push_back(
            {std::string(columnOf(_record.plan, field)), field, "unknown_owner", "Not an active member of the organization", name});
}

ImportRules ImportRun::rules(const CustomFields& fields) const
{
    const auto& country = _record.options.defaultCountry;
    return {_record.options,  _record.plan, country.empty() ? std::string_view(_tools.settings.callingCode) : callingCode(country),
            _record.fileName, fields,       _tools.attachments.settings().perContact};
}

void ImportRun::prepareBatch(const CustomFields& fields)
{
    const auto common = rules(fields);
    for (std::size_t i = 0; i < _batch.count; ++i)
    {
        auto& row = _batch.rows[i];
        if (row.record.row > _tools.settings.rows) row.record.problems = {limitReached(_tools.settings.rows)};
        prepare(row, common);
    }
}

void ImportRun::runBatch()
{
    // All that needs no writer comes before the transaction: others wait for it.
    const auto rowsBefore = _record.positionRow;
    open();
    readBatch();
    for (std::size_t i = 0; i < _batch.count; ++i) findOwner(_batch.rows[i]);
    {
        auto session = _tools.context.database().session();
        _fields = _tools.fields.all(session, tenant());
    }
    prepareBatch(_fields);
    stagePhotos();
    try
    {
        storeBatch();
    }
    catch (...)
    {
        discardPhotos(true);
        throw;
    }
    discardPhotos(false);
    if (needsStatistics(rowsBefore, _record.positionRow)) refreshStatistics(_tools.context.database());
}

void ImportRun::stagePhotos()
{
    const bool none = std::none_of(_batch.rows.begin(), _batch.rows.begin() + static_cast<std::ptrdiff_t>(_batch.count),
                                   [](const ImportRow& row) { return row.hasPhoto; });
    if (none || _record.phase != ImportPhase::Store) return;
    std::vector<ImportRow*> wanted;
    {
        auto snapshot = _tools.context.database().snapshot();
        auto scope = scopeOf(snapshot, _record, nullptr);
        scope.readsOnly = true;
        StoredContacts stored(scope);
        const auto common = rules(_fields);
        ImportRowStep step(stored, scope, common);
        for (std::size_t i = 0; i < _batch.count; ++i)
            if (auto& row = _batch.rows[i]; row.hasPhoto && row.problems.empty() && step.canUsePhoto(row)) wanted.push_back(&row);
    }
    for (auto* row : wanted) stagePhoto(*row);
    for (std::size_t i = 0; i < _batch.count; ++i) _batch.rows[i].hasPhoto = _batch.rows[i].photo.has_value();
}

void ImportRun::stagePhoto(ImportRow& row)
{
    try
    {
        row.photo = _tools.attachments.stagePhoto(tenant(), _record.createdBy, row.record.photo->bytes);
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 413) throw;
        row.warnings.push_back({{}, "photoAttachmentId", "limit_reached", "There is no room left for the photo", {}});
    }
}

void ImportRun::discardPhotos(bool all) noexcept
{
    for (std::size_t i = 0; i < _batch.count; ++i)
    {
        auto& row = _batch.rows[i];
        if (row.photo && (all || !row.photoUsed)) _tools.attachments.discard(tenant(), *row.photo);
        row.photo.reset();
    }
}

void ImportRun::storeBatch()
{
    for (int race = 1;; ++race)
    {
        try
        {
            return change([this](Transaction& transaction, ImportRecord& record) { writeBatch(transaction, record); });
        }
        catch (const ImportRace&)
        {
            if (race == mostRaces) throw;
        }
        catch (const AtomicFailure&)
        {
            return change([](Transaction&, ImportRecord& record) { record.phase = ImportPhase::Revert; });
        }
    }
}

void ImportRun::writeBatch(Transaction& transaction, ImportRecord& record)
{
    const bool stores = record.phase == ImportPhase::Store;
    keepFields(transaction);
    if (stores) lockExclusively(transaction, duplicatesLock, tenant());

    const auto stage = holdStage(_tools, transaction, tenant(), record.options);
    const auto scope = scopeOf(transaction, record, stage ? &*stage : nullptr);
    StoredContacts stored(scope);
    CheckedContacts checked(scope);
    const auto common = rules(_fields);
    ImportBatch contacts(stores ? static_cast<ImportTables&>(stored) : checked);
    contacts.lookUp({_batch.rows.data(), _batch.count}, common);
    ImportRowStep step(contacts, scope, common);
    std::vector<ImportErrorRow> refused;
    for (std::size_t i = 0; i < _batch.count; ++i) takeRow(record, _batch.rows[i], step, refused);
    if (stores && record.options.atomic && record.failed > 0) throw AtomicFailure();
    contacts.write();
    _tools.imports.insertErrors(transaction, tenant(), record.importId, refused);
    if (_batch.count > 0) record.moveTo(_batch.rows[_batch.count - 1].record.next);
    if (_batch.last) endOfFile(transaction, record);
}

void ImportRun::keepFields(Transaction& transaction)
{
    CustomValues values;
    for (std::size_t i = 0; i < _batch.count && values.empty(); ++i) values = _batch.rows[i].made.customFields;
    auto fields = _tools.fields.forContact(transaction, tenant(), values);
    if (fields == _fields) return;
    _fields = std::move(fields);
    prepareBatch(_fields);
    if (_record.phase == ImportPhase::Store)
        for (std::size_t i = 0; i < _batch.count; ++i) _batch.rows[i].hasPhoto = _batch.rows[i].photo.has_value();
}

ImportScope ImportRun::scopeOf(Transaction& transaction, const ImportRecord& record, const ImportStage* stage) const
{
    return {transaction, tenant(), record.importId, _tools.contacts, _tools.imports, _tools.attachments, record.createdBy, now(), stage};
}

void ImportRun::takeRow(ImportRecord& record, ImportRow& row, ImportRowStep& step, std::vector<ImportErrorRow>& refused) const
{
    auto error = count(record, row, step.run(row));
    // A file of nothing but line ends must not fill the database.
    if (error && error->fileRow <= 2 * _tools.settings.rows) refused.push_back(*std::move(error));
}

void ImportRun::endOfFile(Transaction& transaction, ImportRecord& record) const
{
    const bool store = record.phase == ImportPhase::Check && !record.dryRun && record.failed == 0;
    if (store)
    {
        record.phase = ImportPhase::Store;
        record.startOver();
        _tools.imports.removeErrors(transaction, tenant(), record.importId);
        return;
    }
    finish(record, now());
    announce(_tools.context.events(), transaction, tenant(), record);
}

void ImportRun::revertSome()
{
    UndoCursor next;
    change(
        [&](Transaction& transaction, ImportRecord& record)
        {
            const auto step = undoSome(_tools, transaction, tenant(), record, _undone, UndoMode::AsIfNeverMade);
            next = step.next;
            if (step.next.done) record.phase = ImportPhase::Recheck;
        });
    _undone = std::move(next);
}

void ImportRun::clearSome()
{
    if (_record.phase == ImportPhase::Clear && _record.blobKey) _tools.context.blobs().remove(*_record.blobKey);
    change(
        [this](Transaction& transaction, ImportRecord& record)
        {
            record.blobKey = record.phase == ImportPhase::Clear ? std::nullopt : record.blobKey;
            if (_tools.imports.removeChecked(transaction, tenant(), record.importId, removedPerTransaction)) return;
            if (record.phase == ImportPhase::Clear)
            {
                record.phase = ImportPhase::Done;
                return;
            }
            if (_tools.imports.removeKept(transaction, tenant(), record.importId, removedPerTransaction)) return;
            record.startOver();
            record.phase = ImportPhase::Check;
        });
}

} // namespace portico::crm
