#include <openssl/evp.h>

#include <array>
#include <cstdarg>
#include <cstddef>
#include <mutex>
#include <string_view>

// Caches RSA keys, whose generation takes longer than most tests. CMakeLists.txt substitutes this function for OpenSSL's, which it calls
// for the first keys of the process. Later calls return these keys again, of which there are more than a test uses at once.
namespace
{

constexpr std::size_t most = 16;

struct Keys
{
    std::mutex mutex;
    std::array<EVP_PKEY*, most> made{};
    std::size_t next = 0;
};

} // namespace

extern "C"
{
    EVP_PKEY* __real_EVP_PKEY_Q_keygen(OSSL_LIB_CTX* library, const char* properties, const char* type, ...);
    EVP_PKEY* __wrap_EVP_PKEY_Q_keygen(OSSL_LIB_CTX* library, const char* properties, const char* type, ...)
    {
        static Keys keys;
        std::va_list more;
        va_start(more, type);
        if (std::string_view(type) != "RSA")
        {
            const char* const curve = va_arg(more, const char*);
            va_end(more);
            return __real_EVP_PKEY_Q_keygen(library, properties, type, curve);
        }
        const auto bits = va_arg(more, std::size_t);
        va_end(more);
        const std::scoped_lock lock(keys.mutex);
        auto& key = keys.made[keys.next++ % most];
        if (key == nullptr) key = __real_EVP_PKEY_Q_keygen(library, properties, type, bits);
        EVP_PKEY_up_ref(key);
        return key;
    }
}
