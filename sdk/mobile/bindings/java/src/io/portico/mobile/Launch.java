package io.portico.mobile;

/** Where a tap leads. The URL may contain a code that signs in once: open it, do not store it and do not log it. */
public final class Launch {
    public enum Kind {
        /** Open the URL in the installed native app. */
        LINK,
        /** Open the URL in the app store. */
        STORE,
        /** Open the URL in the browser. */
        WEB
    }

    public final Kind kind;
    public final String url;

    Launch(Kind kind, String url) {
        this.kind = kind;
        this.url = url;
    }
}
