import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** java.net.http. */
final class JavaNetHttp extends Adapter {
    private HttpClient client;

    @Override
    void open(Case given) throws Exception {
        client = HttpClient.newBuilder()
            .version(given.isHTTP2() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
            .sslContext(context())
            .build();
    }

    @Override
    Map<String, Object> ask(Case given) throws Exception {
        URI address = URI.create(given.text("url"));
        if (given.isKind("websocket")) {
            return handshake(address, given);
        }
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.noBody();
        if (given.hasUpload()) {
            byte[] content = given.content();
            body = given.uploadIs("chunked")
                ? HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(content))
                : HttpRequest.BodyPublishers.ofByteArray(content);
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
            .timeout(Duration.ofSeconds(given.timeout()))
            .expectContinue(given.uploadIs("expect"))
            .method(given.text("method"), body);
        given.fields().forEach((name, value) -> request.header(name, (String) value));
        if (given.isKind("events")) {
            HttpResponse<InputStream> response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream stream = response.body()) {
                return answer(response.statusCode(), fields(response), firstEvent(stream).getBytes());
            }
        }
        HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        return answer(response.statusCode(), fields(response), response.body());
    }

    private Map<String, Object> handshake(URI address, Case given) throws Exception {
        WebSocket.Builder builder = client.newWebSocketBuilder();
        given.fields().forEach((name, value) -> builder.header(name, (String) value));
        try {
            builder.buildAsync(address, new WebSocket.Listener() {}).get();
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("opened", true);
            return result;
        } catch (ExecutionException error) {
            if (!(error.getCause() instanceof WebSocketHandshakeException)) {
                throw error;
            }
            HttpResponse<?> response = ((WebSocketHandshakeException) error.getCause()).getResponse();
            Object body = response.body();
            return answer(response.statusCode(), fields(response), body == null ? new byte[0] : body.toString().getBytes());
        }
    }

    private static Map<String, String> fields(HttpResponse<?> response) {
        Map<String, String> fields = new LinkedHashMap<>();
        response.headers().map().forEach((name, values) -> fields.put(name, String.join(", ", values)));
        return fields;
    }

    public static void main(String[] arguments) throws Exception {
        serve("OpenJDK " + System.getProperty("java.version"), JavaNetHttp::new);
    }
}
