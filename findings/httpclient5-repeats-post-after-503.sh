#!/usr/bin/env bash
#
# Apache HttpClient 5: a client without settings sends a POST again after a 503.
#
# Expected:  HttpClients.createDefault() returns a 503, as HttpClient 4 does, or retries it for GET and
#            other idempotent methods only, as it retries after I/O errors.
# Observed:  after a 503 (and a 429), each request is sent again after one second, or after the
#            seconds of Retry-After, without an upper limit; also a POST with its body. A response timeout
#            changes that: if Retry-After is longer, the 503 is returned at once. A 426 is not retried.
# Impact:    in maintenance, each client without a response timeout blocks a thread until the end of the
#            window, and then sends an order a second time, which the backend may have stored before its
#            503. To prevent both, the client needs disableAutomaticRetries().
# Guess:     from memory of the source, a retry after any Retry-After; seen: for POST as well, and not if
#            the response timeout is shorter.
#
# Software:  libhttpclient5-java 5.2.1-1, libhttpcore5-java 5.2.1-1, OpenJDK 17.0.21.1 (Debian 12)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 libhttpclient5-java=5.2.1-1 libhttpcore5-java=5.2.1-1 \
    libslf4j-java=1.7.32-1 libcommons-codec-java=1.15-1 \
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
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.util.Timeout;
import org.apache.hc.core5.util.VersionInfo;

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
        ClassLoader loader = Ask.class.getClassLoader();
        String version = VersionInfo.loadVersionInfo("org.apache.hc.client5", loader).getRelease();
        System.out.println("Apache HttpClient " + version);
        String address = serve();
        RequestConfig oneSecond = RequestConfig.custom().setResponseTimeout(Timeout.ofSeconds(1)).build();
        Map<String, CloseableHttpClient> clients = new LinkedHashMap<>();
        clients.put("default", HttpClients.createDefault());
        clients.put("timeout 1 s", HttpClients.custom().setDefaultRequestConfig(oneSecond).build());
        clients.put("no retries", HttpClients.custom().disableAutomaticRetries().build());
        String post = "POST{\"order\":7}";
        Map<String, String> recorded = new LinkedHashMap<>();
        recorded.put("default, POST /426/3", "426 at once [" + post + "]");
        recorded.put("default, GET /503", "503 after 1 s [GET, GET]");
        recorded.put("default, POST /503", "503 after 1 s [" + post + ", " + post + "]");
        recorded.put("default, POST /503/3", "503 after 3 s [" + post + ", " + post + "]");
        recorded.put("timeout 1 s, POST /503", "503 after 1 s [" + post + ", " + post + "]");
        recorded.put("timeout 1 s, POST /503/3", "503 at once [" + post + "]");
        recorded.put("no retries, POST /503/3", "503 at once [" + post + "]");
        boolean same = true;
        for (Map.Entry<String, String> each : recorded.entrySet()) {
            String[] parts = each.getKey().split(", ");
            String[] line = parts[1].split(" ");
            HttpUriRequestBase request = new HttpUriRequestBase(line[0], java.net.URI.create(address + line[1]));
            if (line[0].equals("POST")) {
                request.setEntity(new StringEntity("{\"order\":7}"));
            }
            received.clear();
            long start = System.nanoTime();
            int status = clients.get(parts[0]).execute(request, response -> response.getCode());
            double seconds = (System.nanoTime() - start) / 1e9;
            String waited = seconds < 1 ? "at once" : seconds < 3 ? "after 1 s" : "after 3 s";
            String observed = status + " " + waited + " " + received;
            System.out.println(each.getKey() + ": " + observed);
            same &= observed.equals(each.getValue());
        }
        if (!same) {
            System.err.println("changed: recorded was " + recorded);
            System.exit(1);
        }
        System.out.println("as recorded: by default, a POST that gets a 503 is sent twice");
        System.exit(0);
    }
}
JAVA
classes=
for name in httpclient5 httpcore5 httpcore5-h2 slf4j-api slf4j-nop commons-codec; do
    classes=$classes:root/usr/share/java/$name.jar
done
"$home/bin/java" -cp "${classes#:}" Ask.java
