#include "portico/Crypto.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace portico
{

namespace
{

/// Restores the thread's error queue. Otherwise the next TLS call of a worker takes a leftover error for its own failure.
struct KeepsErrorQueue
{
    KeepsErrorQueue() noexcept { ERR_set_mark(); }
    ~KeepsErrorQueue() { ERR_pop_to_mark(); }
    KeepsErrorQueue(const KeepsErrorQueue&) = delete;
    KeepsErrorQueue& operator=(const KeepsErrorQueue&) = delete;
};

void requireDone(bool done, const char* what)
{
    if (!done) throw std::runtime_error(std::string("OpenSSL could not ") + what + ": check its configuration (openssl.cnf)");
}

unsigned char* asBytes(char* text) noexcept { return reinterpret_cast<unsigned char*>(text); }
const unsigned char* asBytes(const char* text) noexcept { return reinterpret_cast<const unsigned char*>(text); }

/// Looked up once, because OpenSSL 3 spends more on the look-up than on a short text.
const EVP_MD* sha256Algorithm()
{
    static const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free);
    requireDone(algorithm != nullptr, "find SHA-256");
    return algorithm.get();
}

const EVP_CIPHER* sealCipher()
{
    static const std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)> cipher(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr),
                                                                                &EVP_CIPHER_free);
    requireDone(cipher != nullptr, "find AES-256-GCM");
    return cipher.get();
}

constexpr std::string_view base64UrlDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t noDigit = 64;
constexpr auto base64UrlValues = []
{
    std::array<std::uint8_t, 256> values{};
    values.fill(noDigit);
    for (std::uint8_t i = 0; i < base64UrlDigits.size(); ++i) values[static_cast<unsigned char>(base64UrlDigits[i])] = i;
    return values;
}();

} // namespace

std::string Digest::hex() const
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * value.size());
    for (const char c : value)
    {
        const auto byte = static_cast<unsigned char>(c);
        text += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

Digest sha256(std::string_view text) { return sha256({text}); }

Digest sha256(std::initializer_list<std::string_view> parts)
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    Digest digest;
    bool good = context && EVP_DigestInit_ex2(context.get(), sha256Algorithm(), nullptr) == 1;
    for (const auto part : parts) good = good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
    requireDone(good && EVP_DigestFinal_ex(context.get(), asBytes(digest.value.data()), nullptr) == 1, "compute SHA-256");
    return digest;
}

Digest hmacSha256(std::string_view key, std::string_view message)
{
    Digest digest;
    unsigned int size = 0;
    requireDone(key.size() <= std::numeric_limits<int>::max() &&
                    HMAC(sha256Algorithm(), key.data(), static_cast<int>(key.size()), asBytes(message.data()), message.size(),
                         asBytes(digest.value.data()), &size) != nullptr,
                "compute HMAC-SHA-256");
    return digest;
}

bool sameSecret(std::string_view left, std::string_view right) noexcept
{
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string randomBytes(std::size_t count)
{
    std::string bytes(count, '\0');
    requireDone(RAND_bytes_ex(nullptr, asBytes(bytes.data()), bytes.size(), 0) == 1, "read the system's random source");
    return bytes;
}

std::string randomToken(std::size_t byteCount) { return toBase64Url(randomBytes(byteCount)); }

std::string randomText(std::size_t count, std::string_view alphabet)
{
    if (alphabet.empty() || alphabet.size() > 256)
        throw std::invalid_argument("randomText: expected an alphabet of 1 to 256 characters, found " + std::to_string(alphabet.size()));
    // Bytes from here on would make the first characters likelier.
    const auto end = 256 - 256 % alphabet.size();
    std::string text;
    text.reserve(count);
    while (text.size() < count)
        for (const char c : randomBytes(count - text.size()))
            if (const auto byte = static_cast<unsigned char>(c); byte < end) text += alphabet[byte % alphabet.size()];
    return text;
}

std::string toBase64Url(std::string_view bytes)
{
    std::string text;
    text.reserve((bytes.size() * 4 + 2) / 3);
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const char c : bytes)
    {
        buffer = buffer << 8 | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 6;) text += base64UrlDigits[buffer >> (bits -= 6) & 63];
    }
    if (bits > 0) text += base64UrlDigits[buffer << (6 - bits) & 63];
    return text;
}

