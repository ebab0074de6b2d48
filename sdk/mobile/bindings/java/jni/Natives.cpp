#include "Jni.h"

#include <array>
#include <iterator>
#include <memory>
#include <new>

// The functions of io.portico.mobile.Native, registered when the library is loaded.

namespace portico::mobile::jni
{

namespace
{

/// A client and the Java object whose functions it calls.
struct Handle
{
    pm_client* client = nullptr;
    jobject shell = nullptr;
};

pm_client* clientOf(jlong handle) { return handle ? fromHandle<Handle>(handle)->client : nullptr; }

/// Moves a text of the library into the first element of a Java array.
jint put(JNIEnv* env, pm_status status, char* text, jobjectArray out)
{
    if (status == PM_OK)
    {
        auto* bytes = arrayOf(env, text);
        if (bytes) env->SetObjectArrayElement(out, 0, bytes);
    }
    pm_string_free(text);
    return status;
}

jint version(JNIEnv*, jclass) { return static_cast<jint>(pm_version()); }

jbyteArray statusName(JNIEnv* env, jclass, jint status) { return arrayOf(env, pm_status_name(static_cast<pm_status>(status))); }

jint create(JNIEnv* env, jclass, jobjectArray texts, jobject shell, jlongArray out)
{
    std::array<std::optional<std::string>, 8> fields;
    for (jsize i = 0; i < 8; ++i)
    {
        auto* bytes = static_cast<jbyteArray>(env->GetObjectArrayElement(texts, i));
        fields[static_cast<std::size_t>(i)] = textOf(env, bytes);
        env->DeleteLocalRef(bytes);
    }
    const pm_config config{sizeof(pm_config),    pointerOf(fields[0]), pointerOf(fields[1]), pointerOf(fields[2]), pointerOf(fields[3]),
                           pointerOf(fields[4]), pointerOf(fields[5]), pointerOf(fields[6]), pointerOf(fields[7])};
    auto handle = std::make_unique<Handle>();
    handle->shell = env->NewGlobalRef(shell);
    if (!handle->shell) return PM_NO_MEMORY;
    const auto functions = functionsOf(handle->shell);
    if (const auto status = pm_client_create(&config, &functions, &handle->client); status != PM_OK)
    {
        env->DeleteGlobalRef(handle->shell);
        return status;
    }
    const auto number = toHandle(handle.release());
    env->SetLongArrayRegion(out, 0, 1, &number);
    return PM_OK;
}

void release(JNIEnv* env, jclass, jlong number)
{
    const std::unique_ptr<Handle> handle(fromHandle<Handle>(number));
    pm_client_free(handle->client);
    env->DeleteGlobalRef(handle->shell);
}

jbyteArray lastProblem(JNIEnv* env, jclass, jlong handle) { return arrayOf(env, pm_last_problem(clientOf(handle))); }

jint startSignIn(JNIEnv* env, jclass, jlong handle, jobjectArray out)
{
    char* url = nullptr;
    const auto status = pm_sign_in_start(clientOf(handle), &url);
    return put(env, status, url, out);
}

jint finishSignIn(JNIEnv* env, jclass, jlong handle, jbyteArray callbackUrl)
{
    return pm_sign_in_finish(clientOf(handle), pointerOf(textOf(env, callbackUrl)));
}

jint isSignedIn(JNIEnv* env, jclass, jlong handle, jintArray out)
{
    std::int32_t is = 0;
    const auto status = pm_signed_in(clientOf(handle), &is);
    const jint value = is;
    env->SetIntArrayRegion(out, 0, 1, &value);
    return status;
}

jint refresh(JNIEnv*, jclass, jlong handle) { return pm_refresh(clientOf(handle)); }

jint signOut(JNIEnv*, jclass, jlong handle) { return pm_sign_out(clientOf(handle)); }

jint readDocument(JNIEnv* env, jclass, jlong handle, jint which, jint source, jobjectArray json, jlongArray about)
{
    constexpr std::array readers{pm_catalog, pm_preferences, pm_actions};
    pm_document document{sizeof(pm_document), nullptr, 0, 0, 0};
    const auto status = readers.at(static_cast<std::size_t>(which))(clientOf(handle), static_cast<pm_source>(source), &document);
    const std::array<jlong, 2> values{document.from_cache, document.age_seconds};
    env->SetLongArrayRegion(about, 0, 2, values.data());
    return put(env, status, document.json, json);
}

jint launch(JNIEnv* env, jclass, jlong handle, jbyteArray serviceId, jbyteArray returnTo, jobjectArray url, jintArray kind)
{
    const auto service = textOf(env, serviceId);
    const auto path = textOf(env, returnTo);
    pm_launch_result result{sizeof(pm_launch_result), PM_LAUNCH_WEB, nullptr};
    const auto status = pm_launch(clientOf(handle), pointerOf(service), PM_ANDROID, pointerOf(path), &result);
    const jint value = result.kind;
    env->SetIntArrayRegion(kind, 0, 1, &value);
    return put(env, status, result.url, url);
}

jint exchange(JNIEnv* env, jclass, jlong handle, jbyteArray link, jobjectArray out)
{
    char* path = nullptr;
    const auto status = pm_exchange(clientOf(handle), pointerOf(textOf(env, link)), &path);
    return put(env, status, path, out);
}

jint lockup(JNIEnv* env, jclass, jint theme, jint height, jobjectArray out)
{
    char* svg = nullptr;
    const auto status = pm_lockup(static_cast<pm_theme>(theme), height < 0 ? 0 : static_cast<std::uint32_t>(height), &svg);
    return put(env, status, svg, out);
}

jint write(JNIEnv* env, jclass, jlong sink, jbyteArray bytes)
{
    const auto text = textOf(env, bytes);
    return text ? pm_sink_write(fromHandle<pm_sink>(sink), text->data(), text->size()) : 1;
}

jint responseHead(JNIEnv* env, jclass, jlong handle, jint status, jobjectArray namesAndValues)
{
    auto* response = fromHandle<pm_response>(handle);
    if (pm_response_status(response, status)) return 1;
    const auto text = [&](jsize i)
    {
        auto* bytes = static_cast<jbyteArray>(env->GetObjectArrayElement(namesAndValues, i));
        auto copy = textOf(env, bytes);
        env->DeleteLocalRef(bytes);
        return copy;
    };
    for (jsize i = 0; i + 1 < env->GetArrayLength(namesAndValues); i += 2)
    {
        const auto [name, value] = std::pair(text(i), text(i + 1));
        if (pm_response_header(response, pointerOf(name), pointerOf(value))) return 1;
    }
    return 0;
}

jint responseBody(JNIEnv* env, jclass, jlong response, jbyteArray bytes)
{
    const auto text = textOf(env, bytes);
    return text ? pm_response_body(fromHandle<pm_response>(response), text->data(), text->size()) : 1;
}

/// An entry of the table of functions; JNI takes its texts without const and its functions without types.
template <typename Function>
JNINativeMethod entry(const char* name, const char* type, Function* function)
{
    return {const_cast<char*>(name), const_cast<char*>(type), reinterpret_cast<void*>(function)};
}

bool registerNatives(JNIEnv* env)
{
    auto* type = env->FindClass("io/portico/mobile/Native");
    const JNINativeMethod functions[] = {
        entry("version", "()I", version),
        entry("statusName", "(I)[B", statusName),
        entry("create", "([[BLio/portico/mobile/Shell;[J)I", create),
        entry("free", "(J)V", release),
        entry("lastProblem", "(J)[B", lastProblem),
        entry("startSignIn", "(J[[B)I", startSignIn),
        entry("finishSignIn", "(J[B)I", finishSignIn),
        entry("isSignedIn", "(J[I)I", isSignedIn),
        entry("refresh", "(J)I", refresh),
        entry("signOut", "(J)I", signOut),
        entry("read", "(JII[[B[J)I", readDocument),
        entry("launch", "(J[B[B[[B[I)I", launch),
        entry("exchange", "(J[B[[B)I", exchange),
        entry("lockup", "(II[[B)I", lockup),
        entry("write", "(J[B)I", write),
        entry("responseHead", "(JI[[B)I", responseHead),
        entry("responseBody", "(J[B)I", responseBody),
    };
    return type && env->RegisterNatives(type, functions, static_cast<jint>(std::size(functions))) == 0;
}

} // namespace

} // namespace portico::mobile::jni

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*)
{
    void* env = nullptr;
    if (vm->GetEnv(&env, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
    auto* java = static_cast<JNIEnv*>(env);
    return portico::mobile::jni::findCallbacks(vm, java) && portico::mobile::jni::registerNatives(java) ? JNI_VERSION_1_6 : JNI_ERR;
}
