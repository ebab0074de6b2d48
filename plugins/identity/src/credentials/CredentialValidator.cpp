#include "credentials/CredentialValidator.h"

#include "common/Networks.h"
#include "common/Problems.h"
#include "credentials/KeyJudge.h"
#include "credentials/TokenJudge.h"
#include "keys/KeyFormat.h"
#include "keys/KeyStore.h"

namespace portico::identity
{

namespace
{

constexpr std::int64_t keyFailuresPerMinute = 30;

/// A caller for each kind of question, so that no answer serves another: the access rule is part of it.
std::string_view kindMark(const interfaces::Credential& credential)
{
    if (credential.kind == CredentialKind::ApiKey) return credential.requireAccess ? "key\n" : "key, own\n";
    return credential.requireAccess ? "token\n" : "token, own\n";
}

} // namespace

std::shared_ptr<const Caller> CredentialValidator::validate(const interfaces::Credential& credential)
{
    const auto asked = question(credential);
    return credential.kind == CredentialKind::ApiKey ? validateKey(asked) : validateToken(asked);
}

/// On PostgreSQL only a query tells whether anything has changed, and a key has more to it than who holds it.
std::shared_ptr<const Caller> CredentialValidator::recall(const interfaces::Credential& credential)
{
    if (credential.kind != CredentialKind::AccessToken || _parts.database.dialect() != Dialect::SQLite) return nullptr;
    const auto asked = question(credential);
    auto known = _cache.find(asked.key);
    const bool valid = known && asked.now < known->expiresAt && known->revision == asked.revision && asked.now < known->callerUntil;
    return valid ? std::move(known->caller) : nullptr;
}

CredentialValidator::Question CredentialValidator::question(const interfaces::Credential& credential)
{
    return {credential, _sha256({kindMark(credential), credential.serviceId, "\n", credential.value}), _parts.changes.current(),
            _parts.clock.now()};
}

std::shared_ptr<const Caller> CredentialValidator::validateToken(const Question& question)
{
    std::shared_ptr<const AccessClaims> claims;
    if (auto known = _cache.find(question.key); known && question.now < known->expiresAt)
    {
        if (known->revision == question.revision && question.now < known->callerUntil) return std::move(known->caller);
        claims = std::move(known->claims);
    }
    if (!claims) claims = verify(question);
    auto remembered = judgeToken(question, *claims);
    remembered.claims = std::move(claims);
    auto caller = remembered.caller;
    _cache.store(question.key, std::move(remembered), question.now);
    return caller;
}

std::shared_ptr<const AccessClaims> CredentialValidator::verify(const Question& question)
{
    const auto keys = _parts.keys.signingKeys(question.revision);
    auto read = decodeToken(*keys, question.credential.value, _parts.issuer, question.now);
    if (read.fault == TokenFault::None && read.claims.aud != question.credential.serviceId) read.fault = TokenFault::WrongAudience;
    if (read.fault != TokenFault::None) throw invalidToken(reason(read.fault));
    return std::make_shared<const AccessClaims>(std::move(read.claims));
}

RememberedCredential CredentialValidator::judgeToken(const Question& question, const AccessClaims& claims)
{
    const auto catalog = _parts.catalog.snapshot(question.revision);
    auto snapshot = _parts.database.snapshot();
    TokenJudge judge{snapshot, *catalog, question.now};
    auto judged = judge.judge(claims, question.credential.requireAccess);
    judged.revision = question.revision;
    return judged;
}

std::shared_ptr<const Caller> CredentialValidator::validateKey(const Question& question)
{
    auto known = _cache.find(question.key);
    if (!known || known->revision != question.revision || question.now >= known->callerUntil)
    {
        known = judgeKey(question);
        _cache.store(question.key, *known, question.now);
    }
    if (known->addresses && !known->addresses->allows(question.credential.clientAddress)) throw invalidToken("ip_not_allowed");
    // Calls about the key itself are no use of it.
    if (question.credential.requireAccess)
        _parts.usage.note(known->caller->apiKeyId, question.credential.serviceId, question.credential.clientAddress, question.now);
    return std::move(known->caller);
}

RememberedCredential CredentialValidator::judgeKey(const Question& question)
{
    const auto text = KeyText::parse(question.credential.value);
    if (!text) refuseUnknownKey(question);
    const auto catalog = _parts.catalog.snapshot(question.revision);
    auto snapshot = _parts.database.snapshot();
    const auto key = api_keys::findByKeyId(snapshot, text->keyId);
    if (!key || key->environment != text->environment || !sameSecret(key->secretHash, _sha256.hex(text->secret)))
        refuseUnknownKey(question);
    KeyJudge judge{snapshot, *catalog, question.now};
    auto judged = judge.judge(*key, question.credential.serviceId, question.credential.requireAccess);
    judged.revision = question.revision;
    return judged;
}

/// Guessing is hopeless; the limit is against the load of it. A key that is good is never refused for others' failures.
void CredentialValidator::refuseUnknownKey(const Question& question)
{
    const auto counter = "key-failures:" + networkPrefix(question.credential.clientAddress);
    if (_parts.state.add(counter, 1, std::chrono::minutes(1)) > keyFailuresPerMinute) throw Problem::rateLimited(60);
    throw invalidToken("key_not_found");
}

} // namespace portico::identity