std::optional<std::string> fromBase64Url(std::string_view text)
{
    // A single digit contains no byte.
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const char c : text)
    {
        const auto digit = base64UrlValues[static_cast<unsigned char>(c)];
        if (digit == noDigit) return std::nullopt;
        buffer = buffer << 6 | digit;
        if ((bits += 6) >= 8) bytes += static_cast<char>(buffer >> (bits -= 8) & 0xff);
    }
    // The canonical text has zeros in the unused bits of the last digit.
    if ((buffer & ((1U << bits) - 1)) != 0) return std::nullopt;
    return bytes;
}

// Sealed: `s1.<id of the key>.<base64url of nonce, cipher text and tag>`. The key's id and the purpose are authenticated with it.
namespace
{

constexpr std::string_view sealForm = "s1.";
constexpr std::size_t secretSize = 32;
constexpr std::size_t nonceSize = 12;
constexpr std::size_t tagSize = 16;
constexpr std::size_t longestPlain = std::numeric_limits<int>::max() - 64;

bool isKeyId(std::string_view id)
{
    return !id.empty() && id.size() <= 32 && id.find_first_not_of(base64UrlDigits) == std::string_view::npos;
}

std::string_view keyIdOf(std::string_view sealed) noexcept
{
    if (!sealed.starts_with(sealForm)) return {};
    const auto rest = sealed.substr(sealForm.size());
    const auto dot = rest.find('.');
    return dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
}

/// No two pairs of an id and a purpose give one text: an id has no dot.
std::string boundText(std::string_view keyId, std::string_view purpose)
{
    return std::string(sealForm).append(keyId).append(".").append(purpose);
}

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

/// Encrypts (1) or decrypts (0) up to the tag.
CipherContext transform(int direction, std::string_view secret, std::string_view nonce, std::string_view bound, std::string_view from,
                        char* into)
{
    CipherContext context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    int size = 0;
    requireDone(bound.size() < longestPlain && context &&
                    EVP_CipherInit_ex2(context.get(), sealCipher(), asBytes(secret.data()), asBytes(nonce.data()), direction, nullptr) ==
                        1 &&
                    EVP_CipherUpdate(context.get(), nullptr, &size, asBytes(bound.data()), static_cast<int>(bound.size())) == 1 &&
                    (from.empty() ||
                     EVP_CipherUpdate(context.get(), asBytes(into), &size, asBytes(from.data()), static_cast<int>(from.size())) == 1),
                direction == 1 ? "encrypt" : "decrypt");
    return context;
}

} // namespace

struct Sealer::Keys
{
    std::vector<Key> list;

    explicit Keys(std::vector<Key> keys) : list(std::move(keys)) {}
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;
    ~Keys()
    {
        for (auto& key : list) OPENSSL_cleanse(key.secret.data(), key.secret.size());
    }
    const Key* find(std::string_view id) const noexcept
    {
        const auto found = std::ranges::find(list, id, &Key::id);
        return found == list.end() ? nullptr : &*found;
    }
};

Sealer::Sealer(const std::vector<Key>& keys)
{
    if (keys.empty()) throw std::invalid_argument("keys of a sealer: expected one at least, found none");
    for (auto key = keys.begin(); key != keys.end(); ++key)
    {
        if (!isKeyId(key->id))
            throw std::invalid_argument("key " + std::to_string(key - keys.begin() + 1) +
                                        " of a sealer: expected an id of 1 to 32 of A-Z a-z 0-9 _ -");
        if (key->secret.size() != secretSize)
            throw std::invalid_argument("key " + key->id + " of a sealer: expected a secret of 32 bytes, found " +
                                        std::to_string(key->secret.size()) + "; make one from the system's random source");
        if (std::find_if(keys.begin(), key, [&](const Key& other) { return other.id == key->id; }) != key)
            throw std::invalid_argument("key " + key->id + " of a sealer: expected each id once, found it twice");
    }
    _keys = std::make_shared<const Keys>(keys);
}

