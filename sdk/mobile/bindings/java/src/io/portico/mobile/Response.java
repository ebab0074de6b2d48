package io.portico.mobile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The response to a {@link Request}. */
public final class Response {
    final int status;
    final byte[] body;
    final List<Map.Entry<String, String>> headers = new ArrayList<>();

    public Response(int status, byte[] body) {
        this.status = status;
        this.body = body;
    }

    /** Adds a header. */
    public Response with(String name, String value) {
        headers.add(Map.entry(name, value));
        return this;
    }
}
