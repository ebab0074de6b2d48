#pragma once

#include "contacts/ContactRules.h"
#include "exchange/ContactWriter.h"
#include "records/Contact.h"
#include "records/ContactView.h"

#include "portico/Json.h"

#include <random>
#include <string>
#include <vector>

namespace portico::tests
{

/// Generates contacts with every member and difficult values: delimiters, quotes, line ends, formulas, escapes, non-ASCII characters.
class ContactGenerator
{
public:
    explicit ContactGenerator(unsigned seed) : _random(seed) {}

    /// In its final form, as it would be stored.
    crm::Contact make();
    /// The definitions of the custom fields that the contacts have.
    const crm::CustomFields& customFields() const { return _fields; }

private:
    std::size_t upTo(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(_random); }
    bool chance(int percent) { return upTo(99) < static_cast<std::size_t>(percent); }
    std::string text(std::size_t longest);
    std::string maybe(std::size_t longest) { return chance(50) ? text(longest) : std::string{}; }
    std::string label();
    std::string emailAddress();
    std::string phoneNumber();
    void addLists(crm::Contact& contact);
    void addCustomFields(crm::Contact& contact);
    void addOthers(crm::Contact& contact);

    std::mt19937 _random;
    crm::CustomFields _fields;
    std::size_t _made = 0;
};

/// Returns a contact in the form of the contact list.
crm::ContactView viewOf(const crm::Contact& contact);

/// The whole file.
std::string written(const std::vector<crm::Contact>& contacts, const crm::ExportStyle& style);

} // namespace portico::tests
