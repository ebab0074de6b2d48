#pragma once

#include "text/ContactBuilder.h"
#include "vcard/VcardCards.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// Contacts from vCards 2.1, 3.0 and 4.0, as they come.
class VcardReader final : public ImportReader
{
public:
    VcardReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);
    bool next(ParsedRow& record) override;

private:
    void readCard();
    bool isGroup() const;
    void checkVersion();
    void read(const VcardProperty& property);
    void readName(const VcardProperty& property);
    void readEmail(const VcardProperty& property);
    void readPhone(const VcardProperty& property);
    void readAddress(const VcardProperty& property);
    void readOrganization(const VcardProperty& property);
    void readBirthday(const VcardProperty& property);
    void readCategories(const VcardProperty& property);
    void readProfile(const VcardProperty& property);
    void readMessaging(const VcardProperty& property);
    void readPhoto(const VcardProperty& property);
    void readPhotoText(const VcardProperty& property, std::string_view contentType, std::string_view base64);
    void givePhotoLink();
    void giveMapped(const VcardProperty& property, const FieldPath& path);
    void giveText(Target target, const VcardProperty& property, std::string_view value, std::size_t index = 0, std::string_view label = {});
    void givePreferred();

    /// The value in UTF-8, escapes and all; what is no text is reported.
    std::string_view textOf(const VcardProperty& property);
    std::string_view keep(std::string text);
    /// The value lives until the builder has finished.
    void give(const Binding& binding, std::string_view value, const VcardProperty& property);
    std::string_view labelOf(const VcardProperty& property);

    /// Of a list, the place and rank of the element that is to be the primary one.
    struct Preferred
    {
        std::size_t index = 0;
        int rank = 1000;
        void see(std::size_t place, int itsRank)
        {
            if (itsRank < rank) *this = {place, itsRank};
        }
    };

    const ImportPlan& _plan;
    std::map<std::string, std::optional<FieldPath>> _mapping;
    TextWindow _window;
    VcardCards _cards;
    ContactBuilder _builder;
    std::int64_t _row;

    ParsedRow* _record = nullptr;
    Vcard _card;
    /// We wrote it.
    bool _ownCard = false;
    std::map<std::string, std::string> _groupLabels;
    /// Texts that the builder looks at until it is finished.
    std::deque<std::string> _texts;
    std::size_t _emails = 0, _phones = 0, _addresses = 0, _websites = 0, _profiles = 0;
    Preferred _preferredEmail, _preferredPhone;
    std::string_view _photoLink;
};

/// @throws Problem as planImport
ImportPlan planVcard(const TextEncoding& encoding, const ImportOptions& options);

} // namespace portico::crm
