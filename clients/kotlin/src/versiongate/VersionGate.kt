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

/** Who the client is; null is not sent. */
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
 * Thrown in place of an answer that is a denial.
 *
 * An `IOException`, because nothing else reaches the callbacks of OkHttp.
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

/** An answer that is no denial, whatever its status. */
class Reply internal constructor(val answer: Answer, val content: InputStream) : Closeable {
    override fun close() = content.close()
}

/**
 * A client of one gate; threads may share it.
 *
 * [fieldNames] renames the header fields (`X-App-Version` and so on), where the operator has. [timeoutMillis] is for a
 * question, and [patienceMillis] for the next sign of life of a stream, of which the gate gives one every 15 s.
 * [connect] makes the connections to the gate's own endpoints and those of [open], with a proxy or pinned
 * certificates. [clock] says the milliseconds since 1970, and [chance] a number from 0 to 1.
 *
 * Throws `MalformedURLException` if [baseUrl] is none.
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

    /** Answers by query, the oldest first. */
    private val tagged = object : LinkedHashMap<String, Tagged>() {
        override fun removeEldestEntry(eldest: MutableMap.MutableEntry<String, Tagged>) = size > MOST_TAGGED
    }

    /** The fields that say who the client is; what no field can carry is left out. */
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

    /** Whether an address is of the gate's origin: others are not told who the client is. */
    fun serves(url: String): Boolean = try {
        serves(URL(url))
    } catch (error: MalformedURLException) {
        false
    }

    private fun serves(url: URL) = url.protocol == origin.protocol && url.host.equals(origin.host, true) &&
        (if (url.port < 0) url.defaultPort else url.port) == (if (origin.port < 0) origin.defaultPort else origin.port)

    /** Puts the fields on a request to the gate's origin; those that are there stay. */
    fun prepare(connection: HttpURLConnection) {
        if (!serves(connection.url)) return
        for ((name, value) in headers()) {
            if (connection.getRequestProperty(name) == null) connection.setRequestProperty(name, value)
        }
    }

    /** A request for a path of the gate's origin, prepared. */
    fun open(path: String): HttpURLConnection = connect(URL(base + path)).also { prepare(it) }

    /**
     * Sends a request, and waits for its answer.
     *
     * Throws [GateDenied] in place of a denial, and else what the connection throws.
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
     * Where the client stands: at the start of the app, or before it uses a part of the API.
     *
     * Waits for the network, so never on the thread of the user interface; no longer than `timeoutMillis`. Never throws
     * for the network's sake: whatever is not the gate's own word is [Unknown], with the last state that was.
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
            // A connection throws more than `IOException`: Android without its permission, the JDK when it is ended.
            null
        }
        if (state == null) return if (path == null) memory.unknown() else memory.unknown(known?.state)
        if (path == null) memory.remember(state)
        return memory.shown(state)
    }

    /**
     * The states of the client, each as soon as it is another one, told on a thread of their own.
     *
     * It never ends by itself, and comes back by itself after a loss; [Unknown] is told once the gate could not be
     * reached again. After [Closeable.close] nothing is told any more; the connection itself may last until the gate's
     * next sign of life.
     */
    fun states(listener: (State) -> Unit): Closeable = StateStream(this, listener).also { it.start() }

    /**
     * Leaves the user alone with a recommendation.
     *
     * Until its time has passed, or another version is recommended, the state is [Allowed]. Returns whether it may be:
     * a required update is never put off.
     */
    fun snooze(update: Facts): Boolean = memory.snooze(update)

    /** What the gate says; null if it has not said it. */
    private fun ask(query: String, known: Tagged?): Known? {
        val connection = openOwn("status" + (if (query == "") "" else "?$query"), timeoutMillis)
        if (known != null) connection.setRequestProperty("If-None-Match", known.tag)
        val isLate = AtomicBoolean()
        val task = FutureTask(Callable {
            val answer = head(connection)
            Pair(answer, String(read(body(connection, answer)) { !isLate.get() }, Charsets.UTF_8))
        })
        // Finding an address, and an answer in drops, keep to no timeout of a connection.
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

    /** A stream of events, of which nothing has been read yet. */
    internal fun openEvents(lastId: String?): HttpURLConnection {
        val connection = openOwn("events", patienceMillis)
        connection.setRequestProperty("Accept", "text/event-stream")
        if (lastId != null) connection.setRequestProperty("Last-Event-ID", lastId)
        return connection
    }

    /** A request to the gate itself, for which neither a redirect nor a cache answers. */
    private fun openOwn(target: String, readTimeout: Int): HttpURLConnection {
        val connection = open(FOLDER + target)
        connection.instanceFollowRedirects = false
        connection.useCaches = false
        connection.connectTimeout = timeoutMillis
        connection.readTimeout = readTimeout
        return connection
    }

    /** Milliseconds to the next try: what the gate asks for, more after failures, and some chance. */
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

/** Does something that the app's exit does not wait for. */
internal fun daemon(work: () -> Unit) {
    val thread = Thread(Runnable { work() }, "versiongate")
    thread.isDaemon = true
    thread.start()
}

/** Waits for the head of an answer. */
internal fun head(connection: HttpURLConnection): Answer {
    val status = connection.responseCode
    if (status < 0) throw IOException("no answer of HTTP")
    val fields = LinkedHashMap<String, MutableList<String>>()
    var index = 0
    while (true) {
        val value = connection.getHeaderField(index) ?: break
        // The first may be the line of the status, which has no name.
        connection.getHeaderFieldKey(index)?.let { name -> fields.getOrPut(name) { ArrayList() }.add(value) }
        index += 1
    }
    return Answer(status, fields, connection.url.toString())
}

private fun body(connection: HttpURLConnection, answer: Answer): InputStream {
    val content = if (answer.status < 400) connection.inputStream else connection.errorStream
    return content ?: ByteArrayInputStream(ByteArray(0))
}

/** The content to its end, as long as it may be. */
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
