import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.BufferedSink;

/** OkHttp. */
final class OkHttp extends Adapter {
    private OkHttpClient client;

    @Override
    void open(Case given) throws Exception {
        client = new OkHttpClient.Builder()
            .sslSocketFactory(context().getSocketFactory(), trustManager())
            .protocols(given.isHTTP2() ? Arrays.asList(Protocol.HTTP_2, Protocol.HTTP_1_1)
                : Collections.singletonList(Protocol.HTTP_1_1))
            .readTimeout(given.timeout(), TimeUnit.SECONDS)
            .writeTimeout(given.timeout(), TimeUnit.SECONDS)
            .build();
    }

    private static Request request(Case given) {
        RequestBody body = null;
        if (given.hasUpload()) {
            byte[] content = given.content();
            boolean chunked = given.uploadIs("chunked");
            body = new RequestBody() {
                @Override
                public MediaType contentType() {
                    return MediaType.parse("application/octet-stream");
                }

                @Override
                public long contentLength() {
                    return chunked ? -1 : content.length;
                }

                @Override
                public void writeTo(BufferedSink sink) throws java.io.IOException {
                    sink.write(content);
                }
            };
        }
        Request.Builder request = new Request.Builder().url(given.text("url").replaceFirst("^ws", "http"));
        given.fields().forEach((name, value) -> request.header(name, (String) value));
        if (given.uploadIs("expect")) {
            request.header("Expect", "100-continue");
        }
        return request.method(given.text("method"), body).build();
    }

    @Override
    Map<String, Object> ask(Case given) throws Exception {
        if (given.isKind("websocket")) {
            return handshake(given);
        }
        try (Response response = client.newCall(request(given)).execute()) {
            if (given.isKind("events")) {
                return answer(response.code(), fields(response), firstEvent(response.body().byteStream()).getBytes());
            }
            // If the body of a HEAD is read, OkHttp reports the announced Content-Length as missing.
            boolean isHead = given.text("method").equals("HEAD");
            return answer(response.code(), fields(response), isHead ? new byte[0] : response.body().bytes());
        }
    }

    private Map<String, Object> handshake(Case given) throws Exception {
        CompletableFuture<Map<String, Object>> result = new CompletableFuture<>();
        client.newWebSocket(request(given), new WebSocketListener() {
            @Override
            public void onOpen(WebSocket socket, Response response) {
                result.complete(new LinkedHashMap<>(Collections.singletonMap("opened", true)));
            }

            @Override
            public void onFailure(WebSocket socket, Throwable error, Response response) {
                Map<String, Object> seen = failure(error);
                try {
                    if (response != null) {
                        byte[] body = response.body() == null ? new byte[0] : response.body().bytes();
                        seen.putAll(answer(response.code(), fields(response), body));
                    }
                } catch (java.io.IOException unread) {
                    seen.putAll(answer(response.code(), fields(response), new byte[0]));
                }
                result.complete(seen);
            }
        });
        return result.get(given.timeout(), TimeUnit.SECONDS);
    }

    private static Map<String, String> fields(Response response) {
        Map<String, String> fields = new LinkedHashMap<>();
        response.headers().names().forEach(name -> fields.put(name, response.header(name)));
        return fields;
    }

    @Override
    void close() {
        client.connectionPool().evictAll();
        client.dispatcher().executorService().shutdown();
    }

    public static void main(String[] arguments) throws Exception {
        serve("OkHttp " + okhttp3.internal.Version.userAgent().replace("okhttp/", ""), OkHttp::new);
    }
}
