import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The Java adapters' common code. adapter.py documents the input and the output. */
abstract class Adapter {
    static final class Unsupported extends Exception {
        Unsupported(String reason) {
            super(reason);
        }
    }

    /** One case, or the request after it. */
    static final class Case {
        final Map<String, Object> members;

        Case(Map<String, Object> members) {
            this.members = members;
        }

        String text(String name) {
            return (String) members.get(name);
        }

        @SuppressWarnings("unchecked")
        Map<String, Object> object(String name) {
            return (Map<String, Object>) members.get(name);
        }

        Map<String, Object> fields() {
            return object("fields");
        }

        boolean isKind(String kind) {
            return kind.equals(members.get("kind"));
        }

        boolean isHTTP2() {
            return "2".equals(members.get("http"));
        }

        int timeout() {
            return ((Double) members.get("timeout")).intValue();
        }

        boolean hasUpload() {
            return object("upload") != null;
        }

        boolean uploadIs(String property) {
            return hasUpload() && Boolean.TRUE.equals(object("upload").get(property));
        }

        byte[] content() {
            byte[] bytes = new byte[((Double) object("upload").get("bytes")).intValue()];
            for (int index = 0; index < bytes.length; index++) {
                bytes[index] = (byte) "0123456789abcdef".charAt(index & 15);
            }
            return bytes;
        }
    }

    abstract void open(Case given) throws Exception;

    abstract Map<String, Object> ask(Case given) throws Exception;

    void close() throws Exception {}

    static Map<String, Object> answer(int status, Map<String, String> fields, byte[] body) {
        Map<String, Object> result = new LinkedHashMap<>();
        Map<String, String> names = new LinkedHashMap<>();
        fields.forEach((name, value) -> names.put(name.toLowerCase(), value));
        result.put("status", (double) status);
        result.put("fields", names);
        String text = new String(body, StandardCharsets.UTF_8);
        result.put("body", text.substring(0, Math.min(text.length(), 8192)));
        result.put("length", (double) body.length);
        return result;
    }

    static Map<String, Object> failure(Throwable error) {
        Map<String, Object> result = new LinkedHashMap<>();
        if (error instanceof Unsupported) {
            result.put("unsupported", error.getMessage());
            return result;
        }
        result.put("error", error.getClass().getName());
        StringBuilder message = new StringBuilder(String.valueOf(error.getMessage()));
        for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            message.append("; caused by ").append(cause);
        }
        String text = message.toString().replaceAll("\\s+", " ");
        result.put("message", text.substring(0, Math.min(text.length(), 300)));
        return result;
    }

    static String firstEvent(InputStream stream) throws Exception {
        BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("data:")) {
                return line;
            }
        }
        throw new java.io.EOFException("the stream has ended without an event");
    }

    static X509TrustManager trustManager() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream file = new FileInputStream(System.getenv("MATRIX_CA"))) {
            store.setCertificateEntry("matrix", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return (X509TrustManager) factory.getTrustManagers()[0];
    }

    static SSLContext context() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new X509TrustManager[] {trustManager()}, null);
        return context;
    }

    interface Action {
        Map<String, Object> run() throws Exception;
    }

    static Map<String, Object> timed(Action action) {
        long began = System.nanoTime();
        Map<String, Object> result;
        try {
            result = action.run();
        } catch (Throwable error) {
            result = failure(error);
        }
        result.put("seconds", (System.nanoTime() - began) / 1_000_000 / 1000.0);
        return result;
    }

    static void serve(String version, java.util.function.Supplier<Adapter> make) throws Exception {
        Map<String, Object> hello = new LinkedHashMap<>();
        hello.put("version", version);
        System.out.println(Json.write(hello));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Case given = new Case(Json.read(line));
            Adapter adapter = make.get();
            Map<String, Object> result = timed(() -> {
                adapter.open(given);
                return adapter.ask(given);
            });
            Map<String, Object> next = given.object("next");
            if (next != null) {
                Map<String, Object> following = new LinkedHashMap<>(given.members);
                following.putAll(next);
                following.put("kind", "request");
                following.put("upload", null);
                result.put("next", timed(() -> adapter.ask(new Case(following))));
            }
            try {
                adapter.close();
            } catch (Exception error) {
                System.err.println(error);
            }
            System.out.println(Json.write(result));
        }
        System.exit(0);
    }
}
