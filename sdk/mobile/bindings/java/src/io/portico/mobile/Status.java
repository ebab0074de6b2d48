package io.portico.mobile;

/** What a call may end with; {@code pm_status} in portico_mobile.h explains each. */
public enum Status {
    OK,
    INVALID_ARGUMENT,
    SIGNED_OUT,
    OFFLINE,
    UNAVAILABLE,
    REFUSED,
    BAD_ANSWER,
    STORAGE,
    KEY,
    WRONG_STATE,
    WRONG_ISSUER,
    DENIED,
    NO_MEMORY,
    INTERNAL
}
