#pragma once

#include "exchange/Binding.h"
#include "records/Contact.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The lists of a contact while its values come in, in any order and at any place: sorted and closed up at the end, each element with the
/// column that it came from.
class ImportedLists
{
public:
    void clear();
    /// Stores a part of an element. Returns false for an invalid flag. @param part index of the value in its cell
    bool give(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    /// Moves the lists into the contact.
    void close(Contact& contact);
    /// Returns the origin of a field's value (`emails[0].address`, `emails`). Call it after `close`.
    Origin originOf(std::string_view field) const;

private:
    template <class T>
    struct Element
    {
        std::size_t index = 0;
        std::size_t part = 0;
        T value = {};
        Origin origin = {};
    };
    template <class T>
    using Elements = std::vector<Element<T>>;

    struct Address : PostalAddress
    {
        std::string whole;
    };

    struct Phone : ContactPhone
    {
        std::string code;
    };

    template <class T>
    static Element<T>* element(Elements<T>& list, std::size_t index, std::size_t part);
    /// Returns the first element from `part` on that another column has not filled.
    template <class T, class F>
    static Element<T>* freeElement(Elements<T>& list, std::size_t index, std::size_t part, const F& isFree);
    bool giveEmail(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    bool givePhone(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    void giveAddress(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    void giveOther(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin);
    void closeEmails(Contact& contact);
    void closePhones(Contact& contact);
    void closeAddresses(Contact& contact);
    void closeOthers(Contact& contact);

    Elements<ContactEmail> _emails;
    Elements<Phone> _phones;
    Elements<Address> _addresses;
    Elements<std::string> _websites;
    Elements<SocialProfile> _profiles;
    Elements<ExternalId> _externalIds;
};

} // namespace portico::crm
