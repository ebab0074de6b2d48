#pragma once

#include "portico/Schema.h"

#include <string>
#include <vector>

namespace portico::crm
{

struct ServiceDependency
{
    std::string name;
    std::string status;
    std::int64_t latencyMs = 0;
};

struct ServiceHealth
{
    std::string status;
    std::string version;
    std::vector<ServiceDependency> dependencies;
};

struct ServiceResource
{
    std::string name;
    std::string href;
};

struct ServiceLimits
{
    std::int64_t pageSize = 200;
    std::int64_t contactBytes = 1024 * 1024;
    std::int64_t emailsPerContact = 10;
    std::int64_t phonesPerContact = 10;
    std::int64_t tagsPerContact = 50;
    std::int64_t customFields = 200;
    std::int64_t noteCharacters = 20000;
    std::int64_t attachmentBytes = 0;
    std::int64_t attachmentsPerContact = 0;
};

struct ServiceInfo
{
    std::string service;
    std::string version;
    std::string apiVersion;
    std::string documentation;
    std::vector<ServiceResource> resources;
    ServiceLimits limits;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ServiceDependency>
{
    using T = portico::crm::ServiceDependency;
    static constexpr auto fields =
        describe(field("name", &T::name), field("status", &T::status).description("ok or failing"), field("latencyMs", &T::latencyMs));
};

template <>
struct portico::Schema<portico::crm::ServiceHealth>
{
    using T = portico::crm::ServiceHealth;
    static constexpr auto fields = describe(field("status", &T::status).description("ok or degraded"), field("version", &T::version),
                                            field("dependencies", &T::dependencies));
};

template <>
struct portico::Schema<portico::crm::ServiceResource>
{
    using T = portico::crm::ServiceResource;
    static constexpr auto fields = describe(field("name", &T::name), field("href", &T::href));
};

template <>
struct portico::Schema<portico::crm::ServiceLimits>
{
    using T = portico::crm::ServiceLimits;
    static constexpr auto fields =
        describe(field("pageSize", &T::pageSize), field("contactBytes", &T::contactBytes), field("emailsPerContact", &T::emailsPerContact),
                 field("phonesPerContact", &T::phonesPerContact), field("tagsPerContact", &T::tagsPerContact),
                 field("customFields", &T::customFields), field("noteCharacters", &T::noteCharacters),
                 field("attachmentBytes", &T::attachmentBytes), field("attachmentsPerContact", &T::attachmentsPerContact));
};

template <>
struct portico::Schema<portico::crm::ServiceInfo>
{
    using T = portico::crm::ServiceInfo;
    static constexpr auto fields =
        describe(field("service", &T::service), field("version", &T::version), field("apiVersion", &T::apiVersion),
                 field("documentation", &T::documentation), field("resources", &T::resources), field("limits", &T::limits));
};
