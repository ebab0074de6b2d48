#include "imports/ImportRun.h"

#include "data/Locks.h"
#include "imports/DryRunContacts.h"
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

ImportRun::ImportRun(const ImportTools& tools, std::string organizationId, ImportState state)
    : _tools(tools),
      _organizationId(std::move(organizationId)),
      _state(std::move(state)),
      _owners(tools.context.services(), _organizationId)
{
}

ImportRun::~ImportRun() = default;

bool ImportRun::step()
{
    switch (_state.phase)
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
    _state = _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            const auto current = _tools.imports.load(transaction, tenant(), _state.importId);
            if (!current || current->version != _state.version) throw ImportOvertaken();
            ImportState state = _state;
            work(transaction, state);
            ++state.version;
            state.updatedAt = now();
            _tools.imports.update(transaction, tenant(), state);
            return state;
        });
}

void ImportRun::open()
{
    // It may have read on before a transaction that failed, and a check is followed by another look at the whole file.
    if (_reader && _rowsRead == _state.positionRow) return;
    auto body = _state.blobKey ? _tools.context.blobs().open(*_state.blobKey) : std::nullopt;
    if (!body) throw ImportFileGone();
    _file = std::make_unique<BlobImportFile>(*std::move(body));
    _reader = openImport(*_file, _state.plan, _state.position());
    _rowsRead = _state.positionRow;
}

void ImportRun::readBatch()
{
    _batch.count = 0;
    _batch.last = false;
    const auto start = static_cast<std::uint64_t>(_state.positionOffset);
    for (std::uint64_t end = start; _batch.count < rowsPerTransaction && end - start < bytesPerTransaction;)
    {
        if (_batch.rows.size() == _batch.count) _batch.rows.emplace_back();
        auto& row = _batch.rows[_batch.count];
        if (!_reader->next(row.parsed))
        {
            _batch.last = true;
            return;
        }
        end = row.parsed.next.offset;
        _rowsRead = row.parsed.row;
        ++_batch.count;
    }
}

void ImportRun::findOwner(ImportRow& row)
{
    auto& parsed = row.parsed;
    auto& owner = parsed.contact.ownerUserId;
    if (parsed.skipped || !parsed.problems.empty() || _state.options.ownerUserId) return;
    if (parsed.ownerEmail.empty() && !owner) return;
    const auto& name = parsed.ownerEmail.empty() ? owner->text() : parsed.ownerEmail;
    const std::string field = parsed.ownerEmail.empty() ? "ownerUserId" : "ownerEmail";
    auto found = parsed.ownerEmail.empty() ? _owners.byId(*owner) : _owners.byEmail(parsed.ownerEmail);
    if (found)
        owner = std::move(found);
    else
        parsed.problems.push_back(
            {std::string(columnOf(_state.plan, field)), field, "unknown_owner", "Not an active member of the organization", name});
}

ImportRules ImportRun::rules(const CustomFields& fields) const
{
    const auto& country = _state.options.defaultCountry;
    return {_state.options,  _state.plan, country.empty() ? std::string_view(_tools.settings.callingCode) : callingCode(country),
            _state.fileName, fields,      _tools.attachments.settings().perContact};
}

void ImportRun::prepareBatch(const CustomFields& fields)
{
    const auto common = rules(fields);
    for (std::size_t i = 0; i < _batch.count; ++i)
    {
        auto& row = _batch.rows[i];
        if (row.parsed.row > _tools.settings.rows) row.parsed.problems = {limitReached(_tools.settings.rows)};
        prepare(row, common);
    }
}

void ImportRun::runBatch()
{
    // All that needs no writer comes before the transaction: others wait for it.
    const auto rowsBefore = _state.positionRow;
    open();
    readBatch();
    for (std::size_t i = 0; i < _batch.count; ++i) findOwner(_batch.rows[i]);
    {
        auto session = _tools.context.database().session();
        _fields = customFields(session, tenant());
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
    if (needsStatistics(rowsBefore, _state.positionRow)) refreshStatistics(_tools.context.database());
}

void ImportRun::stagePhotos()
{
    const bool none = std::none_of(_batch.rows.begin(), _batch.rows.begin() + static_cast<std::ptrdiff_t>(_batch.count),
                                   [](const ImportRow& row) { return row.hasPhoto; });
    if (none || _state.phase != ImportPhase::Store) return;
    std::vector<ImportRow*> wanted;
    {
        auto snapshot = _tools.context.database().snapshot();
        auto scope = scopeOf(snapshot, _state, nullptr);
        scope.readsOnly = true;
        DatabaseContacts stored(scope);
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
        row.photo = _tools.attachments.stagePhoto(tenant(), _state.createdBy, row.parsed.photo->bytes);
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
            return change([this](Transaction& transaction, ImportState& state) { writeBatch(transaction, state); });
        }
        catch (const ImportRace&)
        {
            if (race == mostRaces) throw;
        }
        catch (const AtomicFailure&)
        {
            return change([](Transaction&, ImportState& state) { state.phase = ImportPhase::Revert; });
        }
    }
}

