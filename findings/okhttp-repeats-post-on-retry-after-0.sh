#!/usr/bin/env bash
#
# OkHttp: after a 503 with "Retry-After: 0", a request is sent again at once, also a POST.
#
# Expected:  OkHttp repeats requests after connection failures, redirects and 401, and gives all other
#            responses to the app: 503 and 426 with each value of Retry-After.
# Observed:  a 503 whose Retry-After is "0" is not given to the app. The request, with its body, is sent
#            a second time at once, and the app gets the second response. retryOnConnectionFailure(false) does
#            not prevent it. With "1", a date or no Retry-After, and with 426, the app gets the first
#            response. (RetryAndFollowUpInterceptor has this rule without a test of the method.)
# Impact:    a proxy that calculates Retry-After from the end of the maintenance window sends 0 in the
#            last second, or for as long as a window lasts longer than planned. Then each Android app
#            sends each request twice at once, and an order that the backend stored before its 503 is
#            stored twice. Send at least 1.
# Guess:     no status is retried, with doubts from memory of the source; seen: 503 with 0, even without
#            retryOnConnectionFailure (and 408 without Retry-After or with 0).
#
# Software:  libokhttp-java 3.13.1-3, libokio-java 1.16.0-2, OpenJDK 17.0.21.1 (Debian 12)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 libokhttp-java=3.13.1-3 libokio-java=1.16.0-2 \
    openjdk-17-jre-headless=17.0.21.1+2-1~deb12u1 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
home=$(echo root/usr/lib/jvm/java-17-openjdk-*)
# The package's settings are in /etc.
find "$home" -type l -lname '/etc/java-17-openjdk/*' | while read -r link; do
    file=root$(readlink "$link")
    rm "$link"
    cp -r "$file" "$link"
done

cat > Ask.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

class Ask {
    static final List<String> received = Collections.synchronizedList(new ArrayList<>());

    /** Starts a server that answers /STATUS/RETRY-AFTER with these, and returns its address. */
    static String serve() throws Exception {
        InetAddress local = InetAddress.getByName("127.0.0.1");
        HttpServer server = HttpServer.create(new InetSocketAddress(local, 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            received.add(exchange.getRequestMethod() + new String(body, StandardCharsets.UTF_8));
            String[] path = exchange.getRequestURI().getPath().split("/");
            if (path.length > 2) {
                exchange.getResponseHeaders().add("Retry-After", path[2]);
            }
            exchange.sendResponseHeaders(Integer.parseInt(path[1]), -1);
            exchange.close();
        });
        server.start();
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(okhttp3.internal.Version.userAgent());
        String address = serve();
        OkHttpClient client = new OkHttpClient();
        OkHttpClient strict = client.newBuilder().retryOnConnectionFailure(false).build();
        Map<String, String> recorded = new LinkedHashMap<>();
        recorded.put("POST /503", "503 [POST{\"order\":7}]");
        recorded.put("POST /503/1", "503 [POST{\"order\":7}]");
        recorded.put("POST /503/Sun, 29 Nov 2026 09:00:00 GMT", "503 [POST{\"order\":7}]");
        recorded.put("POST /426/0", "426 [POST{\"order\":7}]");
        recorded.put("GET /503/0", "503 [GET, GET]");
        recorded.put("POST /503/0", "503 [POST{\"order\":7}, POST{\"order\":7}]");
        recorded.put("POST /408", "408 [POST{\"order\":7}, POST{\"order\":7}]");
        recorded.put("POST /408/1", "408 [POST{\"order\":7}]");
        recorded.put("POST /408 strict", "408 [POST{\"order\":7}]");
        recorded.put("POST /503/0 strict", "503 [POST{\"order\":7}, POST{\"order\":7}]");
        boolean same = true;
        for (Map.Entry<String, String> each : recorded.entrySet()) {
            boolean isStrict = each.getKey().endsWith(" strict");
            String method = each.getKey().split(" ", 2)[0];
            String path = each.getKey().split(" ", 2)[1].replace(" strict", "");
            RequestBody body = method.equals("GET") ? null
                : RequestBody.create(MediaType.get("application/json"), "{\"order\":7}");
            received.clear();
            Request request = new Request.Builder().url(address + path).method(method, body).build();
            String observed;
            try (Response response = (isStrict ? strict : client).newCall(request).execute()) {
                observed = response.code() + " " + received;
            }
            System.out.println(each.getKey() + ": status and requests " + observed);
            same &= observed.equals(each.getValue());
        }
        if (!same) {
            System.err.println("changed: recorded was " + recorded);
            System.exit(1);
        }
        System.out.println("as recorded: with Retry-After: 0, a 503 makes OkHttp send a POST twice");
        System.exit(0);
    }
}
JAVA
java=root/usr/share/java
"$home/bin/java" -cp "$java/okhttp.jar:$java/okio.jar" Ask.java
