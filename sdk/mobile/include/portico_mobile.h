#ifndef PORTICO_MOBILE_H
#define PORTICO_MOBILE_H

/* Sign-in, catalog and launch for a native shell of Portico: the whole interface of libportico_mobile.
 *
 * Rules that hold for every function:
 * - A struct begins with `size`: set it to sizeof the struct that you compile with. A later library fills no member behind it.
 * - No function throws, starts a thread or keeps global state. Use a client from one thread at a time; clients are independent.
 * - Texts are UTF-8 and end with a zero byte. What the library returns belongs to the caller, who frees it with `pm_string_free`.
 * - A function that fails leaves its output empty (null or zero) and the stored sign-in unchanged, except where its status is
 * PM_SIGNED_OUT. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

#if defined(PM_BUILD)
#define PM_API __attribute__((visibility("default")))
#else
#define PM_API
#endif

/* In C++ a value that no enumerator has is still defined: the library refuses it. */
#ifdef __cplusplus
#define PM_ENUM : int32_t
#else
#define PM_ENUM
#endif

#define PM_VERSION 1

    typedef struct pm_client pm_client;
    /* Takes the bytes that a function of the shell returns. Valid during that call only. */
    typedef struct pm_sink pm_sink;
    /* Takes the response of one HTTP request. Valid during that call only. */
    typedef struct pm_response pm_response;

    typedef enum pm_status PM_ENUM
    {
        PM_OK = 0,
        PM_INVALID_ARGUMENT = 1, /* a null pointer, an unknown struct size, a malformed URL or ID */
        PM_SIGNED_OUT = 2,       /* the user is signed out, or the server has ended the sign-in: tokens and cache are deleted */
        PM_OFFLINE = 3,          /* no response, and the cache has no answer */
        PM_UNAVAILABLE = 4,      /* 429 or 5xx; nothing is deleted */
        PM_REFUSED = 5,          /* another 4xx; pm_last_problem has the code */
        PM_BAD_ANSWER = 6,       /* the response is malformed, too large or leads to a foreign origin */
        PM_STORAGE = 7,          /* the secret store failed */
        PM_KEY = 8,              /* the hardware key failed or returned something else than a P-256 key or signature */
        PM_WRONG_STATE = 9,      /* the callback does not belong to this app's sign-in */
        PM_WRONG_ISSUER = 10,    /* the callback is from another authorization server */
        PM_DENIED = 11,          /* the user or the server declined the sign-in */
        PM_NO_MEMORY = 12,
        PM_INTERNAL = 13 /* a function of the shell threw, or the library has a fault */
    } pm_status;

    typedef struct pm_header
    {
        const char* name;
        const char* value;
    } pm_header;

    /* One HTTP request. Do not follow redirects, do not send cookies, do not cache, and write neither headers nor bodies to a log. */
    typedef struct pm_request
    {
        uint32_t size;
        const char* method;
        const char* url;
        const pm_header* headers;
        size_t header_count;
        const char* body; /* null without a body */
        size_t body_size;
        uint32_t timeout_ms; /* end the request after this time */
    } pm_request;

    typedef enum pm_secret_result PM_ENUM
    {
        PM_SECRET_OK = 0,
        PM_SECRET_MISSING = 1, /* of get: there is no such secret */
        PM_SECRET_CHANGED = 2, /* of compare_and_set: the stored value is not the expected one; nothing was written */
        PM_SECRET_FAILED = 3
    } pm_secret_result;

    typedef enum pm_log_level PM_ENUM
    {
        PM_LOG_INFO = 0,
        PM_LOG_WARNING = 1
    } pm_log_level;

    /* Lists the functions that the shell supplies. They return 0 for success unless stated otherwise; `context` is passed back unchanged.
     * They may not call the client that calls them. `log` may be null, every other function is required. */
    typedef struct pm_shell
    {
        uint32_t size;
        void* context;
        /* Sends a request and reports what arrived with pm_response_*. Returns another value than 0 if there was no response. */
        int (*http)(void* context, const pm_request* request, pm_response* response);
        /* Secret store of the keychain group that the apps share. Returns a pm_secret_result. */
        int (*secret_get)(void* context, const char* name, pm_sink* value);
        /* Writes atomically, also with respect to other apps, if the stored value is `expected` (null: no value is stored). */
        int (*secret_compare_and_set)(void* context, const char* name, const void* expected, size_t expected_size, const void* value,
                                      size_t value_size);
        /* Deletes a secret. A missing secret is a success. */
        int (*secret_delete)(void* context, const char* name);
        /* Key of the keychain group, created when it is first asked for: an uncompressed P-256 point of 65 bytes (04 x y). */
        int (*key_public)(void* context, pm_sink* point);
        /* Signs data with ECDSA and SHA-256. Writes the signature as 64 bytes (r s) or in DER. */
        int (*key_sign)(void* context, const void* data, size_t data_size, pm_sink* signature);
        /* Fills a buffer with random bytes of cryptographic quality. */
        int (*random)(void* context, void* buffer, size_t buffer_size);
        /* Returns the seconds since 1970-01-01T00:00:00Z. */
        int64_t (*now)(void* context);
        /* Cache files of this app, outside of backups. Reading a missing file returns another value than 0. Names are [a-z]+. */
        int (*cache_read)(void* context, const char* name, pm_sink* content);
        int (*cache_write)(void* context, const char* name, const void* content, size_t content_size);
        int (*cache_remove)(void* context, const char* name);
        /* Returns 1 if the native app is installed. `app_id` is its bundle or package, empty if the library does not know it. */
        int (*is_installed)(void* context, const char* service_id, const char* app_id);
        /* Receives messages for developers. They contain no tokens, codes or keys. */
        void (*log)(void* context, pm_log_level level, const char* message);
    } pm_shell;

    /* Identifies the app. URLs are origins without a path, https, or http on a loopback address or *.localhost. Everything is copied. */
    typedef struct pm_config
    {
        uint32_t size;
        const char* issuer;        /* origin of identity */
        const char* launchpad_url; /* origin of the launchpad */
        const char* service_id;    /* the service whose app this is: `launchpad`, or `crm` */
        const char* service_url;   /* origin of that service */
        const char* client_id;     /* its native client */
        const char* redirect_uri;  /* registered redirect URI of that client */
        const char* callback_url;  /* web callback of the service, for pm_exchange; null: {service_url}/auth/callback */
        const char* app_name;      /* [a-z0-9.-]{1,100}, another one for each app of the keychain group */
    } pm_config;

    typedef enum pm_platform PM_ENUM
    {
        PM_IOS = 0,
        PM_ANDROID = 1
    } pm_platform;

    typedef enum pm_launch_kind PM_ENUM
    {
        PM_LAUNCH_LINK = 0,  /* open `url` in the installed native app (universal link, app link) */
        PM_LAUNCH_STORE = 1, /* open `url` in the app store */
        PM_LAUNCH_WEB = 2    /* open `url` in the browser */
    } pm_launch_kind;

    /* Where a tap leads. The URL may contain a code that signs in once: open it, do not store it and do not log it. */
    typedef struct pm_launch_result
    {
        uint32_t size;
        pm_launch_kind kind;
        char* url;
    } pm_launch_result;

    /* A JSON document of the server. */
    typedef struct pm_document
    {
        uint32_t size;
        char* json;
        size_t json_size;
        int32_t from_cache;  /* 1 if the server did not confirm the document now */
        int64_t age_seconds; /* since the server sent or confirmed it; 0 if that was now */
    } pm_document;

    typedef enum pm_source PM_ENUM
    {
        PM_NETWORK = 0,   /* asks the server, and returns the cached document if there is no response */
        PM_CACHE_ONLY = 1 /* sends nothing */
    } pm_source;

    typedef enum pm_theme PM_ENUM
    {
        PM_LIGHT = 0,
        PM_DARK = 1
    } pm_theme;

    /* Returns PM_VERSION of the library. */
    PM_API uint32_t pm_version(void);
    /* Returns the name of a status, for example "PM_OFFLINE". The text is static. */
    PM_API const char* pm_status_name(pm_status status);
    /* Frees a text of the library. Null is allowed. */
    PM_API void pm_string_free(char* text);

    /* Appends bytes to what a function of the shell returns. Returns 0, or another value if that is more than the library accepts. */
    PM_API int pm_sink_write(pm_sink* sink, const void* data, size_t size);
    /* Report the status, headers and body of a response; the body may be reported in parts. A result other than 0: stop the transfer. */
    PM_API int pm_response_status(pm_response* response, int status);
    PM_API int pm_response_header(pm_response* response, const char* name, const char* value);
    PM_API int pm_response_body(pm_response* response, const void* data, size_t size);

    /* Creates a client. Reads nothing and sends nothing. `shell.context` must outlive the client. */
    PM_API pm_status pm_client_create(const pm_config* config, const pm_shell* shell, pm_client** client);
    /* Frees a client; the sign-in stays. Null is allowed. */
    PM_API void pm_client_free(pm_client* client);
    /* Returns the error code of the last refusal (`plan_required`), or an empty text. Valid until the next call. */
    PM_API const char* pm_last_problem(const pm_client* client);

    /* Begins a sign-in: returns the URL to open in the system browser. A sign-in that this app has begun before is void. */
    PM_API pm_status pm_sign_in_start(pm_client* client, char** url);
    /* Finishes a sign-in with the URL that the browser was led back to. Each sign-in can be finished once. */
    PM_API pm_status pm_sign_in_finish(pm_client* client, const char* callback_url);
    /* Sets `signed_in` to 1 if the keychain group has a refresh token. Sends nothing. */
    PM_API pm_status pm_signed_in(pm_client* client, int32_t* signed_in);
    /* Fetches a new access token. The library does that itself when it needs one. */
    PM_API pm_status pm_refresh(pm_client* client);
    /* Signs all apps of the keychain group out, on the server if it responds, and clears this app's cache. */
    PM_API pm_status pm_sign_out(pm_client* client);

    /* Reads the apps of the active context: {"items":[…]}. */
    PM_API pm_status pm_catalog(pm_client* client, pm_source source, pm_document* document);
    /* Reads the user's preferences. */
    PM_API pm_status pm_preferences(pm_client* client, pm_source source, pm_document* document);
    /* Reads the number of open actions: {"open":3,"overdue":0,"critical":1}. */
    PM_API pm_status pm_actions(pm_client* client, pm_source source, pm_document* document);

    /* Handles one tap on an app with one request: has a code issued and chooses the link, the store or the browser. `return_to` is a path
     * of the app or null. */
    PM_API pm_status pm_launch(pm_client* client, const char* service_id, pm_platform platform, const char* return_to,
                               pm_launch_result* result);
    /* Signs the native app in that a link ({launchpad_url}/launch/{service_id}?code=…) has opened. `return_to` receives the path to show.
     */
    PM_API pm_status pm_exchange(pm_client* client, const char* link, char** return_to);

    /* Returns the wordmark lockup as SVG, 8 to 4096 pixels high. */
    PM_API pm_status pm_lockup(pm_theme theme, uint32_t height, char** svg);

#ifdef __cplusplus
}
#endif

#endif
