@file:JvmName("Reading")

package versiongate

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream

private const val MARKER = "X-VersionGate"
private const val PROBLEM = "application/problem+json"
internal const val FOLDER = "/.versiongate/"

/** The maximum number of bytes of a status or an event; larger responses are not from a gate. */
internal const val LONGEST = 1 shl 20

private val DENIED_BY_TYPE = mapOf(
    "urn:versiongate:upgrade-required" to "require",
    "urn:versiongate:maintenance" to "maintenance"
)

/**
 * The head of a response: its header fields with case-insensitive names, and the URL that it came from.
 */
class Answer @JvmOverloads constructor(
    val status: Int,
    val fields: Map<String, List<String>>,
    val url: String? = null
) {
    /** Whether the content may contain the facts of a denial and should be read. */
    val isProblem: Boolean
        get() = mediaType == PROBLEM ||
            deniedBy(marker()) != null && (mediaType.endsWith("json") || endsStream || isWebCall)

    /** Whether it is a response to a Connect streaming call. */
    internal val endsStream: Boolean get() = mediaType.startsWith("application/connect+")

    /** Whether it is a response to a gRPC-Web call. */
    internal val isWebCall: Boolean get() = mediaType.startsWith("application/grpc-web")

    internal val mediaType: String
        get() = lowercased(field("Content-Type").substringBefore(';').trim())

    /** Whether it is from an endpoint of the gate, whose responses are read by [readStatus]. */
    internal val isOwn: Boolean
        get() = url != null && url.replaceFirst(Regex("^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*"), "").startsWith(FOLDER)

    internal fun field(name: String): String = values(name).firstOrNull() ?: ""

    internal fun values(name: String): List<String> =
        fields.entries.filter { it.key.equals(name, true) }.flatMap { it.value }

    internal fun marker(): List<Item> = tokens(values(MARKER).joinToString(", "))
}

/**
 * Returns the denial in a response to the app's request; null if it is not a denial.
 *
 * A denial is identified by the header `X-VersionGate`, or by the problem type if a proxy has removed the header, but never by
 * the status. [content] is only read if [Answer.isProblem].
 */
fun inspect(answer: Answer, content: String?): Denial? {
    if (answer.isOwn) return null
    val text = content ?: ""
    val json = if (answer.endsStream) endOfStream(text) else text
    var document = if (answer.isProblem) Json.read(json) as? Map<*, *> else null
    val type = document?.get("type")
    val decision = deniedBy(answer.marker()) ?: DENIED_BY_TYPE[type] ?: return null
    // Errors of Connect and GraphQL contain the problem type as well; all other content is the operator's custom content.
    if (answer.mediaType != PROBLEM && type !in DENIED_BY_TYPE.keys) document = null
    // Custom content may use these names with other meanings.
    val members = if (answer.mediaType.startsWith("application/grpc")) {
        val trailers = if (answer.isWebCall) webTrailers(answer.mediaType, text) else emptyMap()
        fun trailer(name: String): String = answer.field(name).ifEmpty { trailers[name] ?: "" }
        callFacts(trailer("grpc-message"), trailer("grpc-status-details-bin"))
    } else {
        document
    }
    val isMaintenance = decision == "maintenance"
    var facts = Facts.read(members, if (isMaintenance) Facts.UPDATE + Facts.WINDOW else Facts.UPDATE)
    wholeNumber(answer.field("Retry-After"))?.let { facts = facts.retryAfter(it) }
    return if (isMaintenance) Maintenance(facts) else Required(facts)
}

/** Returns the hint in a response from the backend, [Allowed] or [Recommended]; hints have no texts. */
fun hint(answer: Answer): Known? {
    val items = answer.marker()
    if (answer.isOwn || deniedBy(items) != null) return null
    val announced = items.firstOrNull { it.word == "maintenance-announced" }?.let { hintFacts(it, Facts.WINDOW) }
    val recommended = items.firstOrNull { it.word == "recommend" }
    if (recommended != null) return Recommended(hintFacts(recommended, Facts.UPDATE), announced)
    return announced?.let { Allowed(it) }
}

/** Returns the state in a response from `/.versiongate/status`; null for a 304, if the state is unchanged. */
fun readStatus(answer: Answer, content: String): State? {
    if (answer.status == 304) return null
    if (answer.status != 200 || answer.mediaType != "application/json") return Unknown()
    return stateOf(Json.read(content)) ?: Unknown()
}

