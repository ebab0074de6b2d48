#include "signin/CodeRedemption.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <charconv>

namespace portico::identity
{

namespace
{

constexpr auto usedCodesAreKept = std::chrono::hours(24);
/// An expired code is distinguished from an unknown one for this long.
constexpr auto afterlife = std::chrono::minutes(10);
constexpr std::size_t longestCode = 200;
/// A callback page that its framework mounts twice sends the same code twice.
constexpr auto doubleMount = std::chrono::seconds(10);

/// A row of `used_codes`.
struct UsedCode
{
    std::string sessionId;
    std::string presenter;
    Instant usedAt{};
};

constexpr auto schemaOf(const UsedCode*) { return describe(members<&UsedCode::sessionId, &UsedCode::presenter, &UsedCode::usedAt>()); }

std::optional<UsedCode> findUsed(Session& session, std::string_view code)
{
    return session.one<UsedCode>("SELECT " + columns<UsedCode>() + " FROM used_codes WHERE code_hash = $1", sha256(code).hex());
}

/// Ends the transaction of a sign-in whose code another request has used in the meantime.
struct UsedByAnother
{
};

/// The session of the browser that the grant comes from, if any. @throws CodeRejected `SourceEnded`
std::optional<BrowserSession> requireSource(Session& session, const SignInGrant& grant, Instant now)
{
    if (grant.sourceSessionId)
    {
        const auto source = sign_ins::find(session, *grant.sourceSessionId);
        if (!source || !source->active(now)) throw CodeRejected::SourceEnded;
    }
    if (!grant.browserSessionId) return std::nullopt;
    auto browser = browser_sessions::findById(session, *grant.browserSessionId);
    if (!browser || !browser->active(now)) throw CodeRejected::SourceEnded;
    return browser;
}

} // namespace

std::string CodeRedemption::issue(const SignInGrant& grant, std::chrono::seconds life) const
{
    const auto end = std::to_string(toMillis(_core.clock.now() + life));
    return _unused.issue(end + ' ' + toJson(grant), life + afterlife);
}

std::optional<CodeRedemption::Unused> CodeRedemption::look(std::string_view code) const
{
    if (code.empty() || code.size() > longestCode) return std::nullopt;
    const auto found = _unused.look(code);
    if (!found) return std::nullopt;
    const auto space = found->find(' ');
    std::int64_t end = 0;
    std::from_chars(found->data(), found->data() + space, end);
    return Unused{fromStoredJson<SignInGrant>(found->substr(space + 1)), fromMillis(end), end <= toMillis(_core.clock.now())};
}

std::optional<CodeRedemption::Unused> CodeRedemption::find(std::string_view code) const
{
    auto unused = look(code);
    if (!unused || unused->expired) return std::nullopt;
    auto session = _core.database.session();
    return findUsed(session, code) ? std::nullopt : std::move(unused);
}

CodeRedemption::Redeemed CodeRedemption::redeem(std::string_view code, const Presenter& presenter, const Verify& verify,
                                                const Assemble& assemble)
{
    auto unused = look(code);
    if (!unused) rejectUsed(code, presenter);
    if (unused->expired) throw CodeRejected::Expired;
    verify(unused->grant);
    auto signedIn = start(code, presenter.mark, unused->grant, assemble);
    if (!signedIn) rejectUsed(code, presenter);
    _unused.redeem(code);
    return {std::move(unused->grant), *std::move(signedIn)};
}

CodeRedemption::Redeemed CodeRedemption::redeemPolled(std::string_view code, const SignInGrant& grant, const Assemble& assemble)
{
    auto signedIn = start(code, {}, grant, assemble);
    if (!signedIn) throw CodeRejected::Used;
    return {grant, *std::move(signedIn)};
}

std::optional<SignedIn> CodeRedemption::start(std::string_view code, std::string_view mark, const SignInGrant& grant,
                                              const Assemble& assemble)
{
    const auto source = _core.read(
        [&](Session& session)
        {
            auto user = users::find(session, grant.userId);
            if (!user || user->status != UserStatus::Active) throw CodeRejected::SourceEnded;
            return Source{*std::move(user), requireSource(session, grant, _core.clock.now())};
        });
    auto wanted = assemble(grant, source);
    wanted.together = [&, also = std::move(wanted.together)](Transaction& transaction, const SignIn& signIn)
    {
        // The source may have ended since.
        requireSource(transaction, grant, signIn.createdAt);
        const auto used = transaction.execute("INSERT INTO used_codes (code_hash, session_id, user_id, presenter, used_at) "
                                              "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (code_hash) DO NOTHING",
                                              sha256(code).hex(), signIn.id, signIn.userId, mark, _core.clock.now());
        if (used == 0) throw UsedByAnother();
        if (also) also(transaction, signIn);
    };
    try
    {
        return _flow.service().start(source.user, wanted);
    }
    catch (const UsedByAnother&)
    {
        return std::nullopt;
    }
}

void CodeRedemption::rejectUsed(std::string_view code, const Presenter& presenter)
{
    const auto used = _core.read([&](Session& session) { return findUsed(session, code); });
    if (!used) throw CodeRejected::Unknown;
    const bool repeated = !presenter.mark.empty() && used->presenter == presenter.mark && _core.clock.now() - used->usedAt <= doubleMount;
    if (!repeated) _flow.endReused(used->sessionId, "session.code_reuse_detected", presenter.client, {}, presenter.serviceId);
    throw CodeRejected::Used;
}

void CodeRedemption::sweep(Transaction& transaction, Instant now)
{
    transaction.execute("DELETE FROM used_codes WHERE used_at < $1", now - usedCodesAreKept);
}

} // namespace portico::identity
