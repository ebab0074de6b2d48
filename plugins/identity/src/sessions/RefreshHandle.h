#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// A refresh handle, `prt1.<kid>.<familyId>.<gen>.<mac>`: it names its family and generation, and the MAC shows that we made it. Nothing
/// of it is stored, so the same successor can be answered again.
struct RefreshHandle
{
    std::string macKeyId;
    std::string familyId;
    std::int64_t generation = 0;
    std::string mac;

    /// @param macKey secret of the MAC key; @param familySecret secret of the family's row.
    static RefreshHandle make(std::string macKeyId, std::string_view macKey, std::string familyId, std::string_view familySecret,
                              std::int64_t generation);
    /// Checks the form only.
    static std::optional<RefreshHandle> parse(std::string_view text);
    std::string text() const;
    bool isGenuine(std::string_view macKey, std::string_view familySecret) const;
};

} // namespace portico::identity
