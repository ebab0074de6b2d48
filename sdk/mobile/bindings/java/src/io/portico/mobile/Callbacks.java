package io.portico.mobile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the library calls: translates between its values and those of {@link Shell}, and turns exceptions into failures. */
final class Callbacks {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int SECRET_MISSING = 1;
    private static final int SECRET_CHANGED = 2;
    private static final int SECRET_FAILED = 3;

    private Callbacks() {}

    private interface Act {
        int run() throws Exception;
    }

    private static int guarded(int failed, Act act) {
        try {
            return act.run();
        } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError exception) {
            return failed;
        }
    }

    static int http(Shell shell, byte[] method, byte[] url, byte[][] namesAndValues, byte[] body, int timeout, long response) {
        return guarded(FAILED, () -> {
            List<Map.Entry<String, String>> headers = new ArrayList<>();
            for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
                headers.add(Map.entry(Native.text(namesAndValues[i]), Native.text(namesAndValues[i + 1])));
            }
            Response answer = shell.http(new Request(Native.text(method), Native.text(url), headers, body, timeout));
            if (answer == null) return FAILED;
            byte[][] flat = new byte[2 * answer.headers.size()][];
            for (int i = 0; i < answer.headers.size(); ++i) {
                flat[2 * i] = Native.bytes(answer.headers.get(i).getKey());
                flat[2 * i + 1] = Native.bytes(answer.headers.get(i).getValue());
            }
            if (Native.responseHead(response, answer.status, flat) != OK) return FAILED;
            return answer.body == null ? OK : Native.responseBody(response, answer.body);
        });
    }

    static int secretGet(Shell shell, byte[] name, long sink) {
        return guarded(SECRET_FAILED, () -> {
            byte[] value = shell.secretGet(Native.text(name));
            if (value == null) return SECRET_MISSING;
            return Native.write(sink, value) == OK ? OK : SECRET_FAILED;
        });
    }

    static int secretCompareAndSet(Shell shell, byte[] name, byte[] expected, byte[] value) {
        return guarded(SECRET_FAILED, () -> shell.secretCompareAndSet(Native.text(name), expected, value) ? OK : SECRET_CHANGED);
    }

    static int secretDelete(Shell shell, byte[] name) {
        return guarded(SECRET_FAILED, () -> {
            shell.secretDelete(Native.text(name));
            return OK;
        });
    }

    static int keyPublic(Shell shell, long sink) {
        return guarded(FAILED, () -> Native.write(sink, shell.keyPublic()));
    }

    static int keySign(Shell shell, byte[] data, long sink) {
        return guarded(FAILED, () -> Native.write(sink, shell.keySign(data)));
    }

    static int random(Shell shell, byte[] buffer) {
        return guarded(FAILED, () -> {
            shell.random(buffer);
            return OK;
        });
    }

    static long now(Shell shell) {
        long[] seconds = new long[1];
        guarded(FAILED, () -> {
            seconds[0] = shell.now();
            return OK;
        });
        return seconds[0];
    }

    static int cacheRead(Shell shell, byte[] name, long sink) {
        return guarded(FAILED, () -> {
            byte[] content = shell.cacheRead(Native.text(name));
            return content == null ? FAILED : Native.write(sink, content);
        });
    }

    static int cacheWrite(Shell shell, byte[] name, byte[] content) {
        return guarded(FAILED, () -> {
            shell.cacheWrite(Native.text(name), content);
            return OK;
        });
    }

    static int cacheRemove(Shell shell, byte[] name) {
        return guarded(FAILED, () -> {
            shell.cacheRemove(Native.text(name));
            return OK;
        });
    }

    static int isInstalled(Shell shell, byte[] serviceId, byte[] packageName) {
        return guarded(0, () -> shell.isInstalled(Native.text(serviceId), Native.text(packageName)) ? 1 : 0);
    }

    static void log(Shell shell, int level, byte[] message) {
        guarded(FAILED, () -> {
            shell.log(level == 1, Native.text(message));
            return OK;
        });
    }
}