void ImportRun::writeBatch(Transaction& transaction, ImportState& state)
{
    const bool stores = state.phase == ImportPhase::Store;
    keepFields(transaction);
    if (stores) lockExclusively(transaction, duplicatesLock, tenant());

    const auto stage = holdStage(_tools, transaction, tenant(), state.options);
    const auto scope = scopeOf(transaction, state, stage ? &*stage : nullptr);
    DatabaseContacts stored(scope);
    DryRunContacts checked(scope);
    const auto common = rules(_fields);
    ImportBatch contacts(stores ? static_cast<ImportTables&>(stored) : checked);
    contacts.lookUp({_batch.rows.data(), _batch.count}, common);
    ImportRowStep step(contacts, scope, common);
    std::vector<ImportErrorRow> refused;
    for (std::size_t i = 0; i < _batch.count; ++i) takeRow(state, _batch.rows[i], step, refused);
    if (stores && state.options.atomic && state.failed > 0) throw AtomicFailure();
    contacts.write();
    _tools.imports.insertErrors(transaction, tenant(), state.importId, refused);
    if (_batch.count > 0) state.moveTo(_batch.rows[_batch.count - 1].parsed.next);
    if (_batch.last) endOfFile(transaction, state);
}

void ImportRun::keepFields(Transaction& transaction)
{
    CustomValues values;
    for (std::size_t i = 0; i < _batch.count && values.empty(); ++i) values = _batch.rows[i].made.customFields;
    auto fields = customFieldsFor(transaction, tenant(), values);
    if (fields == _fields) return;
    _fields = std::move(fields);
    prepareBatch(_fields);
    if (_state.phase == ImportPhase::Store)
        for (std::size_t i = 0; i < _batch.count; ++i) _batch.rows[i].hasPhoto = _batch.rows[i].photo.has_value();
}

ImportScope ImportRun::scopeOf(Transaction& transaction, const ImportState& state, const ImportStage* stage) const
{
    return {transaction, tenant(), state.importId, _tools.contacts, _tools.imports, _tools.attachments, state.createdBy, now(), stage};
}

void ImportRun::takeRow(ImportState& state, ImportRow& row, ImportRowStep& step, std::vector<ImportErrorRow>& refused) const
{
    auto error = count(state, row, step.run(row));
    // A file of nothing but line ends must not fill the database.
    if (error && error->fileRow <= 2 * _tools.settings.rows) refused.push_back(*std::move(error));
}

void ImportRun::endOfFile(Transaction& transaction, ImportState& state) const
{
    const bool store = state.phase == ImportPhase::Check && !state.dryRun && state.failed == 0;
    if (store)
    {
        state.phase = ImportPhase::Store;
        state.startOver();
        _tools.imports.removeErrors(transaction, tenant(), state.importId);
        return;
    }
    finish(state, now());
    announce(_tools.context.events(), transaction, tenant(), state);
}

void ImportRun::revertSome()
{
    UndoCursor next;
    change(
        [&](Transaction& transaction, ImportState& state)
        {
            const auto step = undoSome(_tools, transaction, tenant(), state, _undone, UndoMode::AsIfNeverMade);
            next = step.next;
            if (step.next.done) state.phase = ImportPhase::Recheck;
        });
    _undone = std::move(next);
}

void ImportRun::clearSome()
{
    if (_state.phase == ImportPhase::Clear && _state.blobKey) _tools.context.blobs().remove(*_state.blobKey);
    change(
        [this](Transaction& transaction, ImportState& state)
        {
            state.blobKey = state.phase == ImportPhase::Clear ? std::nullopt : state.blobKey;
            if (_tools.imports.removeChecked(transaction, tenant(), state.importId, removedPerTransaction)) return;
            if (state.phase == ImportPhase::Clear)
            {
                state.phase = ImportPhase::Done;
                return;
            }
            if (_tools.imports.removeKept(transaction, tenant(), state.importId, removedPerTransaction)) return;
            state.startOver();
            state.phase = ImportPhase::Check;
        });
}

} // namespace portico::crm
