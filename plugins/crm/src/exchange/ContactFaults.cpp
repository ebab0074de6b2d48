#include "exchange/ContactFaults.h"

#include "text/EmailKey.h"
#include "text/PhoneNumber.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

void checkRules(const Contact& contact, std::vector<FieldError>& errors)
{
    try
    {
        validate(contact);
    }
    catch (const Problem& problem)
    {
        errors = problem.errors();
    }
}

bool isNamed(const std::vector<FieldError>& errors, std::string_view field)
{
    return std::any_of(errors.begin(), errors.end(), [&](const FieldError& error) { return error.field == field; });
}

std::string elementOf(std::string_view list, std::size_t index, std::string_view member)
{
    return std::string(list) + '[' + std::to_string(index) + ']' + std::string(member);
}

void checkEmails(const Contact& contact, std::vector<FieldError>& errors)
{
    for (std::size_t i = 0; i < contact.emails.size(); ++i)
    {
        if (emailKey(contact.emails[i].address)) continue;
        auto field = elementOf("emails", i, ".address");
        if (!isNamed(errors, field)) errors.push_back({std::move(field), "invalid_email", "Not an e-mail address"});
    }
}

void checkPhones(const Contact& contact, std::vector<FieldError>& errors)
{
    for (std::size_t i = 0; i < contact.phones.size(); ++i)
    {
        if (looksLikePhoneNumber(contact.phones[i].number)) continue;
        auto field = elementOf("phones", i, ".number");
        if (!isNamed(errors, field)) errors.push_back({std::move(field), "invalid_phone", "Not a phone number"});
    }
}

} // namespace

std::vector<FieldError> faultsOf(const Contact& contact)
{
    std::vector<FieldError> errors;
    checkRules(contact, errors);
    checkEmails(contact, errors);
    checkPhones(contact, errors);
    return errors;
}

} // namespace portico::crm
