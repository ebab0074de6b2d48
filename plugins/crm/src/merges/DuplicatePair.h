#pragma once

#include "records/ContactView.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// Query of GET /api/contacts/duplicates.
struct DuplicateFilter
{
    double minScore = 0.6;
};

constexpr auto schemaOf(const DuplicateFilter*)
{
    return describe(field<&DuplicateFilter::minScore>().range(0, 1).description("Only pairs with at least this score"));
}

/// Two contacts that may be the same person; the older one first.
struct DuplicatePair
{
    double score = 0;
    std::vector<std::string> matchedOn;
    std::vector<ContactView> contacts;
};

constexpr auto schemaOf(const DuplicatePair*)
{
    return describe(field<&DuplicatePair::score>().description(
                        "1 for an equal e-mail address, 0.9 phone number, 0.7 name and company, 0.6 similar name and "
                        "equal e-mail domain"),
                    field<&DuplicatePair::matchedOn>().description("email, phone, name_and_company, similar_name"),
                    field<&DuplicatePair::contacts>());
}

} // namespace portico::crm
