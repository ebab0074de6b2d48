#include "merges/ContactUnion.h"

#include "contacts/ContactRow.h"
#include "contacts/ContactRules.h"
#include "records/CustomValues.h"
#include "text/EmailKey.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <type_traits>

namespace portico::crm
{

namespace
{

constexpr std::string_view customPrefix = "customFields.";

/// Members for which a contact can be preferred.
constexpr std::array<std::string_view, 25> choosable{
    "firstName", "middleName",   "lastName",  "prefix",       "suffix",       "nickname",       "displayName",      "emails", "phones",
    "addresses", "companyName",  "jobTitle",  "department",   "websites",     "socialProfiles", "birthday",         "tags",   "ownerUserId",
    "source",    "sourceDetail", "lifecycle", "doNotContact", "customFields", "externalIds",    "photoAttachmentId"};

bool isEmpty(const std::string& value) { return value.empty(); }
template <class T>
bool isEmpty(const std::optional<T>& value)
{
    return !value;
}
bool isEmpty(Lifecycle) { return false; }

/// Returns a display name that was entered; a generated one is generated again.
std::string givenDisplayName(const Contact& contact)
{
    return contact.displayName == builtDisplayName(contact) ? std::string() : contact.displayName;
}

std::string keyOf(const ContactEmail& email) { return emailKey(email.address).value_or(email.address); }
std::string keyOf(const ContactPhone& phone) { return phoneKey(phone); }
std::string keyOf(const PostalAddress& address)
{
    PostalAddress unlabelled = address;
    unlabelled.label.clear();
    return fold(toJson(unlabelled));
}
std::string keyOf(const std::string& text) { return text; }
std::string keyOf(const SocialProfile& profile) { return fold(profile.service) + '\n' + profile.value; }
std::string keyOf(const ExternalId& external) { return external.system + '\n' + external.id; }

template <class T>
concept HasPrimary = requires(T item)
{
    item.primary = true;
};

class Union
{
public:
    Union(const Contact& target, const std::vector<Contact>& sources, const std::map<std::string, ContactId>& prefer,
          const CustomFields& fields, std::vector<LeftOutValue>& leftOut)
        : _prefer(prefer), _fields(fields), _leftOut(leftOut), _result(target)
    {
        _contacts.push_back(&target);
        for (const auto& source : sources) _contacts.push_back(&source);
    }

    Contact run()
    {
        checkPreferences();
        for (const auto& [name, member] : names) chooseMember(name, member);
        chooseMember("birthday", &Contact::birthday);
        chooseMember("ownerUserId", &Contact::ownerUserId);
        chooseMember("source", &Contact::source);
        chooseMember("lifecycle", &Contact::lifecycle);
        chooseMember("photoAttachmentId", &Contact::photoAttachmentId);
        chooseDoNotContact();
        unite("emails", &Contact::emails, 10);
        unite("phones", &Contact::phones, 10);
        unite("addresses", &Contact::addresses, 5);
        unite("websites", &Contact::websites, 5);
        unite("socialProfiles", &Contact::socialProfiles, 10);
        unite("tags", &Contact::tags, 50);
        unite("externalIds", &Contact::externalIds, 10);
        uniteCustomFields();
        _result.displayName = choose("displayName", givenDisplayName);
        if (const auto* wanted = preferred("displayName")) _result.displayName = inOrder(wanted).front()->displayName;
        takeOldest();
        return std::move(_result);
    }

private:
    static constexpr std::array<std::pair<std::string_view, std::string Contact::*>, 10> names{{{"firstName", &Contact::firstName},
                                                                                                {"middleName", &Contact::middleName},
                                                                                                {"lastName", &Contact::lastName},
                                                                                                {"prefix", &Contact::prefix},
                                                                                                {"suffix", &Contact::suffix},
                                                                                                {"nickname", &Contact::nickname},
                                                                                                {"companyName", &Contact::companyName},
                                                                                                {"jobTitle", &Contact::jobTitle},
                                                                                                {"department", &Contact::department},
                                                                                                {"sourceDetail", &Contact::sourceDetail}}};

    void checkPreferences() const
    {
        std::vector<FieldError> faults;
        for (const auto& [name, id] : _prefer)
        {
            const bool custom = name.starts_with(customPrefix) && _fields.contains(std::string_view(name).substr(customPrefix.size()));
            if (!custom && std::find(choosable.begin(), choosable.end(), name) == choosable.end())
                faults.push_back({"prefer." + name, "unknown_option", "Not a member for which a contact can be preferred"});
            else if (std::none_of(_contacts.begin(), _contacts.end(),
                                  [&, &wanted = id](const auto* contact) { return contact->id == wanted; }))
                faults.push_back({"prefer." + name, "unknown_option", "Not one of the contacts that are merged"});
        }
        if (!faults.empty()) throw Problem::invalid(std::move(faults));
    }

    const ContactId* preferred(std::string_view name) const
    {
        const auto found = _prefer.find(std::string(name));
        return found == _prefer.end() ? nullptr : &found->second;
    }

    /// The contacts, the one that is preferred for this member first.
    std::vector<const Contact*> inOrder(const ContactId* first) const
    {
        auto contacts = _contacts;
        if (first) std::stable_partition(contacts.begin(), contacts.end(), [&](const auto* contact) { return contact->id == *first; });
        return contacts;
    }

