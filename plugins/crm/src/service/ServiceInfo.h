#pragma once

#include "portico/Schema.h"

#include <string>
#include <vector>

namespace portico::crm
{

struct ServiceResource
{
    std::string name;
    std::string href;
};

constexpr auto schemaOf(const ServiceResource*) { return describe(members<&ServiceResource::name, &ServiceResource::href>()); }

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

constexpr auto schemaOf(const ServiceLimits*)
{
    return describe(members<&ServiceLimits::pageSize, &ServiceLimits::contactBytes, &ServiceLimits::emailsPerContact,
                            &ServiceLimits::phonesPerContact, &ServiceLimits::tagsPerContact, &ServiceLimits::customFields,
                            &ServiceLimits::noteCharacters, &ServiceLimits::attachmentBytes, &ServiceLimits::attachmentsPerContact>());
}

struct ServiceInfo
{
    std::string service;
    std::string version;
    std::string apiVersion;
    std::string documentation;
    std::vector<ServiceResource> resources;
    ServiceLimits limits;
};

constexpr auto schemaOf(const ServiceInfo*)
{
    return describe(members<&ServiceInfo::service, &ServiceInfo::version, &ServiceInfo::apiVersion, &ServiceInfo::documentation,
                            &ServiceInfo::resources, &ServiceInfo::limits>());
}

} // namespace portico::crm
