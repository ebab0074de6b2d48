package io.portico.mobile;

/**
 * Sign-in, catalog and launch for an Android app of Portico. Most calls wait for the network: do not call from the main thread. Calls from
 * several threads wait for each other. A call that fails throws {@link MobileException}; the stored sign-in is unchanged then, except after
 * {@link Status#SIGNED_OUT}.
 */
public final class Client implements AutoCloseable {
    /** Whether a document may come from the server, or only from the cache. */
    public enum Source {
        NETWORK,
        CACHE_ONLY
    }

    public enum Theme {
        LIGHT,
        DARK
    }

    private static final int CATALOG = 0;
    private static final int PREFERENCES = 1;
    private static final int ACTIONS = 2;

    private long handle;

    /** Reads nothing and sends nothing. */
    public Client(Config config, Shell shell) throws MobileException {
        byte[][] texts = {
            Native.bytes(config.issuer), Native.bytes(config.launchpadUrl), Native.bytes(config.serviceId), Native.bytes(config.serviceUrl),
            Native.bytes(config.clientId), Native.bytes(config.redirectUri), Native.bytes(config.callbackUrl), Native.bytes(config.appName)
        };
        if (shell == null) throw new NullPointerException("shell");
        long[] made = new long[1];
        require(Native.create(texts, shell, made), "");
        handle = made[0];
    }

    /** Frees the client; the sign-in stays. */
    @Override
    public synchronized void close() {
        if (handle != 0) Native.free(handle);
        handle = 0;
    }

    /** Begins a sign-in: returns the URL to open in the system browser. */
    public synchronized String startSignIn() throws MobileException {
        byte[][] url = new byte[1][];
        check(Native.startSignIn(open(), url));
        return Native.text(url[0]);
    }

    /** Finishes a sign-in with the URL that the browser was led back to. Each sign-in can be finished once. */
    public synchronized void finishSignIn(String callbackUrl) throws MobileException {
        check(Native.finishSignIn(open(), Native.bytes(callbackUrl)));
    }

    /** Returns true if a refresh token is stored. Sends nothing. */
    public synchronized boolean isSignedIn() throws MobileException {
        int[] is = new int[1];
        check(Native.isSignedIn(open(), is));
        return is[0] == 1;
    }

    /** Fetches a new access token. The library does that itself when it needs one. */
    public synchronized void refresh() throws MobileException {
        check(Native.refresh(open()));
    }

    /** Signs out all apps that share the secrets, on the server if it responds, and clears this app's cache. */
    public synchronized void signOut() throws MobileException {
        check(Native.signOut(open()));
    }

    /** Reads the apps of the active context. */
    public Document catalog(Source source) throws MobileException {
        return read(CATALOG, source);
    }

    /** Reads the user's preferences. */
    public Document preferences(Source source) throws MobileException {
        return read(PREFERENCES, source);
    }

    /** Reads the number of open actions. */
    public Document actions(Source source) throws MobileException {
        return read(ACTIONS, source);
    }

    /** Handles one tap on an app with one request. {@code returnTo} is a path of the app or null. */
    public synchronized Launch launch(String serviceId, String returnTo) throws MobileException {
        byte[][] url = new byte[1][];
        int[] kind = new int[1];
        check(Native.launch(open(), Native.bytes(serviceId), Native.bytes(returnTo), url, kind));
        return new Launch(Launch.Kind.values()[kind[0]], Native.text(url[0]));
    }

    /** Signs in the native app that a link has opened. Returns the path to show. */
    public synchronized String exchange(String link) throws MobileException {
        byte[][] path = new byte[1][];
        check(Native.exchange(open(), Native.bytes(link), path));
        return Native.text(path[0]);
    }

    /** Returns mark and wordmark as SVG, 8 to 4096 pixels high. */
    public static String lockup(Theme theme, int height) throws MobileException {
        byte[][] svg = new byte[1][];
        require(Native.lockup(theme.ordinal(), height, svg), "");
        return Native.text(svg[0]);
    }

    /** Returns the version of the library's interface. */
    public static int version() {
        return Native.version();
    }

    private synchronized Document read(int which, Source source) throws MobileException {
        byte[][] json = new byte[1][];
        long[] about = new long[2];
        check(Native.read(open(), which, source.ordinal(), json, about));
        return new Document(Native.text(json[0]), about[0] == 1, about[1]);
    }

    private long open() {
        if (handle == 0) throw new IllegalStateException("The client is closed.");
        return handle;
    }

    private void check(int status) throws MobileException {
        if (status != 0) require(status, Native.text(Native.lastProblem(handle)));
    }

    private static void require(int status, String problem) throws MobileException {
        if (status != 0) throw new MobileException(Status.values()[status], problem);
    }
}
