#include "Jni.h"

#include <cstdint>

namespace portico::mobile::jni
{

namespace
{

/// The virtual machine and the methods of Callbacks; written once, before any call.
struct Methods
{
    JavaVM* vm = nullptr;
    jclass type = nullptr;
    jmethodID http = nullptr, secretGet = nullptr, secretSet = nullptr, secretDelete = nullptr, keyPublic = nullptr, keySign = nullptr,
              random = nullptr, now = nullptr, cacheRead = nullptr, cacheWrite = nullptr, cacheRemove = nullptr, isInstalled = nullptr,
              log = nullptr;
};
Methods methods;

constexpr jint localReferences = 24;

/// One call into Java: frees the references that it made, and clears an exception that is left.
class Call
{
public:
    explicit Call(void* context) : shell(static_cast<jobject>(context))
    {
        void* found = nullptr;
        if (methods.vm->GetEnv(&found, JNI_VERSION_1_6) != JNI_OK) return;
        env = static_cast<JNIEnv*>(found);
        _framed = env->PushLocalFrame(localReferences) == 0;
    }
    ~Call()
    {
        if (env && env->ExceptionCheck()) env->ExceptionClear();
        if (_framed) env->PopLocalFrame(nullptr);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    jbyteArray array(const char* text) const { return arrayOf(env, text); }
    jbyteArray array(const void* bytes, std::size_t size) const { return arrayOf(env, bytes, size); }

    /// Calls a method that returns int; `failed` if it cannot be called or throws.
    template <typename... Arguments>
    int run(int failed, jmethodID method, Arguments... arguments) const
    {
        if (!_framed || env->ExceptionCheck()) return failed;
        const auto result = env->CallStaticIntMethod(methods.type, method, shell, arguments...);
        return env->ExceptionCheck() ? failed : result;
    }
    bool usable() const { return _framed; }

    JNIEnv* env = nullptr;
    jobject shell;

private:
    bool _framed = false;
};

int http(void* context, const pm_request* request, pm_response* response)
{
    const Call call(context);
    if (!call.usable()) return 1;
    auto* bytes = call.env->FindClass("[B");
    auto* headers = bytes ? call.env->NewObjectArray(static_cast<jsize>(2 * request->header_count), bytes, nullptr) : nullptr;
    if (!headers) return 1;
    for (std::size_t i = 0; i < 2 * request->header_count; ++i)
    {
        const auto& header = request->headers[i / 2];
        auto* text = call.array(i % 2 == 0 ? header.name : header.value);
        if (!text) return 1;
        call.env->SetObjectArrayElement(headers, static_cast<jsize>(i), text);
        call.env->DeleteLocalRef(text);
    }
    return call.run(1, methods.http, call.array(request->method), call.array(request->url), headers,
                    request->body ? call.array(request->body, request->body_size) : nullptr, static_cast<jint>(request->timeout_ms),
                    toHandle(response));
}

int secretGet(void* context, const char* name, pm_sink* value)
{
    const Call call(context);
    return call.usable() ? call.run(PM_SECRET_FAILED, methods.secretGet, call.array(name), toHandle(value)) : PM_SECRET_FAILED;
}

int secretSet(void* context, const char* name, const void* expected, std::size_t expectedSize, const void* value, std::size_t valueSize)
{
    const Call call(context);
    if (!call.usable()) return PM_SECRET_FAILED;
    return call.run(PM_SECRET_FAILED, methods.secretSet, call.array(name), expected ? call.array(expected, expectedSize) : nullptr,
                    call.array(value, valueSize));
}

int secretDelete(void* context, const char* name)
{
    const Call call(context);
    return call.usable() ? call.run(PM_SECRET_FAILED, methods.secretDelete, call.array(name)) : PM_SECRET_FAILED;
}

int keyPublic(void* context, pm_sink* point)
{
    const Call call(context);
    return call.run(1, methods.keyPublic, toHandle(point));
}

int keySign(void* context, const void* data, std::size_t size, pm_sink* signature)
{
    const Call call(context);
    return call.usable() ? call.run(1, methods.keySign, call.array(data, size), toHandle(signature)) : 1;
}

int randomBytes(void* context, void* buffer, std::size_t size)
{
    const Call call(context);
    if (!call.usable()) return 1;
    auto* bytes = call.env->NewByteArray(static_cast<jsize>(size));
    if (!bytes) return 1;
    if (const auto failed = call.run(1, methods.random, bytes)) return failed;
    call.env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(size), static_cast<jbyte*>(buffer));
    return 0;
}

std::int64_t now(void* context)
{
    const Call call(context);
    return call.usable() ? call.env->CallStaticLongMethod(methods.type, methods.now, call.shell) : 0;
}

int cacheRead(void* context, const char* name, pm_sink* content)
{
    const Call call(context);
    return call.usable() ? call.run(1, methods.cacheRead, call.array(name), toHandle(content)) : 1;
}

int cacheWrite(void* context, const char* name, const void* content, std::size_t size)
{
    const Call call(context);
    return call.usable() ? call.run(1, methods.cacheWrite, call.array(name), call.array(content, size)) : 1;
}

int cacheRemove(void* context, const char* name)
{
    const Call call(context);
    return call.usable() ? call.run(1, methods.cacheRemove, call.array(name)) : 1;
}

int isInstalled(void* context, const char* serviceId, const char* appId)
{
    const Call call(context);
    return call.usable() ? call.run(0, methods.isInstalled, call.array(serviceId), call.array(appId)) : 0;
}

void log(void* context, pm_log_level level, const char* message)
{
    const Call call(context);
    if (!call.usable()) return;
    auto* text = call.array(message);
    if (text) call.env->CallStaticVoidMethod(methods.type, methods.log, call.shell, static_cast<jint>(level), text);
}

} // namespace

bool findCallbacks(JavaVM* vm, JNIEnv* env)
{
    auto* type = env->FindClass("io/portico/mobile/Callbacks");
    if (!type) return false;
    methods.vm = vm;
    methods.type = static_cast<jclass>(env->NewGlobalRef(type));
    const auto find = [&](jmethodID& method, const char* name, const std::string& arguments, char result)
    {
        method = env->GetStaticMethodID(type, name, ("(Lio/portico/mobile/Shell;" + arguments + ')' + result).c_str());
        return method != nullptr;
    };
    return find(methods.http, "http", "[B[B[[B[BIJ", 'I') && find(methods.secretGet, "secretGet", "[BJ", 'I') &&
           find(methods.secretSet, "secretCompareAndSet", "[B[B[B", 'I') && find(methods.secretDelete, "secretDelete", "[B", 'I') &&
           find(methods.keyPublic, "keyPublic", "J", 'I') && find(methods.keySign, "keySign", "[BJ", 'I') &&
           find(methods.random, "random", "[B", 'I') && find(methods.now, "now", "", 'J') &&
           find(methods.cacheRead, "cacheRead", "[BJ", 'I') && find(methods.cacheWrite, "cacheWrite", "[B[B", 'I') &&
           find(methods.cacheRemove, "cacheRemove", "[B", 'I') && find(methods.isInstalled, "isInstalled", "[B[B", 'I') &&
           find(methods.log, "log", "I[B", 'V');
}

pm_shell functionsOf(jobject shell)
{
    return {sizeof(pm_shell), shell, http,      secretGet,  secretSet,   secretDelete, keyPublic, keySign,
            randomBytes,      now,   cacheRead, cacheWrite, cacheRemove, isInstalled,  log};
}

} // namespace portico::mobile::jni
