package versiongate

import java.io.Closeable
import java.io.File
import java.io.IOException
import java.io.InputStream
import java.io.OutputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.net.SocketException
import java.nio.file.Files
import java.time.Instant
import java.time.temporal.ChronoUnit
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertTrue
import org.junit.rules.ExternalResource

internal val ROOT = File(System.getProperty("versiongate.root")!!)

/** The maximum time to wait in seconds. */
internal const val PATIENCE = 30L

/** The discard port, on which no server listens. */
internal const val NOWHERE = "http://127.0.0.1:9"

internal val IDENTITY = Identity(app = "com.example.shop", platform = "ios", version = "3.4.9", language = "en")

/** A request to a test server. */
internal class Asked(val method: String, val target: String, val headers: Map<String, String>)

/** A server on loopback that responds with a function, and then closes the connection. */
internal class Server(port: Int = 0, private val answer: (Asked, Socket) -> Unit) : Closeable {
    private val listening = ServerSocket(port, 50, InetAddress.getByName("127.0.0.1"))
    val url = "http://127.0.0.1:${listening.localPort}"

    init {
        daemon {
            while (!listening.isClosed) {
                val socket = try {
                    listening.accept()
                } catch (error: SocketException) {
                    break
                }
                daemon { serve(socket) }
            }
        }
    }

    private fun serve(socket: Socket) {
        socket.use {
            try {
                val head = head(it.getInputStream()) ?: return
                answer(head, it)
            } catch (error: SocketException) {
                // The client may have closed the connection.
            }
        }
    }

    private fun head(input: InputStream): Asked? {
        val lines = Lines(input)
        val (method, target) = (lines.next() ?: return null).split(' ')
        val headers = generateSequence { lines.next() }.takeWhile { it != "" }
            .associate { Pair(lowercased(it.substringBefore(':')), it.substringAfter(": ")) }
        return Asked(method, target, headers)
    }

    override fun close() = listening.close()
}

internal fun send(output: OutputStream, head: String, content: ByteArray = ByteArray(0)) {
    output.write(head.replace("\n", "\r\n").toByteArray())
    output.write(content)
    output.flush()
}

/** Returns a constant response; [fields] has one header per line. */
internal fun reply(status: Int, fields: String = "", content: ByteArray = ByteArray(0)) = { _: Asked, socket: Socket ->
    val ended = (if (fields == "") "" else "$fields\n") + "Content-Length: ${content.size}\nConnection: close\n\n"
    send(socket.getOutputStream(), "HTTP/1.1 $status Said\n$ended", content)
}

internal const val PAGE = "<html>Log in</html>"

internal fun page(asked: Asked, socket: Socket) = reply(200, "Content-Type: text/html", PAGE.toByteArray())(asked, socket)

internal const val JSON = "Content-Type: application/json"

/** Responds with the request that has reached the backend. */
private val echo = { asked: Asked, socket: Socket ->
    val said = Json.write(mapOf("target" to asked.target, "headers" to asked.headers))
    reply(200, JSON, said.toByteArray())(asked, socket)
}

/** A real gate, with a backend that returns the requests it receives. */
class Gate : ExternalResource() {
    private val folder = Files.createTempDirectory("gate").toFile()
    private val file = File(folder, "rules.yaml")
    private var text = ""
    var port = 0
        private set
    private lateinit var process: Process
    private lateinit var log: LinkedBlockingQueue<Map<*, *>>
    internal val backend = Server(answer = echo)
    val url: String get() = "http://127.0.0.1:$port"

    override fun before() {
        write(rules("3.5.0"))
        run()
    }

    /** Starts the gate, on its previous port if it had one. */
    fun run() {
        val binary = System.getenv("VERSIONGATE_BINARY") ?: File(ROOT, ".build/debug/versiongate").path
        val lines = LinkedBlockingQueue<Map<*, *>>()
        process = ProcessBuilder(
            binary, "serve", "--listen", "127.0.0.1:$port", "--upstream", backend.url, "--rules", file.path,
            "--threads", "1", "--drain-timeout", "1", "--log-format", "json"
        ).redirectInput(File("/dev/null")).redirectOutput(File("/dev/null")).start()
        log = lines
        val errors = process.errorStream
        daemon {
            try {
                errors.bufferedReader().forEachLine { lines.add(Json.read(it) as Map<*, *>) }
            } catch (error: IOException) {
                // The gate has been stopped.
            }
        }
        port = (logged("listening")["address"] as String).substringAfterLast(':').toInt()
    }

    /** Returns the next matching line of the log. */
    private fun logged(message: String): Map<*, *> {
        val seen = ArrayList<Any>()
        while (true) {
            val line = log.poll(PATIENCE, TimeUnit.SECONDS) ?: throw AssertionError("not in the log: $message: $seen")
            if (line["message"] == message) return line
            seen.add(line)
        }
    }

    fun write(rules: String) {
        text = rules
        val fresh = File(folder, "rules.new")
        fresh.writeText(rules)
        assertTrue(fresh.renameTo(file))
    }

    /** Applies other rules. */
    fun change(rules: String) {
        if (rules == text) return
        log.clear()
        write(rules)
        assertEquals(0, ProcessBuilder("kill", "-HUP", process.pid().toString()).start().waitFor())
        logged("rules loaded")
    }

    fun stop() {
        process.destroy()
        assertTrue(process.waitFor(PATIENCE, TimeUnit.SECONDS))
    }

    override fun after() {
        stop()
        backend.close()
        folder.deleteRecursively()
    }
}

/** Returns rules with one floor for all clients, and additional keys. */
internal fun rules(minimum: String, more: String = "") =
    "rules:\n  - id: floor\n    minimum: \"$minimum\"\n    storeUrl: https://example.com/app\n" +
        "    accept: [plan-opens]\n$more"

/** Returns the time in a number of seconds, in the format of rules. */
internal fun moment(seconds: Long): String =
    Instant.now().plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS).toString()

/** The states delivered to a client, in order. */
internal class Told(client: VersionGate) : Closeable {
    private val states = LinkedBlockingQueue<State>()
    private val stream = client.states { states.add(it) }

    fun next(): State {
        val state = states.poll(PATIENCE, TimeUnit.SECONDS)
        assertNotNull("nothing was told", state)
        return state
    }

    override fun close() = stream.close()
}

internal class Kept(var text: String? = null) : Storage {
    override fun load() = text

    override fun save(text: String) {
        this.text = text
    }
}
