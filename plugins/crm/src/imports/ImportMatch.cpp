#include "imports/ImportMatch.h"

#include "contacts/ContactRow.h"
#include "text/EmailKey.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace portico::crm
{

namespace
{

void addKeys(const Contact& contact, ImportKey kind, std::vector<ImportMatchKey>& keys)
{
    switch (kind)
    {
    case ImportKey::Email:
        for (const auto& email : contact.emails)
            if (auto key = emailKey(email.address)) keys.push_back({kind, *std::move(key), {}});
        break;
    case ImportKey::Phone:
        for (const auto& phone : contact.phones) keys.push_back({kind, phoneKey(phone), {}});
        break;
    case ImportKey::ExternalId:
        for (const auto& external : contact.externalIds) keys.push_back({kind, external.id, external.system});
        break;
    }
}

bool names(const std::vector<std::string>& members, std::string_view member)
{
    return std::find(members.begin(), members.end(), member) != members.end();
}

bool alike(const ContactEmail& left, const ContactEmail& right)
{
    const auto key = emailKey(left.address);
    return key ? key == emailKey(right.address) : left.address == right.address;
}

bool alike(const ContactPhone& left, const ContactPhone& right) { return phoneKey(left) == phoneKey(right); }

bool alike(const PostalAddress& left, const PostalAddress& right)
{
    auto relabelled = right;
    relabelled.label = left.label;
    return left == relabelled;
}

template <class T>
bool alike(const T& left, const T& right)
{
    return left == right;
}

void giveUpPrimary(ContactEmail& email) { email.primary = false; }
void giveUpPrimary(ContactPhone& phone) { phone.primary = false; }
template <class T>
void giveUpPrimary(T&)
{
}

/// Adds elements that the list lacks; the primary one stays.
template <class T>
void addTo(std::vector<T>& list, const std::vector<T>& more)
{
    for (auto item : more)
    {
        if (std::any_of(list.begin(), list.end(), [&](const T& each) { return alike(each, item); })) continue;
        if (!list.empty()) giveUpPrimary(item);
        list.push_back(std::move(item));
    }
}

void replaceSystems(std::vector<ExternalId>& ids, const std::vector<ExternalId>& given)
{
    std::erase_if(ids, [&](const ExternalId& each)
                  { return std::any_of(given.begin(), given.end(), [&](const ExternalId& g) { return g.system == each.system; }); });
    ids.insert(ids.end(), given.begin(), given.end());
}

// Fills a member from the row: overloads for structured members.

void fill(std::string& member, const std::string& given)
{
    if (member.empty()) member = given;
}

template <class T>
void fill(std::optional<T>& member, const std::optional<T>& given)
{
    if (!member) member = given;
}

template <class T>
void fill(std::vector<T>& member, const std::vector<T>& given)
{
    addTo(member, given);
}

void fill(std::map<std::string, Json>& member, const std::map<std::string, Json>& given) { member.insert(given.begin(), given.end()); }

/// A stage of life is never empty.
void fill(Lifecycle&, const Lifecycle&) {}

template <class T>
void replace(T& member, const T& given)
{
    member = given;
}

void replace(std::vector<ExternalId>& member, const std::vector<ExternalId>& given) { replaceSystems(member, given); }

void replace(std::map<std::string, Json>& member, const std::map<std::string, Json>& given)
{
    for (const auto& [key, value] : given) member.insert_or_assign(key, value);
}

template <class T>
bool has(const T& member, const T& given)
{
    return member == given;
}

template <class T>
bool has(const std::vector<T>& member, const std::vector<T>& given)
{
    return std::all_of(given.begin(), given.end(),
                       [&](const T& wanted)
                       { return std::any_of(member.begin(), member.end(), [&](const T& each) { return alike(each, wanted); }); });
}

bool has(const std::map<std::string, Json>& member, const std::map<std::string, Json>& given)
{
    return std::all_of(given.begin(), given.end(),
                       [&](const auto& wanted)
                       {
                           const auto found = member.find(wanted.first);
                           return found != member.end() && found->second == wanted.second;
                       });
}

/// Calls `take` for each writable member that the row sets.
template <class F>
void forEachGiven(const std::vector<std::string>& members, const F& take)
{
    const auto visit = [&](const auto& field)
    {
        if (!field.rules.readOnly && !field.rules.columnOnly && names(members, field.name)) take(field.pointer);
    };
    fieldsOf<Contact>().apply([&](const auto&... fields) { (visit(fields), ...); });
}

constexpr std::array<std::pair<std::string_view, bool DoNotContact::*>, 3> contactFlags{
    {{"doNotContact.email", &DoNotContact::email}, {"doNotContact.phone", &DoNotContact::phone}, {"doNotContact.sms", &DoNotContact::sms}}};

/// Calls `take` for each flag of `doNotContact` that the row sets; a file may have only some of them.
template <class F>
void forEachGivenFlag(const std::vector<std::string>& members, const F& take)
{
    for (const auto& [name, flag] : contactFlags)
        if (names(members, name)) take(flag);
}

template <class M>
concept Mergeable = requires(M& member, const M& given)
{
    fill(member, given);
    replace(member, given);
};

} // namespace

std::vector<ImportMatchKey> keysOf(const Contact& contact, const std::vector<ImportKey>& kinds)
{
    std::vector<ImportMatchKey> keys;
    for (const auto kind : kinds) addKeys(contact, kind, keys);
    return keys;
}

void overwrite(Contact& contact, const Contact& given, const std::vector<std::string>& members)
{
    forEachGiven(members,
                 [&](auto pointer)
                 {
                     if constexpr (Mergeable<std::remove_cvref_t<decltype(contact.*pointer)>>) replace(contact.*pointer, given.*pointer);
                 });
    forEachGivenFlag(members, [&](auto flag) { contact.doNotContact.*flag = given.doNotContact.*flag; });
}

void fillIn(Contact& contact, const Contact& given, const std::vector<std::string>& members)
{
    forEachGiven(members,
                 [&](auto pointer)
                 {
                     if constexpr (Mergeable<std::remove_cvref_t<decltype(contact.*pointer)>>) fill(contact.*pointer, given.*pointer);
                 });
    forEachGivenFlag(members, [&](auto flag) { contact.doNotContact.*flag = contact.doNotContact.*flag || given.doNotContact.*flag; });
}

bool contains(const Contact& contact, const Contact& given, const std::vector<std::string>& members)
{
    bool all = true;
    forEachGiven(members,
                 [&](auto pointer)
                 {
                     if constexpr (Mergeable<std::remove_cvref_t<decltype(contact.*pointer)>>)
                         all = all && has(contact.*pointer, given.*pointer);
                 });
    forEachGivenFlag(members, [&](auto flag) { all = all && contact.doNotContact.*flag == given.doNotContact.*flag; });
    return all;
}

void addTags(Contact& contact, const std::vector<std::string>& tags)
{
    for (const auto& tag : tags)
        if (std::find(contact.tags.begin(), contact.tags.end(), tag) == contact.tags.end()) contact.tags.push_back(tag);
}

} // namespace portico::crm
