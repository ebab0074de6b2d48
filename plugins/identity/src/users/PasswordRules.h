#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Bloom filter of passwords from breaches: finds all of its list, and one in 10 million others by mistake. `passwords/make-filter`
/// documents contents and format. Its 800 KiB are read on demand. Thread-safe.
class BreachedPasswords
{
public:
    /// The file must stay unchanged. @throws std::runtime_error for a file that cannot be read or has another format
    explicit BreachedPasswords(const std::filesystem::path& file);
    BreachedPasswords(const BreachedPasswords&) = delete;
    BreachedPasswords& operator=(const BreachedPasswords&) = delete;
    ~BreachedPasswords();
    /// Ignores ASCII case, and digits and signs that were added at the ends.
    bool contains(std::string_view password) const;

private:
    bool has(std::string_view lowerCase) const;

    /// The mapped file, and of it the bits.
    std::string_view _file;
    std::string_view _field;
    std::uint64_t _bits = 0;
    int _hashes = 0;
};

/// The rules for new passwords. Thread-safe.
class PasswordRules
{
public:
    explicit PasswordRules(const std::filesystem::path& web) : _breached(web / "breached-passwords.filter") {}
    /// @param words names and addresses whose words must not be in it
    /// @param besideSecondFactor true if the account has a second factor: then 8 characters suffice, otherwise 12
    /// @param field member of the body that the problem names in `errors`; empty: none
    /// @throws Problem 400 `password_too_short`, `password_too_long`, `password_contains_context_word`, `password_breached`
    void check(std::string_view password, const std::vector<std::string_view>& words, bool besideSecondFactor = false,
               std::string_view field = {}) const;

private:
    BreachedPasswords _breached;
};

} // namespace portico::identity
