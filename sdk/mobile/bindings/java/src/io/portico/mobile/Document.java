package io.portico.mobile;

/** A JSON document of the server. */
public final class Document {
    public final String json;
    /** True if the server did not confirm the document now. */
    public final boolean fromCache;
    /** Seconds since the server sent or confirmed it. */
    public final long ageSeconds;

    Document(String json, boolean fromCache, long ageSeconds) {
        this.json = json;
        this.fromCache = fromCache;
        this.ageSeconds = ageSeconds;
    }
}
