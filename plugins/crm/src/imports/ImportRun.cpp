#include "imports/ImportRun.h"

#include "data/Locks.h"
#include "imports/ImportBatch.h"
#include "imports/ImportFiles.h"
#include "imports/ImportFormats.h"
#include "imports/ImportSample.h"
#include "imports/ImportStore.h"
#include "imports/TableStatistics.h"
#include "text/PhoneNumber.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// Rows that are read and made ready together, and at most are one transaction.
constexpr std::size_t rowsTogether = 500;
/// Limits the rows of a transaction by their bytes, which bounds memory.
constexpr std::uint64_t bytesTogether = 4 * 1024 * 1024;
/// Number of rows after which a transaction ends if another one waits. SQLite has one writer for all organizations.
constexpr std::size_t rowsWhileAwaited = 100;
constexpr std::int64_t removedPerTransaction = 2000;
constexpr int maxRaces = 5;

/// Thrown if a row of an atomic import fails although it has passed the check.
struct AtomicFailure
{
};

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
        runRows();
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
            return changeImport(transaction, tenant(), _state.importId, now(),
                                [&](ImportState& state)
                                {
                                    if (state.version != _state.version) throw ImportOvertaken();
                                    work(transaction, state);
                                });
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

void ImportRun::readRows()
{
    if (_memory.empty()) _memory.resize(rowsTogether);
    const auto start = static_cast<std::uint64_t>(_state.positionOffset);
    std::size_t count = 0;
    _last = false;
    for (std::uint64_t end = start; count < rowsTogether && end - start < bytesTogether; ++count)
    {
        auto& parsed = _memory[count].parsed;
        _last = !_reader->next(parsed);
        if (_last) break;
        end = parsed.next.offset;
        _rowsRead = parsed.row;
    }
    _rows = std::span(_memory).first(count);
}

void ImportRun::findOwner(ImportRow& row)
{
    auto& parsed = row.parsed;
    auto& owner = parsed.contact.ownerUserId;
    const bool isRejected = !std::all_of(parsed.problems.begin(), parsed.problems.end(), isForNewContacts);
    if (parsed.skipped || isRejected || _state.options.ownerUserId) return;
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

ImportRules ImportRun::rules() const
{
    const auto& country = _state.options.defaultCountry;
    return {_state.options,  _state.plan, country.empty() ? std::string_view(_tools.settings.callingCode) : callingCode(country),
            _state.fileName, _fields,     _tools.attachments.settings().perContact};
}

void ImportRun::prepareRows()
{
    const auto most = _tools.settings.rows;
    const auto common = rules();
    for (auto& row : _rows)
    {
        if (row.parsed.row > most)
            row.parsed.problems = {
                {{}, {}, "limit_reached", "Only the first " + std::to_string(most) + " rows of a file are imported", {}}};
        prepare(row, common);
    }
}

void ImportRun::runRows()
{
    // All that needs no writer comes before the transactions: others wait for it.
    const auto rowsBefore = _state.positionRow;
    const auto phase = _state.phase;
    open();
    readRows();
    for (auto& row : _rows) findOwner(row);
    {
        auto session = _tools.context.database().session();
        _fields = customFields(session, tenant());
    }
    prepareRows();
    stagePhotos();
    try
    {
        auto rows = _rows;
        do rows = rows.subspan(storeSome(rows));
        while (!rows.empty() && _state.phase == phase);
    }
    catch (...)
    {
        discardPhotos();
        throw;
    }
    discardPhotos();
    if (needsStatistics(rowsBefore, _state.positionRow)) refreshStatistics(_tools.context.database());
}

void ImportRun::stagePhotos()
{
    if (_state.phase != ImportPhase::Store || std::none_of(_rows.begin(), _rows.end(), [](const auto& row) { return row.hasPhoto; }))
        return;
    std::vector<ImportRow*> wanted;
    {
        auto snapshot = _tools.context.database().snapshot();
        const ImportScope scope{_tools, snapshot, tenant(), _state, now(), std::nullopt, true};
        ImportBatch contacts(databaseContacts(scope));
        for (auto& row : _rows)
            if (row.hasPhoto && row.problems.empty() && canUsePhoto(row, contacts, scope, rules())) wanted.push_back(&row);
    }
    for (auto* row : wanted) stagePhoto(*row);
    for (auto& row : _rows) row.hasPhoto = row.photo.has_value();
}

void ImportRun::stagePhoto(ImportRow& row)
{
    row.photoUsed = false;
    try
    {
        row.photo = _tools.attachments.stagePhoto(tenant(), _state.createdBy, row.parsed.photo->bytes);
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 413) throw;
        row.warnings.push_back({{}, "photoAttachmentId", "limit_reached", "The storage quota does not allow the photo", {}});
    }
}

