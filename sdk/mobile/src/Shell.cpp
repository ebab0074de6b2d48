#include "Shell.h"

#include <algorithm>

namespace portico::mobile
{

namespace
{

constexpr std::size_t longestAnswer = 4 * 1024 * 1024;
constexpr std::size_t longestSecret = 16 * 1024;
constexpr std::size_t longestKey = 256;
constexpr std::size_t coordinate = 32;

/// Takes an integer of a DER signature as 32 bytes. Empty: it is malformed.
std::optional<std::string> takeInteger(std::string_view& der)
{
    if (der.size() < 2 || der[0] != 2) return std::nullopt;
    const auto length = static_cast<unsigned char>(der[1]);
    if (length == 0 || length > coordinate + 1 || der.size() < 2u + length) return std::nullopt;
    auto number = der.substr(2, length);
    der.remove_prefix(2u + length);
    while (number.size() > coordinate && number.front() == 0) number.remove_prefix(1);
    if (number.size() > coordinate) return std::nullopt;
    return std::string(coordinate - number.size(), '\0') + std::string(number);
}

std::optional<std::string> rawSignature(std::string_view signature)
{
    if (signature.size() == 2 * coordinate) return std::string(signature);
    if (signature.size() < 8 || signature[0] != 0x30 || static_cast<unsigned char>(signature[1]) != signature.size() - 2)
        return std::nullopt;
    signature.remove_prefix(2);
    auto r = takeInteger(signature);
    auto s = r ? takeInteger(signature) : std::nullopt;
    if (!s || !signature.empty()) return std::nullopt;
    return *r + *s;
}

} // namespace

std::optional<HttpAnswer> Shell::send(const HttpCall& call) const
{
    std::vector<pm_header> headers;
    for (const auto& [name, value] : call.headers) headers.push_back({name.c_str(), value.c_str()});
    const pm_request request{sizeof(pm_request), call.method.c_str(), call.url.c_str(),
                             headers.data(),     headers.size(),      call.body.empty() ? nullptr : call.body.data(),
                             call.body.size(),   call.timeoutMs};
    pm_response response{{longestAnswer}};
    const auto result = _functions.http(_functions.context, &request, &response);
    if (response.body.overflowed) throw Failure{PM_BAD_ANSWER};
    if (result != 0) return std::nullopt;
    if (response.status < 200 || response.status > 599) throw Failure{PM_BAD_ANSWER};
    HttpAnswer answer{response.status, std::move(response.body.bytes), {}, {}};
    for (auto& [name, value] : response.headers)
    {
        std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        // They are sent back: no line breaks and nothing long.
        const bool plain = value.size() <= 200 && std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 127; });
        if (plain && name == "etag") answer.etag = value;
        if (plain && name == "dpop-nonce") answer.nonce = value;
    }
    return answer;
}

std::optional<std::string> Shell::secret(const std::string& name) const
{
    pm_sink sink{longestSecret};
    const auto result = _functions.secret_get(_functions.context, name.c_str(), &sink);
    if (result == PM_SECRET_MISSING) return std::nullopt;
    if (result != PM_SECRET_OK || sink.overflowed) throw Failure{PM_STORAGE};
    return std::move(sink.bytes);
}

bool Shell::replaceSecret(const std::string& name, const std::optional<std::string>& expected, std::string_view value) const
{
    const auto result = _functions.secret_compare_and_set(_functions.context, name.c_str(), expected ? expected->data() : nullptr,
                                                          expected ? expected->size() : 0, value.data(), value.size());
    if (result != PM_SECRET_OK && result != PM_SECRET_CHANGED) throw Failure{PM_STORAGE};
    return result == PM_SECRET_OK;
}

void Shell::deleteSecret(const std::string& name) const
{
    const auto result = _functions.secret_delete(_functions.context, name.c_str());
    if (result != PM_SECRET_OK && result != PM_SECRET_MISSING) throw Failure{PM_STORAGE};
}

std::string Shell::publicKey() const
{
    pm_sink sink{longestKey};
    if (_functions.key_public(_functions.context, &sink) != 0 || sink.overflowed || sink.bytes.size() != 2 * coordinate + 1 ||
        sink.bytes[0] != 4)
        throw Failure{PM_KEY};
    return sink.bytes.substr(1);
}

std::string Shell::sign(std::string_view data) const
{
    pm_sink sink{longestKey};
    if (_functions.key_sign(_functions.context, data.data(), data.size(), &sink) != 0 || sink.overflowed) throw Failure{PM_KEY};
    auto signature = rawSignature(sink.bytes);
    if (!signature) throw Failure{PM_KEY};
    return *std::move(signature);
}

std::string Shell::random() const
{
    std::string bytes(32, '\0');
    if (_functions.random(_functions.context, bytes.data(), bytes.size()) != 0) throw Failure{PM_KEY};
    // A function that does nothing reports success, too.
    if (std::ranges::all_of(bytes, [](char c) { return c == 0; })) throw Failure{PM_KEY};
    return bytes;
}

std::optional<std::string> Shell::cached(const char* name) const
{
    pm_sink sink{longestAnswer + 4096};
    if (_functions.cache_read(_functions.context, name, &sink) != 0 || sink.overflowed) return std::nullopt;
    return std::move(sink.bytes);
}

void Shell::cache(const char* name, std::string_view content) const
{
    if (_functions.cache_write(_functions.context, name, content.data(), content.size()) == 0) return;
    log(PM_LOG_WARNING, "The cache cannot be written.");
    // An older document must not be taken for the one that did not fit.
    forget(name);
}

bool Shell::isInstalled(const std::string& serviceId, const std::string& appId) const
{
    return _functions.is_installed(_functions.context, serviceId.c_str(), appId.c_str()) == 1;
}

void Shell::log(pm_log_level level, const char* message) const
{
    if (_functions.log) _functions.log(_functions.context, level, message);
}

} // namespace portico::mobile
