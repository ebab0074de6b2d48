#pragma once

#include "contacts/ContactView.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// Query of GET /api/contacts/duplicates.
struct DuplicateFilter
{
    double minScore = 0.6;
};

/// Two contacts that may be the same person; the older one first.
struct DuplicatePair
{
    double score = 0;
    std::vector<std::string> matchedOn;
    std::vector<ContactView> contacts;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::DuplicateFilter>
{
    using T = portico::crm::DuplicateFilter;
    static constexpr auto fields = describe(field("minScore", &T::minScore).range(0, 1).description("Only pairs with at least this score"));
};

template <>
struct portico::Schema<portico::crm::DuplicatePair>
{
    using T = portico::crm::DuplicatePair;
    static constexpr auto fields = describe(
        field("score", &T::score)
            .description("Same e-mail address 1, phone number 0.9, name and company 0.7, a similar name and the same e-mail domain "
                         "0.6"),
        field("matchedOn", &T::matchedOn).description("email, phone, name_and_company, similar_name"), field("contacts", &T::contacts));
};