Sealer Sealer::parse(std::string_view lines)
{
    std::vector<Key> keys;
    for (std::size_t number = 1; !lines.empty(); ++number)
    {
        auto line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.starts_with('#')) continue;
        const auto space = line.find(' ');
        const auto secret = space == std::string_view::npos ? std::nullopt : fromBase64Url(line.substr(space + 1));
        if (!secret || secret->size() != secretSize)
            throw std::invalid_argument("line " + std::to_string(number) +
                                        " of the keys: expected an id, a space and 32 bytes in base64url (43 characters)");
        keys.push_back({std::string(line.substr(0, space)), *secret});
    }
    return Sealer(keys);
}

std::string Sealer::makeKey(std::string_view id) { return std::string(id) + ' ' + randomToken(secretSize); }

std::string Sealer::seal(std::string_view plain, std::string_view purpose) const
{
    if (plain.size() > longestPlain) throw std::length_error("a text to seal: expected less than 2 GiB");
    const KeepsErrorQueue keepsErrorQueue;
    const auto& key = _keys->list.front();
    std::string bytes = randomBytes(nonceSize);
    bytes.resize(nonceSize + plain.size() + tagSize);
    const auto context =
        transform(1, key.secret, std::string_view(bytes).substr(0, nonceSize), boundText(key.id, purpose), plain, bytes.data() + nonceSize);
    int size = 0;
    requireDone(EVP_CipherFinal_ex(context.get(), asBytes(bytes.data() + nonceSize + plain.size()), &size) == 1 &&
                    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tagSize, bytes.data() + nonceSize + plain.size()) == 1,
                "seal");
    return std::string(sealForm).append(key.id).append(".").append(toBase64Url(bytes));
}

std::optional<std::string> Sealer::tryOpen(std::string_view sealed, std::string_view purpose) const
{
    const auto id = keyIdOf(sealed);
    const auto* key = _keys->find(id);
    if (!key) return std::nullopt;
    auto bytes = fromBase64Url(sealed.substr(sealForm.size() + id.size() + 1));
    if (!bytes || bytes->size() < nonceSize + tagSize || bytes->size() > longestPlain) return std::nullopt;
    const KeepsErrorQueue keepsErrorQueue;
    const auto cipher = std::string_view(*bytes).substr(nonceSize, bytes->size() - nonceSize - tagSize);
    std::string plain(cipher.size(), '\0');
    const auto context =
        transform(0, key->secret, std::string_view(*bytes).substr(0, nonceSize), boundText(id, purpose), cipher, plain.data());
    int size = 0;
    unsigned char none[16];
    if (EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tagSize, bytes->data() + bytes->size() - tagSize) != 1 ||
        EVP_CipherFinal_ex(context.get(), none, &size) != 1)
        return std::nullopt;
    return plain;
}

std::string Sealer::open(std::string_view sealed, std::string_view purpose) const
{
    if (auto plain = tryOpen(sealed, purpose)) return *std::move(plain);
    const auto id = keyIdOf(sealed);
    if (!isKeyId(id)) throw std::runtime_error("a sealed value: expected s1.<key>.<bytes>, found another form");
    if (!_keys->find(id))
        throw std::runtime_error("a sealed value: its key " + std::string(id) + " is not among the keys; put it back behind the first");
    throw std::runtime_error("a value that key " + std::string(id) +
                             " has sealed does not open: it was altered, sealed for another purpose, or the key has another secret now");
}

bool Sealer::isCurrent(std::string_view sealed) const noexcept { return keyIdOf(sealed) == _keys->list.front().id; }

} // namespace portico
