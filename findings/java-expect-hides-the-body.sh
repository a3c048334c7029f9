#!/usr/bin/env bash
#
# OpenJDK: after a refused "Expect: 100-continue", HttpURLConnection returns the status but no body.
#
# Expected:  Expect is designed for servers that refuse an upload with a final status instead of
#            100. getOutputStream() throws, getResponseCode() is 426, and getErrorStream() returns
#            the body, as for an upload that is sent.
# Observed:  with setFixedLengthStreamingMode() or setChunkedStreamingMode(), getResponseCode() is
#            426 and getErrorStream() is null, whatever is called before it. Without streaming, the
#            body is available, because the whole upload is sent first. OpenJDK 25 does the same.
# Impact:    an app that uses Expect before it sends a large upload learns that it is too old, but
#            cannot show the text or the store URL of the response.
#
# Software:  openjdk-17-jre-headless 17.0.21.1+2-1~deb12u1 (Debian 12)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 openjdk-17-jre-headless=17.0.21.1+2-1~deb12u1 2> download.log ||
    { cat download.log >&2; exit 1; }
dpkg-deb -x openjdk-17-jre-headless*.deb root
home=$(echo root/usr/lib/jvm/java-17-openjdk-*)
# The package's settings are in /etc.
find "$home" -type l -lname '/etc/java-17-openjdk/*' | while read -r link; do
    file=root$(readlink "$link")
    rm "$link"
    cp -r "$file" "$link"
done

cat > Ask.java <<'JAVA'
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.util.LinkedHashMap;
import java.util.Map;

class Ask {
    static final String BODY = "{\"message\":\"Please update.\"}";

    /** Answers 426 to each head, reads what else comes, and closes. */
    static void serve(ServerSocket server) {
        try {
            while (true) {
                try (Socket socket = server.accept()) {
                    InputStream input = socket.getInputStream();
                    StringBuilder head = new StringBuilder();
                    while (head.indexOf("\r\n\r\n") < 0) {
                        head.append((char) input.read());
                    }
                    String answer = "HTTP/1.1 426 Upgrade Required\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + BODY.length() + "\r\nConnection: close\r\n\r\n" + BODY;
                    socket.getOutputStream().write(answer.getBytes());
                    socket.shutdownOutput();
                    input.transferTo(OutputStream.nullOutputStream());
                }
            }
        } catch (IOException closed) {
            // The end of the program.
        }
    }

    static String ask(int port, String way) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) new URL("http://127.0.0.1:" + port).openConnection();
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setReadTimeout(10_000);
        if (way.contains("Expect")) {
            connection.setRequestProperty("Expect", "100-continue");
        }
        if (way.startsWith("fixed length")) {
            connection.setFixedLengthStreamingMode(1000);
        } else if (way.startsWith("chunked")) {
            connection.setChunkedStreamingMode(100);
        }
        try (OutputStream output = connection.getOutputStream()) {
            output.write(new byte[1000]);
        } catch (IOException refused) {
            System.out.println(way + ": " + refused);
        }
        int status = connection.getResponseCode();
        InputStream body = connection.getErrorStream();
        return status + ", " + (body == null ? "no body" : new String(body.readAllBytes()));
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("OpenJDK " + System.getProperty("java.version"));
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        Thread thread = new Thread(() -> serve(server));
        thread.setDaemon(true);
        thread.start();
        Map<String, String> recorded = new LinkedHashMap<>();
        recorded.put("fixed length", "426, " + BODY);
        recorded.put("whole body first, Expect", "426, " + BODY);
        recorded.put("fixed length, Expect", "426, no body");
        recorded.put("chunked, Expect", "426, no body");
        boolean same = true;
        for (Map.Entry<String, String> each : recorded.entrySet()) {
            String observed = ask(server.getLocalPort(), each.getKey());
            System.out.println(each.getKey() + ": " + observed);
            same &= observed.equals(each.getValue());
        }
        if (!same) {
            System.err.println("changed: recorded was " + recorded);
            System.exit(1);
        }
        System.out.println("as recorded: with Expect and a streamed body, the response body is lost");
    }
}
JAVA
"$home/bin/java" Ask.java
