package io.portico.mobile;

/** Identifies the app. URLs are origins without a path. */
public final class Config {
    /** Origin of identity. */
    public String issuer;
    /** Origin of the launchpad. */
    public String launchpadUrl;
    /** The service whose app this is: {@code launchpad}, or {@code crm}. */
    public String serviceId;
    /** Origin of that service. */
    public String serviceUrl;
    /** Its native client, and a redirect URI that is registered for it. */
    public String clientId;
    public String redirectUri;
    /** Web callback of the service, for {@link Client#exchange}; null: {serviceUrl}/auth/callback. */
    public String callbackUrl;
    /** [a-z0-9.-]{1,100}, another one for each app that shares the secrets. */
    public String appName;
}
