import static java.nio.charset.StandardCharsets.UTF_8;

import io.portico.mobile.Client;
import io.portico.mobile.Client.Source;
import io.portico.mobile.Config;
import io.portico.mobile.Document;
import io.portico.mobile.Launch;
import io.portico.mobile.MobileException;
import io.portico.mobile.Request;
import io.portico.mobile.Response;
import io.portico.mobile.Shell;
import io.portico.mobile.Status;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sign-in, a catalog and a launch through the Java binding, on functions of a shell that this file supplies. */
public final class BindingTest {
    private static int passed;
    private static int failed;

    private interface Test {
        void run() throws Exception;
    }

    private static void test(String name, Test test) {
        try {
            test.run();
            ++passed;
        } catch (Exception | AssertionError exception) {
            ++failed;
            System.err.println("FAILED: " + name);
            exception.printStackTrace();
        }
    }

    private static void equal(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }

    private static MobileException refused(Status status, Test call) throws Exception {
        try {
            call.run();
        } catch (MobileException exception) {
            equal(status, exception.status());
            return exception;
        }
        throw new AssertionError("expected " + status);
    }

    /** A phone with one app, before a server that answers as identity and launchpad do. */
    private static final class Phone implements Shell {
        final Map<String, byte[]> secrets = new HashMap<>();
        final Map<String, byte[]> files = new HashMap<>();
        final List<Request> requests = new ArrayList<>();
        final StringBuilder log = new StringBuilder();
        final KeyPair key;
        boolean offline;
        boolean storeFails;
        int status;
        String asked = "";
        long now = 1_800_000_000;

        Phone() throws Exception {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            key = generator.generateKeyPair();
        }

        @Override
        public Response http(Request request) throws Exception {
            if (offline) throw new IOException("no network");
            requests.add(request);
            verifyProof(request);
            if (status != 0) return answer(status, "{\"code\":\"plan_required\"}");
            String path = request.url.replaceFirst("^https://[^/]+", "").replaceFirst("\\?.*", "");
            switch (path) {
                case "/oauth/token":
                    return answer(200, "{\"access_token\":\"access\",\"token_type\":\"DPoP\",\"expires_in\":600,\"refresh_token\":\"refresh\"}");
                case "/api/catalog":
                    return answer(200, "{\"items\":[{\"service_id\":\"crm\",\"name\":\"Kund\u00eb \ud83d\ude80\","
                            + "\"launch\":{\"android\":{\"packageName\":\"org.example.crm\"}}}],\"nextCursor\":null}").with("ETag", "\"c1\"");
                case "/api/actions":
                    return answer(200, "{\"items\":[],\"counts\":{\"open\":3,\"overdue\":0,\"critical\":1}}");
                case "/api/launch":
                    return answer(201, "{\"mode\":\"handoff\",\"url\":\"https://launchpad.example/launch/crm?code=c\","
                            + "\"universalLink\":\"https://launchpad.example/launch/crm?code=c\",\"fallback\":{\"webUrl\":\"https://crm.example\"}}");
                default:
                    return answer(404, "{\"code\":\"not_found\"}");
            }
        }

        private static Response answer(int status, String body) {
            return new Response(status, body.getBytes(UTF_8));
        }

        private void verifyProof(Request request) throws Exception {
            String[] parts = request.header("DPoP").split("\\.");
            byte[] pair = Base64.getUrlDecoder().decode(parts[2]);
            Signature verifier = Signature.getInstance("SHA256withECDSAinP1363Format");
            verifier.initVerify(key.getPublic());
            verifier.update((parts[0] + '.' + parts[1]).getBytes(UTF_8));
            equal(true, verifier.verify(pair));
            String claims = new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8);
            equal(true, claims.contains("\"htm\":\"" + request.method + '"'));
        }

        @Override
        public byte[] secretGet(String name) throws IOException {
            if (storeFails) throw new IOException("locked");
            return secrets.get(name);
        }

        @Override
        public boolean secretCompareAndSet(String name, byte[] expected, byte[] value) {
            if (!Arrays.equals(expected, secrets.get(name))) return false;
            secrets.put(name, value);
            return true;
        }

        @Override
        public void secretDelete(String name) {
            secrets.remove(name);
        }

        @Override
        public byte[] keyPublic() {
            ECPublicKey point = (ECPublicKey) key.getPublic();
            byte[] bytes = new byte[65];
            bytes[0] = 4;
            put(point.getW().getAffineX(), bytes, 1);
            put(point.getW().getAffineY(), bytes, 33);
            return bytes;
        }

        private static void put(BigInteger number, byte[] bytes, int at) {
            byte[] digits = number.toByteArray();
            int size = Math.min(32, digits.length);
            System.arraycopy(digits, digits.length - size, bytes, at + 32 - size, size);
        }

        @Override
        public byte[] keySign(byte[] data) throws Exception {
            Signature signer = Signature.getInstance("SHA256withECDSA");
            signer.initSign(key.getPrivate());
            signer.update(data);
            return signer.sign();
        }

        @Override
        public long now() {
            return now;
        }

        @Override
        public byte[] cacheRead(String name) {
            return files.get(name);
        }

        @Override
        public void cacheWrite(String name, byte[] content) {
            files.put(name, content);
        }

        @Override
        public void cacheRemove(String name) {
            files.remove(name);
        }

