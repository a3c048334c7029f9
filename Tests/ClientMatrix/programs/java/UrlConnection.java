import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;

/** HttpURLConnection, used as by apps that stream a body. */
final class UrlConnection extends Adapter {
    @Override
    void open(Case given) throws Exception {
        if (given.isHTTP2()) {
            throw new Unsupported("HTTP/1.1 only");
        }
        HttpsURLConnection.setDefaultSSLSocketFactory(context().getSocketFactory());
    }

    @Override
    Map<String, Object> ask(Case given) throws Exception {
        if (given.isKind("websocket")) {
            throw new Unsupported("no WebSocket");
        }
        HttpURLConnection connection = (HttpURLConnection) new URL(given.text("url")).openConnection();
        connection.setConnectTimeout(given.timeout() * 1000);
        connection.setReadTimeout(given.timeout() * 1000);
        connection.setRequestMethod(given.text("method"));
        given.fields().forEach((name, value) -> connection.setRequestProperty(name, (String) value));
        if (given.hasUpload()) {
            byte[] content = given.content();
            connection.setDoOutput(true);
            if (given.uploadIs("expect")) {
                connection.setRequestProperty("Expect", "100-continue");
            }
            if (given.uploadIs("chunked")) {
                connection.setChunkedStreamingMode(65536);
            } else {
                connection.setFixedLengthStreamingMode(content.length);
            }
            try (OutputStream output = connection.getOutputStream()) {
                output.write(content);
            } catch (IOException error) {
                // The app may still be able to read a response.
                Map<String, Object> result = failure(error);
                result.putAll(seen(connection, given));
                return result;
            }
        }
        return seen(connection, given);
    }

    private static Map<String, Object> seen(HttpURLConnection connection, Case given) throws Exception {
        int status = connection.getResponseCode();
        Map<String, String> fields = new LinkedHashMap<>();
        connection.getHeaderFields().forEach((name, values) -> {
            if (name != null) {
                fields.put(name, String.join(", ", values));
            }
        });
        InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        if (stream == null) {
            return answer(status, fields, new byte[0]);
        }
        try (InputStream body = stream) {
            if (given.isKind("events")) {
                return answer(status, fields, firstEvent(body).getBytes());
            }
            return answer(status, fields, body.readAllBytes());
        }
    }

    public static void main(String[] arguments) throws Exception {
        serve("OpenJDK " + System.getProperty("java.version"), UrlConnection::new);
    }
}
