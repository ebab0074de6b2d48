#include "sessions/RefreshHandle.h"

#include "common/Crypto.h"
#include "common/Encoding.h"

#include "portico/Id.h"

#include <array>
#include <charconv>

namespace portico::identity
{

namespace
{

constexpr std::string_view version = "prt1";

std::string macOf(std::string_view macKey, std::string_view familySecret, std::string_view familyId, std::int64_t generation)
{
    const auto key = std::string(macKey) + std::string(familySecret);
    return toBase64Url(hmacSha256(key, std::string(familyId) + std::to_string(generation)));
}

std::optional<std::int64_t> parseGeneration(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || std::to_string(value) != text) return std::nullopt;
    return value;
}

} // namespace

RefreshHandle RefreshHandle::make(std::string macKeyId, std::string_view macKey, std::string familyId, std::string_view familySecret,
                                  std::int64_t generation)
{
    auto mac = macOf(macKey, familySecret, familyId, generation);
    return {std::move(macKeyId), std::move(familyId), generation, std::move(mac)};
}

std::optional<RefreshHandle> RefreshHandle::parse(std::string_view text)
{
    std::array<std::string_view, 5> parts;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        const auto dot = text.find('.');
        if ((dot == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
        parts[i] = text.substr(0, dot);
        text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
    }
    const auto generation = parseGeneration(parts[3]);
    if (parts[0] != version || !isUlid(parts[1]) || !isUlid(parts[2]) || !generation || parts[4].size() != 43) return std::nullopt;
    return RefreshHandle{std::string(parts[1]), std::string(parts[2]), *generation, std::string(parts[4])};
}

std::string RefreshHandle::text() const
{
    return std::string(version) + '.' + macKeyId + '.' + familyId + '.' + std::to_string(generation) + '.' + mac;
}

bool RefreshHandle::isGenuine(std::string_view macKey, std::string_view familySecret) const
{
    return sameSecret(mac, macOf(macKey, familySecret, familyId, generation));
}

} // namespace portico::identity
