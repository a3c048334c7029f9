package versiongate

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.Closeable
import java.io.IOException
import java.io.InputStream
import java.io.SequenceInputStream
import java.net.HttpURLConnection
import java.net.MalformedURLException
import java.net.URL
import java.net.URLEncoder
import java.util.concurrent.Callable
import java.util.concurrent.FutureTask
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean

/** The identity of the client; null values are not sent. */
data class Identity @JvmOverloads constructor(
    val platform: String,
    val version: String,
    val app: String? = null,
    val build: String? = null,
    val channel: String? = null,
    val osVersion: String? = null,
    val device: String? = null,
    val storefront: String? = null,
    val language: String? = null
)

/**
 * Thrown instead of returning a denial.
 *
 * It is an `IOException` because OkHttp only passes `IOException`s to callbacks.
 */
class GateDenied(val denial: Denial, val answer: Answer) : IOException(words(denial)) {
    private companion object {
        fun words(denial: Denial): String {
            val facts = when (denial) {
                is Required -> denial.update
                is Maintenance -> denial.window
            }
            return facts.message ?: facts.title ?: "the app must be updated"
        }
    }
}

/** A response that is not a denial, with any status. */
class Reply internal constructor(val answer: Answer, val content: InputStream) : Closeable {
    override fun close() = content.close()
}

/**
 * A client for one gate; it is thread-safe.
 *
 * [fieldNames] maps the default names of the identity headers (`X-App-Version` and so on) to custom ones. [timeoutMillis] is the
 * timeout of a status request. [patienceMillis] is the time without data after which a stream is considered dead; the gate sends
 * a heartbeat every 15 s. [connect] creates the connections to the gate's own endpoints and those of [open], for example with a
 * proxy or pinned certificates. [clock] returns the milliseconds since 1970, and [chance] a random number from 0 to 1.
 *
 * Throws `MalformedURLException` if [baseUrl] is invalid.
 */
