package io.portico.mobile;

import java.util.List;
import java.util.Map;

/** One HTTP request of the library. */
public final class Request {
    public final String method;
    public final String url;
    public final List<Map.Entry<String, String>> headers;
    /** Null without a body. */
    public final byte[] body;
    /** The shell ends the request after this time. */
    public final int timeoutMilliseconds;

    Request(String method, String url, List<Map.Entry<String, String>> headers, byte[] body, int timeoutMilliseconds) {
        this.method = method;
        this.url = url;
        this.headers = headers;
        this.body = body;
        this.timeoutMilliseconds = timeoutMilliseconds;
    }

    /** Returns the first header with this name, or null. */
    public String header(String name) {
        for (Map.Entry<String, String> each : headers) {
            if (each.getKey().equalsIgnoreCase(name)) return each.getValue();
        }
        return null;
    }
}
