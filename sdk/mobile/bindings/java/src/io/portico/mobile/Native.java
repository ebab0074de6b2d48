package io.portico.mobile;

import java.nio.charset.StandardCharsets;

/** The functions of portico_mobile.h. Texts cross as UTF-8, because JNI's own form of it has no characters beyond 16 bits. */
final class Native {
    static {
        System.loadLibrary("portico_mobile_jni");
    }

    private Native() {}

    static byte[] bytes(String text) {
        if (text != null && text.indexOf('\0') >= 0) throw new IllegalArgumentException("The text contains a zero.");
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    static native int version();

    static native byte[] statusName(int status);

    static native int create(byte[][] config, Shell shell, long[] client);

    static native void free(long client);

    static native byte[] lastProblem(long client);

    static native int startSignIn(long client, byte[][] url);

    static native int finishSignIn(long client, byte[] callbackUrl);

    static native int isSignedIn(long client, int[] is);

    static native int refresh(long client);

    static native int signOut(long client);

    static native int read(long client, int which, int source, byte[][] json, long[] fromCacheAndAge);

    static native int launch(long client, byte[] serviceId, byte[] returnTo, byte[][] url, int[] kind);

    static native int exchange(long client, byte[] link, byte[][] returnTo);

    static native int lockup(int theme, int height, byte[][] svg);

    static native int write(long sink, byte[] bytes);

    static native int responseHead(long response, int status, byte[][] namesAndValues);

    static native int responseBody(long response, byte[] bytes);
}
