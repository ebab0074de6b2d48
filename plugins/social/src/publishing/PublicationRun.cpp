#include "publishing/PublicationRun.h"

#include "content/MediaRefs.h"
#include "content/PostCheck.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <span>
#include <utility>

namespace portico::social
{

namespace
{
/// Number of waits after which each further wait that a network requests uses an attempt.
constexpr std::int64_t maxAttemptsWithoutUse = 50;

double randomJitter()
{
    const auto bytes = randomBytes(2);
    const auto value = static_cast<unsigned char>(bytes[0]) << 8 | static_cast<unsigned char>(bytes[1]);
    return value / 32767.5 - 1;
}

FailureCode failureCodeOf(const PublicationFault& fault)
{
    if (fault.code == "text_too_long") return FailureCode::TextTooLong;
    if (fault.code == "media_too_large") return FailureCode::MediaTooLarge;
    return fault.field == "mediaIds" ? FailureCode::MediaRejected : FailureCode::PlatformError;
}

AttemptEnd endOf(const StepOutcome& outcome)
{
    AttemptEnd end;
    if (outcome.httpStatus > 0) end.httpStatus = outcome.httpStatus;
    end.platformCode = outcome.platformCode;
    end.message = firstCharacters(outcome.message, 500);
    end.requestDigest = outcome.requestDigest;
    return end;
}

/// Identifies an account at its network. A hash, because the URL of a webhook is a secret. A DID is the same at every server.
std::string identityOf(const NetworkAccount& account)
{
    const bool isDid = account.externalId.starts_with("did:");
    return sha256({isDid ? std::string_view() : std::string_view(account.serverUrl), " ", account.externalId}).hex();
}
} // namespace

PublicationRun::PublicationRun(const PublishingParts& parts, const Tenant& tenant, Lease lease, std::string worker)
    : _parts(parts), _lease(std::move(lease)), _held{tenant, _lease.item.brandId, _lease.item.contentId, std::move(worker)}
{
}

template <class F>
bool PublicationRun::write(const F& work) const
{
    return _parts.context.database().transact([&](Transaction& transaction) { return work(transaction); });
}

void PublicationRun::run(const std::stop_token& stop)
{
    _stop = stop;
    _network = _parts.networks.find(_lease.item.platform);
    if (_network == nullptr) return fail(FailureCode::PlatformNotReady, "This server cannot publish to the network.", false);
    if (!readProgress()) return;
    // Verify before the account is opened: a fault of the account would end the attempt, and the next one would send again.
    // An edit may have chosen another account, where nothing has to be verified.
    if (_progress.revision == _lease.item.revision && mustVerify()) return loseTrack({});
    if (!openAccount()) return;
    if (mustVerify()) return loseTrack({});
    if (!prepare()) return;
    if (_lease.work == Lease::Work::Verify) return verify();
    if (_lease.item.integrationId)
        _parts.budgets.take(*_network, *_lease.item.integrationId,
                            static_cast<std::int64_t>(_progress.steps.size() - std::min(_progress.results.size(), _progress.steps.size())));
    while (!_progress.isDone())
    {
        if (stop.stop_requested()) return release();
        if (!markSending()) return;
        const auto outcome = perform();
        if (wasCut(outcome)) return release();
        if (!handle(outcome)) return;
    }
    finish();
}

void PublicationRun::renewLease() const
{
    write([&](Transaction& transaction) { return _parts.publications.renew(transaction, _held, publishingLease); });
}

void PublicationRun::giveBack() const
{
    write([&](Transaction& transaction) { return _parts.publications.giveBack(transaction, _held); });
}

/// Returns true if the call has no answer because this worker stops. It is then not counted as an attempt, if it may be repeated.
bool PublicationRun::wasCut(const StepOutcome& outcome) const
{
    return _stop.stop_requested() && outcome.httpStatus == 0 && (outcome.kind == Kind::Retry || outcome.kind == Kind::PerhapsSent) &&
           _network->repetition() != Repetition::Never;
}

bool PublicationRun::readProgress()
{
    if (!_lease.item.progress) return true;
    try
    {
        _progress = fromStoredJson<Progress>(*_lease.item.progress);
        // An earlier version did not store it.
        if (!_progress.sendingSince) _progress.sendingSince = _progress.firstAttemptAt;
        // The attempt of the vanished worker has begun no step of this revision.
        if (_lease.work == Lease::Work::Resume && _progress.revision != _lease.item.revision) _lease.work = Lease::Work::Publish;
        return true;
    }
    catch (const Problem&)
    {
        fail(FailureCode::Internal, "The stored steps of the publication cannot be read.", false);
        return false;
    }
}

/// Returns true if the network may already have performed the next step, and a repetition could publish it twice.
bool PublicationRun::mustVerify() const
{
    if (_lease.work == Lease::Work::Verify || !_progress.sending || _progress.isDone()) return false;
    if (_lease.work == Lease::Work::Resume && _network->repetition() == Repetition::Never) return true;
    // An upload without a post is invisible.
    if (_progress.next().kind != "post") return false;
    const auto now = _parts.context.clock().now();
    if (_network->repetition() == Repetition::ForAWhile && now - _progress.sendingSince.value_or(now) > _network->repeatsFor()) return true;
    // The network would accept the edited text as another post.
    return _lease.work == Lease::Work::Publish && _progress.revision != _lease.item.revision && !_network->recognizesRevisions();
}

bool PublicationRun::openAccount()
{
    if (_lease.item.integrationId) _opened = _parts.accounts.fresh(_held.tenant, _held.brandId, *_lease.item.integrationId);
    const bool gone = _opened.state == OpenedAccount::State::NotConnected;
    if (!gone)
    {
        auto account = identityOf(_opened.account);
        // Steps of an earlier version name no account. They are kept: a second post would be worse than a thread that continues here.
        if (!_progress.account.empty() && _progress.account != account) _progress = {};
        _progress.account = std::move(account);
    }
    if (_opened.state == OpenedAccount::State::Ready) return true;
    const std::string_view why = gone ? "The account must be reconnected." : "The network could not be reached to refresh the tokens.";
    if (_lease.work == Lease::Work::Verify)
    {
        stayUnsure(std::nullopt);
        return false;
    }
    if (gone)
        fail(FailureCode::ReconnectRequired, why, false);
    else
        retryOrFail(StepOutcome::retry(FailureCode::NetworkUnreachable, why));
    return false;
}

bool PublicationRun::prepare()
{
    if (!_progress.steps.empty() && (_progress.revision == _lease.item.revision || _lease.work != Lease::Work::Publish)) return true;
    auto publication = publicationOf(_lease.item, _lease.brand);
    const auto complete = [&]
    {
        auto session = _parts.context.database().session();
        return addFiles(session, _held.tenant, _lease.item, &_parts.links, _parts.context.clock().now(), publication);
    }();
    if (!complete)
    {
        fail(FailureCode::MediaMissing, "A file of the post was deleted.", false);
        return false;
    }
    if (!fitFiles(publication)) return false;
    if (const auto faults = _network->faults(publication, &_opened.account.credentials); !faults.empty())
    {
        fail(failureCodeOf(faults.front()), faults.front().message, false);
        return false;
    }
    Progress fresh;
    fresh.revision = _lease.item.revision;
    fresh.account = _progress.account;
    try
    {
        fresh.steps = _network->prepare(publication, _opened.account, _parts.context.clock().now());
    }
    catch (const std::exception& error)
    {
        logFault(error);
        retryOrFail(StepOutcome::retry(FailureCode::Internal, "This server could not prepare the post."));
        return false;
    }
    if (fresh.steps.empty())
    {
        fail(FailureCode::PlatformNotReady, "This server cannot publish to the network.", false);
        return false;
    }
    _progress = continued(_progress, std::move(fresh));
    return true;
}

bool PublicationRun::fitFiles(Publication& publication)
try
{
    const auto limits = _network->limits(&_opened.account.credentials);
    for (auto& part : publication.parts)
        for (auto& file : part.files)
        {
            const auto wanted = copyNeeded(file, limits);
            if (!wanted) continue;
            const auto copy = _parts.copies.require(_held.tenant, _held.brandId, file, *wanted);
            // Each of them may take a third of a lease.
            if (!write([&](Transaction& transaction) { return _parts.publications.renew(transaction, _held, publishingLease); }))
                return false;
            // The network reports the problem of the original file.
            if (!copy.fault.empty()) continue;
            file.blobKey = copy.blobKey;
            file.contentType = copy.contentType;
            file.size = copy.size;
            file.width = copy.width;
            file.height = copy.height;
            file.url =
                _parts.links.fetchUrl(file.mediaId, variantOf(*wanted), file.blobKey, file.contentType, _parts.context.clock().now());
        }
    return true;
}
catch (const HelperFault& fault)
{
    logFault(fault);
    retryOrFail(StepOutcome::retry(FailureCode::Internal, "This server could not make a smaller copy of a picture."));
    return false;
}

StepCall PublicationRun::call(std::optional<Instant> firstAttemptAt) const
{
    const auto now = _parts.context.clock().now();
    return {_progress.next(),
            _progress.results,
            std::span(_progress.steps).first(_progress.results.size()),
            _opened.account,
            firstAttemptAt.value_or(now),
            now,
            _stop};
}

std::string PublicationRun::progressText() const { return toJson(_progress); }

bool PublicationRun::markSending()
{
    const auto now = _parts.context.clock().now();
    _wasUnknown = std::exchange(_progress.sending, true);
    if (!_wasUnknown) _progress.sendingSince = now;
    if (!_progress.firstAttemptAt) _progress.firstAttemptAt = now;
    auto held = _parts.context.database().transact(
        [&](Transaction& transaction) { return _parts.publications.beginStep(transaction, _held, publishingLease, progressText()); });
    return *held == 1;
}

void PublicationRun::logFault(const std::exception& error) const
{
    _parts.context.logger().error("publishing failed in this server", {{"content", _held.contentId.text()}, {"error", error.what()}});
}

LookUp PublicationRun::look() const
{
    try
    {
        return _network->lookUp(call(_progress.sendingSince));
    }
    catch (const std::exception& error)
    {
        logFault(error);
        return {.kind = LookUp::Kind::Unknown, .message = "This server could not send the request to the network."};
    }
}

StepOutcome PublicationRun::performOnce()
{
    try
    {
        return _network->perform(call(_progress.firstAttemptAt));
    }
    catch (const std::exception& error)
    {
        logFault(error);
        StepOutcome outcome;
        outcome.kind = Kind::PerhapsSent;
        outcome.message = "This server could not complete the step.";
        return outcome;
    }
}

StepOutcome PublicationRun::perform()
{
    auto outcome = performOnce();
    if (outcome.kind != Kind::AuthRefused) return outcome;
    const auto& account = *_lease.item.integrationId;
    _opened = _parts.accounts.refreshed(_held.tenant, _held.brandId, account, _opened.integration);
    if (_opened.state == OpenedAccount::State::Unreachable)
    {
        outcome.kind = Kind::Retry;
        outcome.code = FailureCode::NetworkUnreachable;
        outcome.message = "The network rejected the token, and it could not be refreshed.";
        return outcome;
    }
    if (_opened.state == OpenedAccount::State::Ready)
    {
        outcome = performOnce();
        if (outcome.kind != Kind::AuthRefused) return outcome;
        _parts.accounts.markDead(_held.tenant, _held.brandId, account, Doer::system(), "The network rejected the refresh of the tokens.");
    }
    outcome.kind = Kind::Failed;
    outcome.code = FailureCode::ReconnectRequired;
    outcome.message = "The network no longer grants access. Reconnect the account.";
    return outcome;
}

void PublicationRun::complete(StepResult result)
{
    _progress.results.push_back(std::move(result));
    _progress.sending = false;
    _progress.firstAttemptAt.reset();
    _progress.sendingSince.reset();
}

bool PublicationRun::handle(const StepOutcome& outcome)
{
    switch (outcome.kind)
    {
    case Kind::Done:
        complete(outcome.result);
        if (_progress.isDone())
        {
            write(
                [&](Transaction& transaction)
                {
                    return _parts.publications.saveProgress(transaction, _held, progressText()) &&
                           _parts.publications.succeed(transaction, _held, *publishedOf(_progress), endOf(outcome));
                });
            return false;
        }
        return true;
    case Kind::PerhapsSent:
        if (_network->repetition() == Repetition::Never)
            loseTrack(endOf(outcome));
        else
            retryOrFail(outcome);
        return false;
    case Kind::Retry:
        // The network has rejected this request, but it may have accepted an earlier one.
        _progress.sending = _wasUnknown;
        retryOrFail(outcome);
        return false;
    case Kind::Failed:
    case Kind::AuthRefused:
        _progress.sending = _wasUnknown;
        setBack(outcome, std::nullopt, true, false);
        return false;
    }
    return false;
}

void PublicationRun::retryOrFail(const StepOutcome& outcome)
{
    const auto now = _parts.context.clock().now();
    if (outcome.notBefore && _lease.item.integrationId) _parts.budgets.pause(*_lease.item.integrationId, *outcome.notBefore);
    if (outcome.notBefore && _lease.item.totalAttempts < maxAttemptsWithoutUse) return setBack(outcome, outcome.notBefore, false, true);
    const auto next = Publications::nextAttempt(_lease.item, now, randomJitter());
    if (next || !_progress.sending || _network->repetition() != Repetition::ForAWhile) return setBack(outcome, next, true, true);
    // The last attempt had no answer: the network may have the post all the same.
    auto looked = look();
    if (looked.kind == LookUp::Kind::Found)
    {
        complete(std::move(looked.result));
        if (_progress.isDone()) return finish();
        return release();
    }
    auto last = outcome;
    if (looked.kind == LookUp::Kind::Unknown)
    {
        // A user decides now: a confirmed retry sends the step.
        _progress.sending = false;
        last.code = FailureCode::OutcomeUnknown;
    }
    setBack(last, std::nullopt, true, looked.kind == LookUp::Kind::Absent);
}

void PublicationRun::finish()
{
    write(
        [&](Transaction& transaction)
        {
            return _parts.publications.saveProgress(transaction, _held, progressText()) &&
                   _parts.publications.succeed(transaction, _held, publishedOf(_progress).value_or(PublishResult{}), {});
        });
}

/// Releases the item between two steps.
void PublicationRun::release()
{
    write(
        [&](Transaction& transaction) {
            return _parts.publications.saveProgress(transaction, _held, progressText()) && _parts.publications.giveBack(transaction, _held);
        });
}

void PublicationRun::setBack(const StepOutcome& outcome, std::optional<Instant> next, bool usesAttempt, bool retryable)
{
    Setback setback;
    setback.failure.code = outcome.code;
    setback.failure.message = firstCharacters(outcome.message, 500);
    if (outcome.httpStatus > 0) setback.failure.platformStatus = outcome.httpStatus;
    setback.failure.platformCode = outcome.platformCode;
    if (!_progress.isDone() && _progress.steps.back().part > 0) setback.failure.part = _progress.next().part;
    setback.failure.retryable = retryable;
    setback.nextAttemptAt = next;
    setback.usesAttempt = usesAttempt;
    write(
        [&](Transaction& transaction)
        {
            if (!_progress.steps.empty() && !_parts.publications.saveProgress(transaction, _held, progressText())) return false;
            return _parts.publications.setBack(transaction, _held, setback, endOf(outcome), publishedOf(_progress));
        });
}

void PublicationRun::fail(FailureCode code, std::string_view message, bool retryable)
{
    setBack(StepOutcome::failed(code, message), std::nullopt, true, retryable);
}

void PublicationRun::stayUnsure(std::optional<Instant> notBefore)
{
    const auto soon = _parts.context.clock().now() + std::chrono::minutes(1);
    write([&](Transaction& transaction)
          { return _parts.publications.unsure(transaction, _held, std::max(notBefore.value_or(soon), soon)); });
}

/// Leaves the outcome of the next step to look-ups, and then to a user. The item's state `verifying` then records the unknown outcome
/// instead of `sending`.
void PublicationRun::loseTrack(const AttemptEnd& end)
{
    _progress.sending = false;
    write(
        [&](Transaction& transaction) {
            return _parts.publications.saveProgress(transaction, _held, progressText()) &&
                   _parts.publications.loseTrack(transaction, _held, end);
        });
}

void PublicationRun::verify()
{
    const auto now = _parts.context.clock().now();
    if (_progress.isDone()) return finish();
    auto looked = look();
    if (looked.kind == LookUp::Kind::Absent)
    {
        write([&](Transaction& transaction) { return _parts.publications.absent(transaction, _held); });
        return;
    }
    if (looked.kind == LookUp::Kind::Unknown)
    {
        stayUnsure(looked.notBefore);
        return;
    }
    complete(std::move(looked.result));
    if (!_progress.isDone() || _progress.revision != _lease.item.revision)
        // The next part of the thread follows at once. An edit may have added parts.
        return setBack(StepOutcome::retry(FailureCode::PlatformError, "The network did not respond, but the part was found."), now, false,
                       true);
    write(
        [&](Transaction& transaction)
        {
            return _parts.publications.saveProgress(transaction, _held, progressText()) &&
                   _parts.publications.found(transaction, _held, *publishedOf(_progress));
        });
}

} // namespace portico::social