        @Override
        public boolean isInstalled(String serviceId, String packageName) {
            asked = serviceId + ' ' + packageName;
            return true;
        }

        @Override
        public void log(boolean warning, String message) {
            log.append(message).append('\n');
        }

        Client client() throws MobileException {
            Config config = new Config();
            config.issuer = "https://identity.example";
            config.launchpadUrl = "https://launchpad.example";
            config.serviceId = "launchpad";
            config.serviceUrl = "https://launchpad.example";
            config.clientId = "launchpad-mobile";
            config.redirectUri = "portico-shell:/callback";
            config.appName = "shell";
            return new Client(config, this);
        }

        Client signedIn() throws MobileException {
            Client client = client();
            client.finishSignIn(callback(client.startSignIn()));
            return client;
        }

        static String callback(String url) {
            String state = url.replaceFirst(".*[?&]state=([^&]*).*", "$1");
            return "portico-shell:/callback?code=good&state=" + state + "&iss=https%3A%2F%2Fidentity.example";
        }
    }

    /** Names of pm_status in the header, in the order of their numbers. */
    private static List<String> namesIn(String header) throws IOException {
        String text = Files.readString(Path.of(header));
        Matcher found = Pattern.compile("PM_(\\w+) = (\\d+)").matcher(text.substring(0, text.indexOf("} pm_status;")));
        List<String> names = new ArrayList<>();
        while (found.find()) {
            equal(names.size(), Integer.parseInt(found.group(2)));
            names.add(found.group(1));
        }
        return names;
    }

    public static void main(String[] arguments) {
        test("the statuses are those of the header, in its order", () -> {
            List<String> names = new ArrayList<>();
            for (Status each : Status.values()) names.add(each.name());
            equal(namesIn(arguments[0]), names);
        });
        test("a user signs in, reads the catalog and opens an app", () -> {
            Phone phone = new Phone();
            try (Client client = phone.client()) {
                equal(1, Client.version());
                equal(false, client.isSignedIn());
                client.finishSignIn(Phone.callback(client.startSignIn()));
                equal(true, client.isSignedIn());
                Document catalog = client.catalog(Source.NETWORK);
                equal(true, catalog.json.contains("Kund\u00eb \ud83d\ude80"));
                equal(false, catalog.fromCache);
                equal(true, client.actions(Source.NETWORK).json.contains("\"open\":3"));
                Launch launch = client.launch("crm", "/deals/7?q=\u00e9");
                equal(Launch.Kind.LINK, launch.kind);
                equal("https://launchpad.example/launch/crm?code=c", launch.url);
                equal("crm org.example.crm", phone.asked);
                String body = new String(phone.requests.get(phone.requests.size() - 1).body, UTF_8);
                equal(true, body.contains("\"returnTo\":\"/deals/7?q=\u00e9\"") && body.contains("\"platform\":\"android\""));
                equal("", phone.log.toString().replaceAll("(?s).*(access|refresh).*", "secret"));
            }
        });
        test("without a network the catalog comes from the cache", () -> {
            Phone phone = new Phone();
            try (Client client = phone.signedIn()) {
                client.catalog(Source.NETWORK);
                phone.offline = true;
                phone.now += 90;
                Document catalog = client.catalog(Source.NETWORK);
                equal(true, catalog.fromCache);
                equal(90L, catalog.ageSeconds);
                refused(Status.OFFLINE, () -> client.launch("crm", null));
                refused(Status.OFFLINE, () -> client.preferences(Source.CACHE_ONLY));
            }
        });
        test("a refusal has the code of the server, and 401 signs out", () -> {
            Phone phone = new Phone();
            try (Client client = phone.signedIn()) {
                phone.status = 402;
                equal("plan_required", refused(Status.REFUSED, () -> client.launch("crm", null)).problem());
                phone.status = 401;
                refused(Status.SIGNED_OUT, () -> client.catalog(Source.NETWORK));
                equal(false, client.isSignedIn());
                equal(0, phone.files.size());
            }
        });
        test("an exception of the shell is a status", () -> {
            Phone phone = new Phone();
            try (Client client = phone.signedIn()) {
                phone.storeFails = true;
                refused(Status.STORAGE, client::refresh);
                phone.storeFails = false;
                equal(true, client.isSignedIn());
                client.signOut();
                equal(false, client.isSignedIn());
            }
        });
        test("foreign callbacks and wrong arguments change nothing", () -> {
            Phone phone = new Phone();
            Client client = phone.client();
            client.startSignIn();
            refused(Status.WRONG_STATE, () -> client.finishSignIn("portico-shell:/callback?code=c&state=other&iss=https%3A%2F%2Fidentity.example"));
            refused(Status.INVALID_ARGUMENT, () -> client.launch(null, null));
            refused(Status.INVALID_ARGUMENT, () -> client.launch("crm", "//other.example"));
            refused(Status.INVALID_ARGUMENT, () -> new Client(new Config(), phone));
            refused(Status.INVALID_ARGUMENT, () -> Client.lockup(Client.Theme.DARK, -1));
            equal(true, Client.lockup(Client.Theme.DARK, 48).startsWith("<svg"));
            client.close();
            client.close();
            try {
                client.refresh();
                throw new AssertionError("a closed client answers");
            } catch (IllegalStateException exception) {
                equal(0, phone.requests.size());
            }
        });
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed > 0 || passed == 0 ? 1 : 0);
    }
}