    /// Returns the value of the preferred contact, even if it is empty. Without a preference, returns the first value.
    template <class F>
    std::invoke_result_t<F, const Contact&> choose(std::string_view name, F valueOf)
    {
        const auto* wanted = preferred(name);
        const auto contacts = inOrder(wanted);
        auto chosen = valueOf(*contacts.front());
        for (const auto* contact : contacts)
            if (!wanted && isEmpty(chosen)) chosen = valueOf(*contact);
        std::vector<decltype(chosen)> reported{chosen};
        for (const auto* contact : _contacts)
        {
            auto value = valueOf(*contact);
            if (isEmpty(value) || std::find(reported.begin(), reported.end(), value) != reported.end()) continue;
            leaveOut(name, *contact, {toJson(value)}, LeftOutReason::OtherValue);
            reported.push_back(std::move(value));
        }
        return chosen;
    }

    template <class M>
    void chooseMember(std::string_view name, M Contact::*member)
    {
        _result.*member = choose(name, [member](const Contact& contact) { return contact.*member; });
    }

    /// Keeps every restriction that any of the contacts has.
    void chooseDoNotContact()
    {
        const auto* wanted = preferred("doNotContact");
        if (wanted) _result.doNotContact = inOrder(wanted).front()->doNotContact;
        for (const auto* contact : _contacts)
        {
            if (wanted) break;
            auto& result = _result.doNotContact;
            result.email = result.email || contact->doNotContact.email;
            result.phone = result.phone || contact->doNotContact.phone;
            result.sms = result.sms || contact->doNotContact.sms;
        }
    }

    template <class T>
    void unite(std::string_view name, std::vector<T> Contact::*member, std::size_t limit)
    {
        std::vector<T> united;
        std::set<std::string> seen;
        for (const auto* contact : inOrder(preferred(name)))
        {
            const bool first = united.empty();
            for (const auto& item : contact->*member)
            {
                if (!seen.insert(keyOf(item)).second) continue;
                if (united.size() == limit)
                {
                    leaveOut(name, *contact, {toJson(item)}, LeftOutReason::Limit);
                    continue;
                }
                united.push_back(item);
                if constexpr (HasPrimary<T>) united.back().primary = first && item.primary;
            }
        }
        _result.*member = std::move(united);
    }

    void uniteCustomFields()
    {
        std::set<std::string> keys;
        for (const auto* contact : _contacts)
            for (const auto& [key, value] : contact->customFields) keys.insert(key);
        _result.customFields.clear();
        for (const auto& key : keys)
            if (const auto field = _fields.find(key); field != _fields.end()) uniteCustomField(field->second);
    }

    void uniteCustomField(const CustomField& field)
    {
        const std::string name = std::string(customPrefix) + field.key;
        const auto* wanted = preferred(name);
        const auto contacts = inOrder(wanted ? wanted : preferred("customFields"));
        if (field.type == CustomFieldType::MultiSelect) return uniteOptions(field.key, contacts);
        // A contact that is preferred for this field is used even if its value is empty, like for other members.
        std::optional<Json> taken;
        if (wanted) taken = Json{};
        for (const auto* contact : contacts)
        {
            const auto found = contact->customFields.find(field.key);
            if (found == contact->customFields.end()) continue;
            if (!taken || contact->id == (wanted ? *wanted : ContactId()))
                taken = found->second;
            else if (*taken != found->second)
                leaveOut(name, *contact, found->second, LeftOutReason::OtherValue);
        }
        if (*taken != Json{}) _result.customFields[field.key] = *std::move(taken);
    }

    void uniteOptions(const std::string& key, const std::vector<const Contact*>& contacts)
    {
        std::vector<Json> options;
        for (const auto* contact : contacts)
            if (const auto found = contact->customFields.find(key); found != contact->customFields.end())
                addOptions(options, fromJson<std::vector<Json>>(found->second.text));
        _result.customFields[key].text = toJson(options);
    }

    static void addOptions(std::vector<Json>& options, const std::vector<Json>& more)
    {
        for (const auto& option : more)
            if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
    }

    void takeOldest()
    {
        for (const auto* contact : _contacts)
        {
            if (contact->createdAt >= _result.createdAt) continue;
            _result.createdAt = contact->createdAt;
            _result.createdBy = contact->createdBy;
        }
    }

    void leaveOut(std::string_view name, const Contact& contact, Json value, LeftOutReason reason)
    {
        _leftOut.push_back({std::string(name), contact.id, std::move(value), reason});
    }

    const std::map<std::string, ContactId>& _prefer;
    const CustomFields& _fields;
    std::vector<LeftOutValue>& _leftOut;
    /// The target first.
    std::vector<const Contact*> _contacts;
    Contact _result;
};

} // namespace

Contact uniteContacts(const Contact& target, const std::vector<Contact>& sources, const std::map<std::string, ContactId>& prefer,
                      const CustomFields& fields, std::vector<LeftOutValue>& leftOut)
{
    return Union(target, sources, prefer, fields, leftOut).run();
}

} // namespace portico::crm