/** Returns the states in the content of a response from `/.versiongate/events`, in order. */
fun readEvents(content: String): List<Known> {
    val lines = Lines(ByteArrayInputStream(content.toByteArray()))
    val events = EventReader()
    return generateSequence { lines.next() }.mapNotNull { events.read(it) }.toList()
}

/** A line-based parser for Server-Sent Events (HTML Living Standard, section 9.2.6). */
internal class EventReader {
    var retryMillis: Long? = null
        private set

    /** The ID of the last complete event. */
    var lastId: String? = null
    private var id: String? = null
    private var name = ""
    private var data = ArrayList<String>()
    private var size = 0

    /** Discards an incomplete event. */
    fun restart() {
        id = lastId
        name = ""
        data = ArrayList()
        size = 0
    }

    /** Returns the state that this line completes; the line has no line terminator. */
    fun read(line: String): Known? {
        if (line == "") {
            lastId = id
            val state = if (name == "decision") stateOf(Json.read(data.joinToString("\n"))) else null
            restart()
            return state
        }
        size += line.length
        if (size > LONGEST) throw IOException("too long for an event")
        val value = line.substringAfter(':', "").removePrefix(" ")
        when (line.substringBefore(':')) {
            "event" -> name = value
            "data" -> data.add(value)
            "id" -> id = value
            "retry" -> retryMillis = wholeNumber(value) ?: retryMillis
        }
        return null
    }
}

/** A reader for lines that end with CRLF, LF or CR. */
internal class Lines(private val stream: InputStream) {
    private val buffer = ByteArray(8_192)
    private var start = 0
    private var end = 0
    private var isAfterReturn = false

    /** Whether any data has been read. */
    var hasRead = false
        private set

    /** Returns the next line; null at the end. An unterminated last line is dropped. */
    fun next(): String? {
        val line = ByteArrayOutputStream()
        while (true) {
            if (start == end) {
                start = 0
                end = maxOf(0, stream.read(buffer))
                if (end == 0) return null
                hasRead = true
            }
            val letter = buffer[start].toInt()
            start += 1
            val isSecondHalf = isAfterReturn && letter == LINE_FEED
            isAfterReturn = letter == RETURN
            if (isSecondHalf) continue
            if (letter == RETURN || letter == LINE_FEED) return line.toString("UTF-8")
            line.write(letter)
            if (line.size() > LONGEST) throw IOException("too long for a line")
        }
    }

    private companion object {
        const val LINE_FEED = 10
        const val RETURN = 13
    }
}

private fun stateOf(document: Any?): Known? {
    if (document !is Map<*, *>) return null
    val update = Facts.read(document, Facts.UPDATE)
    val announced = Facts.read(document, Facts.WINDOW).takeIf { it.maintenanceFrom != null }
    return when (document["decision"]) {
        "allow" -> Allowed(announced)
        "recommend" -> Recommended(update, announced)
        "require" -> Required(update, announced)
        "maintenance" -> Maintenance(Facts.read(document, Facts.UPDATE + Facts.WINDOW))
        else -> null
    }
}

/**
 * Returns the end-of-stream message of a Connect stream, if the text starts with its envelope: one byte of flags and four of
 * length. Decoded as text, these are five characters, since the length is below 48 KiB.
 */
private fun endOfStream(text: String): String = if (text.startsWith('\u0002')) text.drop(5) else ""

/** Returns the strictest decision, if it is a denial. */
private fun deniedBy(items: List<Item>): String? =
    listOf("maintenance", "require").firstOrNull { word -> items.any { it.word == word } }

/** Returns the parameters of a hint, named as in the status document. */
private fun hintFacts(item: Item, names: Set<String>): Facts {
    val members = HashMap<String, Any>()
    for ((key, value) in item.parameters) {
        val name = when (key) {
            "latest" -> "latestVersion"
            "url" -> "storeUrl"
            else -> key.replace(Regex("-([a-z])")) { (it.value[1] - 32).toString() }
        }
        members[name] = value
    }
    return Facts.read(members, names)
}

/** Replaces Kotlin's own function, which was renamed in 1.5. */
internal fun lowercased(text: String): String = text.map { if (it in 'A'..'Z') it + 32 else it }.joinToString("")

private fun wholeNumber(text: String): Long? = if (text.all { it in '0'..'9' }) text.toLongOrNull() else null