void ImportRun::discardPhotos() noexcept
{
    for (auto& row : _rows)
    {
        if (row.photo && !row.photoUsed) _tools.attachments.discard(tenant(), *row.photo);
        row.photo.reset();
    }
}

std::size_t ImportRun::storeSome(std::span<ImportRow> rows)
{
    for (int race = 1;; ++race)
    {
        std::size_t count = 0;
        try
        {
            change([&](Transaction& transaction, ImportState& state) { count = writeSome(transaction, state, rows); });
            return count;
        }
        catch (const ImportRace&)
        {
            if (race == maxRaces) throw;
        }
        catch (const AtomicFailure&)
        {
            for (auto& row : rows) row.photoUsed = false;
            change([](Transaction&, ImportState& state) { state.phase = ImportPhase::Revert; });
            return 0;
        }
        catch (...)
        {
            for (auto& row : rows) row.photoUsed = false;
            throw;
        }
    }
}

std::size_t ImportRun::writeSome(Transaction& transaction, ImportState& state, std::span<ImportRow> rows)
{
    const bool stores = state.phase == ImportPhase::Store;
    keepFields(transaction, rows);
    if (stores) lockExclusively(transaction, duplicatesLock, tenant());

    ImportScope scope{_tools, transaction, tenant(), state, now()};
    scope.holdStage();
    const auto common = rules();
    ImportBatch contacts(stores ? databaseContacts(scope) : dryRunContacts(scope));
    std::vector<ImportErrorRow> refused;
    std::size_t done = 0;
    do {
        const auto some = rows.subspan(done, std::min(rowsWhileAwaited, rows.size() - done));
        contacts.lookUp(some, common);
        for (auto& row : some)
        {
            const auto result = takeRow(row, contacts, scope, common);
            if (wantsSample(state)) state.sample.push_back(sampleOf(row, result, scope));
            auto error = count(state, row, result);
            // A file of nothing but line ends must not fill the database.
            if (error && error->fileRow <= 2 * _tools.settings.rows) refused.push_back(*std::move(error));
        }
        if (stores && state.options.atomic && state.failed > 0) throw AtomicFailure();
        contacts.write();
        done += some.size();
    } while (done < rows.size() && !transaction.isAwaited());
    importErrorTable.insertMany(transaction, tenant(), refused);
    if (done > 0) state.moveTo(rows[done - 1].parsed.next);
    if (_last && done == rows.size()) endOfFile(transaction, state);
    return done;
}

void ImportRun::keepFields(Transaction& transaction, std::span<const ImportRow> rows)
{
    const auto found = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return !row.made.customFields.empty(); });
    auto fields = customFieldsFor(transaction, tenant(), found == rows.end() ? CustomValues() : found->made.customFields);
    if (fields == _fields) return;
    _fields = std::move(fields);
    prepareRows();
    if (_state.phase == ImportPhase::Store)
        for (auto& row : _rows) row.hasPhoto = row.photo.has_value();
}

void ImportRun::endOfFile(Transaction& transaction, ImportState& state) const
{
    const bool store = state.phase == ImportPhase::Check && !state.dryRun && state.failed == 0;
    if (store)
    {
        state.phase = ImportPhase::Store;
        state.startOver();
        importErrorTable.select(tenant()).where(&ImportErrorRow::importId, state.importId).remove(transaction);
        return;
    }
    finish(state, now());
    announce(_tools.context.events(), transaction, tenant(), "completed", state);
}

void ImportRun::revertSome()
{
    UndoCursor next;
    change(
        [&](Transaction& transaction, ImportState& state)
        {
            next = undoSome({_tools, transaction, tenant(), state, now()}, _undone, UndoMode::AsIfNeverMade).next;
            if (next.done) state.phase = ImportPhase::Recheck;
        });
    _undone = std::move(next);
}

void ImportRun::clearSome()
{
    if (_state.phase == ImportPhase::Clear && _state.blobKey && !_state.fileUntil) _tools.context.blobs().remove(*_state.blobKey);
    change(
        [this](Transaction& transaction, ImportState& state)
        {
            if (state.phase == ImportPhase::Clear && !state.fileUntil) state.blobKey.reset();
            if (removeChecked(transaction, tenant(), state.importId, removedPerTransaction)) return;
            if (state.phase == ImportPhase::Clear)
            {
                state.phase = ImportPhase::Done;
                return;
            }
            if (removeKept(transaction, tenant(), state.importId, removedPerTransaction)) return;
            state.startOver();
            state.phase = ImportPhase::Check;
        });
}

} // namespace portico::crm
