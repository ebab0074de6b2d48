#include "imports/ImportIds.h"

#include <stdexcept>

namespace portico::crm
{

namespace
{

constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/// Parts of a ULID's 26 characters: ten are the time. Nine of the random part are kept, five encode the row, two the index.
constexpr std::size_t rootLength = 19, rowLength = 5, indexLength = 2;

template <class I>
std::string_view rootOf(const I& id)
{
    return std::string_view(id.text()).substr(I::prefix.size() + 1, rootLength);
}

std::pair<std::string, std::string> idsWith(std::string_view prefix, std::string_view root)
{
    const auto start = std::string(prefix) + '_' + std::string(root);
    constexpr auto digits = rowLength + indexLength;
    return {start + std::string(digits, alphabet.front()), start + std::string(digits, alphabet.back())};
}

void appendNumber(std::string& text, std::int64_t number, std::size_t length)
{
    if (number < 0 || number >> (5 * length) != 0) throw std::logic_error("an import's row or index that has no id");
    for (std::size_t i = length; i-- > 0;) text += alphabet[static_cast<std::size_t>(number >> (5 * i) & 31)];
}

template <class I>
I make(const ImportId& import, std::int64_t row, std::int64_t index)
{
    std::string text(I::prefix);
    (text += '_') += rootOf(import);
    appendNumber(text, row, rowLength);
    appendNumber(text, index, indexLength);
    return I::parse(text).value();
}

} // namespace

ContactId contactIdOf(const ImportId& import, std::int64_t row) { return make<ContactId>(import, row, 0); }

NoteId noteIdOf(const ImportId& import, std::int64_t row, std::int64_t index) { return make<NoteId>(import, row, index); }

AttachmentId photoIdOf(const ImportId& import, std::int64_t row) { return make<AttachmentId>(import, row, 0); }

bool isMadeBy(const ImportId& import, const ContactId& contact) { return rootOf(contact) == rootOf(import); }

std::pair<std::string, std::string> importsThatMade(const ContactId& contact) { return idsWith(ImportId::prefix, rootOf(contact)); }

std::pair<std::string, std::string> idsMadeBy(const ImportId& import, std::string_view prefix) { return idsWith(prefix, rootOf(import)); }

} // namespace portico::crm
