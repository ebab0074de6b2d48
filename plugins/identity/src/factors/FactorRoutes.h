#pragma once

#include "common/Names.h"
#include "factors/SecondFactors.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// One factor as its owner sees it in the list.
struct FactorEntry
{
    std::string id;
    FactorKind type = FactorKind::Totp;
    std::string name;
    Instant createdAt{};
    std::optional<Instant> lastUsedAt;
};

constexpr auto schemaOf(const FactorEntry*)
{
    return describe(members<&FactorEntry::id, &FactorEntry::type, &FactorEntry::name, &FactorEntry::createdAt, &FactorEntry::lastUsedAt>());
}

struct FactorList
{
    std::vector<FactorEntry> factors;
    std::int64_t recoveryCodesLeft = 0;
};

constexpr auto schemaOf(const FactorList*) { return describe(members<&FactorList::factors, &FactorList::recoveryCodesLeft>()); }

struct EnrollInput
{
    std::string name;
};

constexpr auto schemaOf(const EnrollInput*) { return describe(named(field<&EnrollInput::name>().trimmed().maxLength(80))); }

/// The secret is seen this once.
struct TotpEnrollment
{
    FactorId enrollmentId;
    std::string secret;
    std::string otpauthUri;
    std::string qrSvg;
};

constexpr auto schemaOf(const TotpEnrollment*)
{
    return describe(members<&TotpEnrollment::enrollmentId, &TotpEnrollment::secret, &TotpEnrollment::otpauthUri, &TotpEnrollment::qrSvg>());
}

struct ActivateInput
{
    std::string enrollmentId;
    std::string code;
};

constexpr auto schemaOf(const ActivateInput*)
{
    return describe(field<&ActivateInput::enrollmentId>().required().maxLength(40), field<&ActivateInput::code>().required().maxLength(40));
}

struct ActivatedFactor
{
    FactorId factorId;
    std::vector<std::string> recoveryCodes;
};

constexpr auto schemaOf(const ActivatedFactor*) { return describe(members<&ActivatedFactor::factorId, &ActivatedFactor::recoveryCodes>()); }

struct RecoveryCodes
{
    std::vector<std::string> recoveryCodes;
};

constexpr auto schemaOf(const RecoveryCodes*) { return describe(field<&RecoveryCodes::recoveryCodes>()); }

/// Manages the caller's second factors: authenticator apps and recovery codes. Thread-safe.
class FactorRoutes
{
public:
    FactorRoutes(Core& core, SecondFactors& secondFactors) : _core(core), _secondFactors(secondFactors) {}
    void declare(Routes& routes);

    FactorList list(const Caller& caller) const;
    Created<TotpEnrollment> enroll(const Caller& caller, const Body<EnrollInput>& input);
    ActivatedFactor activate(const Caller& caller, const Request& request, const Body<ActivateInput>& input);
    RecoveryCodes renewCodes(const Caller& caller, const Request& request);
    NoContent remove(const Caller& caller, const Request& request, const Path<std::string>& id);

private:
    Core& _core;
    SecondFactors& _secondFactors;
};

} // namespace portico::identity
