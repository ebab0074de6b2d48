#pragma once

#include "portico_mobile.h"

#include <jni.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

namespace portico::mobile::jni
{

/// A copy of a Java byte array; empty for null.
inline std::optional<std::string> textOf(JNIEnv* env, jbyteArray bytes)
{
    if (!bytes) return std::nullopt;
    std::string text(static_cast<std::size_t>(env->GetArrayLength(bytes)), '\0');
    env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()), reinterpret_cast<jbyte*>(text.data()));
    return text;
}

/// A Java byte array with a copy of bytes; null if memory is exhausted, with an exception pending.
inline jbyteArray arrayOf(JNIEnv* env, const void* bytes, std::size_t size)
{
    auto* array = env->NewByteArray(static_cast<jsize>(size));
    if (array) env->SetByteArrayRegion(array, 0, static_cast<jsize>(size), static_cast<const jbyte*>(bytes));
    return array;
}

inline jbyteArray arrayOf(JNIEnv* env, const char* text) { return arrayOf(env, text, std::strlen(text)); }

inline const char* pointerOf(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

/// Passes a pointer through Java, which keeps it as a number.
template <typename T>
T* fromHandle(jlong handle)
{
    return reinterpret_cast<T*>(static_cast<std::intptr_t>(handle));
}
inline jlong toHandle(const void* pointer) { return static_cast<jlong>(reinterpret_cast<std::intptr_t>(pointer)); }

/// Looks the methods of io.portico.mobile.Callbacks up, once after loading. False with an exception pending if one is missing.
bool findCallbacks(JavaVM* vm, JNIEnv* env);

/// The functions of a Java shell, a global reference to which is `shell`.
pm_shell functionsOf(jobject shell);

} // namespace portico::mobile::jni
