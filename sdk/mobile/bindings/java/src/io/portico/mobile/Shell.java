package io.portico.mobile;

import java.security.SecureRandom;

/**
 * The functions that the app supplies. They are called in the thread of the call that needs them and may not call the client.
 * An exception is a failure of the function; its text goes nowhere.
 */
public interface Shell {
    /** Sends a request: follows no redirects, sends no cookies, caches and logs nothing. Throws if there was no response. */
    Response http(Request request) throws Exception;

    /** Returns a secret of the store that the apps share, or null. */
    byte[] secretGet(String name) throws Exception;

    /**
     * Writes a secret, as one step for all apps, if the stored one is {@code expected} (null: none is stored). Returns false, having
     * written nothing, if it is another one.
     */
    boolean secretCompareAndSet(String name, byte[] expected, byte[] value) throws Exception;

    /** Deletes a secret. A missing one is a success. */
    void secretDelete(String name) throws Exception;

    /** Returns the uncompressed P-256 point (65 bytes) of the key that the apps share; creates the key at the first call. */
    byte[] keyPublic() throws Exception;

    /** Signs with ECDSA and SHA-256, as {@code SHA256withECDSA} does. */
    byte[] keySign(byte[] data) throws Exception;

    /** Fills a buffer with random bytes of cryptographic quality. */
    default void random(byte[] buffer) throws Exception {
        new SecureRandom().nextBytes(buffer);
    }

    /** Returns the seconds since 1970-01-01T00:00:00Z. */
    default long now() {
        return System.currentTimeMillis() / 1000;
    }

    /** Returns a cache file of this app, or null. Names are [a-z]+. */
    byte[] cacheRead(String name) throws Exception;

    void cacheWrite(String name, byte[] content) throws Exception;

    void cacheRemove(String name) throws Exception;

    /** Returns true if a native app is installed. {@code packageName} is empty if the catalog has not been read. */
    boolean isInstalled(String serviceId, String packageName) throws Exception;

    /** Receives messages for developers, without tokens, codes or keys. */
    default void log(boolean warning, String message) {}
}
