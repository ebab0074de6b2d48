#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Passwords that are known from breaches, as a Bloom filter: finds all of its list, and by mistake one in 10 million others.
/// `passwords/make-filter` says what is in it and in which form. Of its 800 KiB is read what is asked for. Thread-safe.
class BreachedPasswords
{
public:
    /// The file stays as it is while this lives. @throws std::runtime_error for a file that cannot be read or is none of ours
    explicit BreachedPasswords(const std::filesystem::path& file);
    BreachedPasswords(const BreachedPasswords&) = delete;
    BreachedPasswords& operator=(const BreachedPasswords&) = delete;
    ~BreachedPasswords();
    /// Without regard to ASCII case; also when digits and signs at the ends are all that has been added to one of them.
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
    /// @param words names and addresses whose words may not be in it
    /// @param besideSecondFactor whether the account has one: then 8 characters are enough, otherwise it takes 12
    /// @throws Problem 400 `password_too_short`, `password_too_long`, `password_contains_context_word`, `password_breached`
    void check(std::string_view password, const std::vector<std::string_view>& words, bool besideSecondFactor = false) const;

private:
    BreachedPasswords _breached;
};

} // namespace portico::identity
