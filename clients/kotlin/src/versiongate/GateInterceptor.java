package versiongate;

import java.io.IOException;
import java.util.Map;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Adds the identity headers to the requests of an OkHttp client, and throws {@link GateDenied} instead of returning a
 * denial.
 *
 * <p>It is written in Java so that one source works with OkHttp 3, 4 and 5, whose accessors differ in Kotlin.
 */
public final class GateInterceptor implements Interceptor {
    /** The maximum size of a problem document in bytes; the gate never sends more. */
    private static final long LONGEST = 1 << 20;

    private final VersionGate gate;

    public GateInterceptor(VersionGate gate) {
        this.gate = gate;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        if (!gate.serves(request.url().toString())) {
            return chain.proceed(request);
        }
        Request.Builder marked = request.newBuilder();
        for (Map.Entry<String, String> field : gate.headers().entrySet()) {
            if (request.header(field.getKey()) == null) {
                marked.header(field.getKey(), field.getValue());
            }
        }
        Response response = chain.proceed(marked.build());
        boolean isPassed = false;
        try {
            String url = response.request().url().toString();
            Answer answer = new Answer(response.code(), response.headers().toMultimap(), url);
            String content = answer.isProblem() ? response.peekBody(LONGEST).string() : null;
            Denial denial = Reading.inspect(answer, content);
            if (denial != null) {
                throw new GateDenied(denial, answer);
            }
            isPassed = true;
            return response;
        } finally {
            if (!isPassed) {
                response.close();
            }
        }
    }
}