class VersionGate @JvmOverloads constructor(
    baseUrl: String,
    private val identity: Identity,
    storage: Storage? = null,
    private val fieldNames: Map<String, String> = emptyMap(),
    private val timeoutMillis: Int = 5_000,
    private val patienceMillis: Int = 30_000,
    private val connect: (URL) -> HttpURLConnection = { it.openConnection() as HttpURLConnection },
    clock: () -> Long = { System.currentTimeMillis() },
    private val chance: () -> Double = { Math.random() }
) {
    private class Tagged(val tag: String, val state: Known)

    private val base = baseUrl.trimEnd('/')
    private val origin = URL(base)
    internal val memory = Memory(identity, storage, clock)

    /** Responses by query with their entity tags, oldest first. */
    private val tagged = object : LinkedHashMap<String, Tagged>() {
        override fun removeEldestEntry(eldest: MutableMap.MutableEntry<String, Tagged>) = size > MOST_TAGGED
    }

    /** Returns the headers with the identity of the client; values that cannot be sent in a header are left out. */
    fun headers(): Map<String, String> {
        val fields = listOf(
            "X-App-Id" to identity.app, "X-App-Platform" to identity.platform, "X-App-Version" to identity.version,
            "X-App-Build" to identity.build, "X-App-Channel" to identity.channel,
            "X-OS-Version" to identity.osVersion, "X-Device-Id" to identity.device,
            "X-App-Storefront" to identity.storefront, "Accept-Language" to identity.language
        )
        val sent = LinkedHashMap<String, String>()
        for ((name, value) in fields) {
            if (value != null && value.all { it in ' '..'~' }) sent[fieldNames[name] ?: name] = value
        }
        return sent
    }

    /** Whether a URL has the gate's origin; the identity is not sent to other origins. */
    fun serves(url: String): Boolean = try {
        serves(URL(url))
    } catch (error: MalformedURLException) {
        false
    }

    private fun serves(url: URL) = url.protocol == origin.protocol && url.host.equals(origin.host, true) &&
        (if (url.port < 0) url.defaultPort else url.port) == (if (origin.port < 0) origin.defaultPort else origin.port)

    /** Adds the identity headers to a request to the gate's origin; existing headers are kept. */
    fun prepare(connection: HttpURLConnection) {
        if (!serves(connection.url)) return
        for ((name, value) in headers()) {
            if (connection.getRequestProperty(name) == null) connection.setRequestProperty(name, value)
        }
    }

    /** Creates a request for a path of the gate's origin, with the identity headers. */
    fun open(path: String): HttpURLConnection = connect(URL(base + path)).also { prepare(it) }

    /**
     * Sends a request, and waits for its response.
     *
     * Throws [GateDenied] instead of returning a denial, and the exceptions of the connection.
     */
    fun receive(connection: HttpURLConnection): Reply {
        val answer = head(connection)
        var content = body(connection, answer)
        var text: String? = null
        if (answer.isProblem) {
            val bytes = read(content) { true }
            text = String(bytes, Charsets.UTF_8)
            content = SequenceInputStream(ByteArrayInputStream(bytes), content)
        }
        val denial = inspect(answer, text) ?: return Reply(answer, content)
        content.close()
        throw GateDenied(denial, answer)
    }

    /**
     * Returns the state of the client; call it when the app starts, or before it uses a part of the API.
     *
     * It waits for the network, at most `timeoutMillis`, so do not call it on the UI thread. It never throws because the network
     * is unavailable: without a response from the gate, the state is [Unknown], with the last known state.
     */
    @JvmOverloads
    fun check(path: String? = null, method: String? = null): State {
        val query = listOf("path" to path, "method" to method).filter { it.second != null }
            .joinToString("&") { it.first + "=" + URLEncoder.encode(it.second, "UTF-8") }
        val known = synchronized(tagged) { tagged[query] }
        val state = try {
            ask(query, known)
        } catch (error: InterruptedException) {
            Thread.currentThread().interrupt()
            null
        } catch (error: Exception) {
            // Exceptions other than `IOException` also occur: on Android without the permission, and in the JDK after `disconnect`.
            null
        }
        if (state == null) return if (path == null) memory.unknown() else memory.unknown(known?.state)
        if (path == null) memory.remember(state)
        return memory.shown(state)
    }

    /**
     * Calls the listener with the state of the client and each change, on a background thread.
     *
     * The stream never ends on its own, and reconnects after a loss; the listener gets [Unknown] once a reconnection fails.
     * After [Closeable.close], the listener is no longer called; the connection itself may stay open until the gate's next
     * heartbeat.
     */
    fun states(listener: (State) -> Unit): Closeable = StateStream(this, listener).also { it.start() }

    /**
     * Hides a recommendation for a while.
     *
     * Until the time has passed, or another version is recommended, the state is [Allowed]. Returns whether the update can be
     * snoozed: a required update never can.
     */
    fun snooze(update: Facts): Boolean = memory.snooze(update)

    /** Requests the state from the gate; null if the response is not from a gate. */
    private fun ask(query: String, known: Tagged?): Known? {
        val connection = openOwn("status" + (if (query == "") "" else "?$query"), timeoutMillis)
        if (known != null) connection.setRequestProperty("If-None-Match", known.tag)
        val isLate = AtomicBoolean()
        val task = FutureTask(Callable {
            val answer = head(connection)
            Pair(answer, String(read(body(connection, answer)) { !isLate.get() }, Charsets.UTF_8))
        })
        // Timeouts of a connection do not cover DNS lookups, or a response that arrives slowly byte by byte.
        daemon { task.run() }
        try {
            val (answer, content) = task.get(timeoutMillis.toLong(), TimeUnit.MILLISECONDS)
            val state = readStatus(answer, content) ?: return known?.state
            val tag = answer.field("ETag")
            if (state is Known && tag != "") synchronized(tagged) { tagged[query] = Tagged(tag, state) }
            return state as? Known
        } finally {
            isLate.set(true)
            if (task.isDone) connection.disconnect() else daemon { connection.disconnect() }
        }
    }

    /** Opens the event stream; nothing has been read from it yet. */
    internal fun openEvents(lastId: String?): HttpURLConnection {
        val connection = openOwn("events", patienceMillis)
        connection.setRequestProperty("Accept", "text/event-stream")
        if (lastId != null) connection.setRequestProperty("Last-Event-ID", lastId)
        return connection
    }

    /** Creates a request to the gate itself, without redirects and caches. */
    private fun openOwn(target: String, readTimeout: Int): HttpURLConnection {
        val connection = open(FOLDER + target)
        connection.instanceFollowRedirects = false
        connection.useCaches = false
        connection.connectTimeout = timeoutMillis
        connection.readTimeout = readTimeout
        return connection
    }

    /** Returns the delay before the next attempt in ms: the gate's value, doubled after failures, plus a random part. */
    internal fun pause(retryMillis: Long, failures: Int): Long {
        val longest = maxOf(retryMillis, LONGEST_PAUSE)
        val doubled = retryMillis.toDouble() * (1 shl (failures - 1).coerceIn(0, 10))
        return (minOf(doubled, longest.toDouble()) * (1 + chance() / 2)).toLong()
    }

    private companion object {
        const val MOST_TAGGED = 64
        const val LONGEST_PAUSE = 60_000L
    }
}

/** Runs work on a daemon thread, which does not delay the exit of the app. */
internal fun daemon(work: () -> Unit) {
    val thread = Thread(Runnable { work() }, "versiongate")
    thread.isDaemon = true
    thread.start()
}

/** Waits for the head of the response. */
internal fun head(connection: HttpURLConnection): Answer {
    val status = connection.responseCode
    if (status < 0) throw IOException("the response is not valid HTTP")
    val fields = LinkedHashMap<String, MutableList<String>>()
    var index = 0
    while (true) {
        val value = connection.getHeaderField(index) ?: break
        // The first entry may be the status line, which has no name.
        connection.getHeaderFieldKey(index)?.let { name -> fields.getOrPut(name) { ArrayList() }.add(value) }
        index += 1
    }
    return Answer(status, fields, connection.url.toString())
}

private fun body(connection: HttpURLConnection, answer: Answer): InputStream {
    val content = if (answer.status < 400) connection.inputStream else connection.errorStream
    return content ?: ByteArrayInputStream(ByteArray(0))
}

/** Reads the content to its end, up to the maximum size and while `goesOn` returns true. */
private fun read(content: InputStream, goesOn: () -> Boolean): ByteArray {
    val bytes = ByteArrayOutputStream()
    val buffer = ByteArray(8_192)
    while (bytes.size() < LONGEST && goesOn()) {
        val count = content.read(buffer)
        if (count < 0) break
        bytes.write(buffer, 0, count)
    }
    return bytes.toByteArray()
}
