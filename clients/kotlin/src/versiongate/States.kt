package versiongate

import java.text.ParsePosition
import java.text.SimpleDateFormat
import java.util.Locale
import java.util.TimeZone

/**
 * What is known of an update or of a maintenance window; null is what nobody said.
 *
 * The names are those of the wire. Times are texts as the gate writes them (RFC 3339); [parseTime] reads them.
 */
class Facts private constructor(internal val wire: Map<String, Any>) {
    /** Nothing is known. */
    constructor() : this(emptyMap())

    val title: String? get() = text("title")
    val message: String? get() = text("message")
    val button: String? get() = text("button")
    val storeUrl: String? get() = text("storeUrl")
    val minimumVersion: String? get() = text("minimumVersion")
    val minimumBuild: Long? get() = wire["minimumBuild"] as Long?
    val latestVersion: String? get() = text("latestVersion")
    val currentVersion: String? get() = text("currentVersion")

    /** Whether the device's system is too old for the update: show the words, hide the button. */
    val cannotUpdate: Boolean get() = wire["cannotUpdate"] == true
    val enforceFrom: String? get() = text("enforceFrom")
    val brownoutFrom: String? get() = text("brownoutFrom")
    val brownoutUntil: String? get() = text("brownoutUntil")
    val maintenanceFrom: String? get() = text("maintenanceFrom")
    val maintenanceUntil: String? get() = text("maintenanceUntil")

    /** For how many seconds to leave the user alone after "later". */
    val snoozeSeconds: Long? get() = wire["snoozeSeconds"] as Long?

    /** For how many seconds not to ask again. */
    val retryAfterSeconds: Long? get() = wire["retryAfterSeconds"] as Long?
    val rule: String? get() = text("rule")
    val revision: String? get() = text("revision")

    override fun equals(other: Any?) = other is Facts && wire == other.wire
    override fun hashCode() = wire.hashCode()
    override fun toString() = "Facts$wire"

    internal fun retryAfter(seconds: Long) = Facts(wire + ("retryAfterSeconds" to seconds))

    private fun text(name: String) = wire[name] as String?

    companion object {
        private val NUMBERS = setOf("minimumBuild", "snoozeSeconds")

        /** The members of a window. */
        internal val WINDOW = setOf("maintenanceFrom", "maintenanceUntil")

        /** The members of an update; `retryAfterSeconds` is that of a field. */
        internal val UPDATE = NUMBERS + setOf(
            "title", "message", "button", "storeUrl", "minimumVersion", "latestVersion", "currentVersion",
            "cannotUpdate", "enforceFrom", "brownoutFrom", "brownoutUntil", "rule", "revision"
        )

        /** Facts by the names of the wire, such as a test or a preview of the app makes up. */
        @JvmStatic
        fun of(members: Map<String, Any?>): Facts = read(members, UPDATE + WINDOW)

        /** Those of the names that are there and of the right type; an empty text is none. */
        internal fun read(members: Any?, names: Set<String>): Facts {
            val found = LinkedHashMap<String, Any>()
            for (name in names) {
                val value = (members as? Map<*, *>)?.get(name) ?: continue
                val isRight = when (name) {
                    in NUMBERS -> value is Long
                    "cannotUpdate" -> value is Boolean
                    else -> value is String && value != ""
                }
                if (isRight) found[name] = value
            }
            return Facts(found)
        }
    }
}

/** Where a client stands. */
sealed class State

/** What the gate has said itself. */
sealed class Known : State()

/** The build is served; [announced] is the maintenance that is to come, if one is announced. */
data class Allowed(val announced: Facts? = null) : Known()

/** The build is served, and there is a better one. */
data class Recommended(val update: Facts = Facts(), val announced: Facts? = null) : Known()

/** What a denied request, or a denied build, is told. */
sealed class Denial : Known()

/** The build is not served; until `update.brownoutUntil`, if that is there. */
data class Required(val update: Facts = Facts(), val announced: Facts? = null) : Denial()

/** Nobody is served. */
data class Maintenance(val window: Facts = Facts()) : Denial()

/**
 * The gate has not said it: offline, a captive portal, or something that is no gate.
 *
 * [last] is the gate's last word, unless that has ended by itself. It is no denial.
 */
data class Unknown(val last: Known? = null) : State()

private val TIME = Regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")

/** A time of the wire, in milliseconds since 1970; null if it is none. */
fun parseTime(text: String): Long? {
    val format = SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT)
    format.timeZone = TimeZone.getTimeZone("UTC")
    format.isLenient = false
    // The format alone takes other numbers of digits, too.
    return if (TIME.matches(text)) format.parse(text, ParsePosition(0))?.time else null
}

/** A state as docs/wire writes it. */
internal fun wire(state: State): Map<String, Any> = when (state) {
    is Allowed -> wire("allowed", "announced" to state.announced)
    is Recommended -> wire("recommended", "update" to state.update, "announced" to state.announced)
    is Required -> wire("required", "update" to state.update, "announced" to state.announced)
    is Maintenance -> wire("maintenance", "window" to state.window)
    is Unknown -> wire("unknown")
}

private fun wire(name: String, vararg parts: Pair<String, Facts?>): Map<String, Any> {
    val document = linkedMapOf<String, Any>("state" to name)
    for ((part, facts) in parts) if (facts != null) document[part] = facts.wire
    return document
}

/** A state as [wire] writes it; null for anything else, and for `unknown`. */
internal fun stateFromWire(document: Any?): Known? {
    if (document !is Map<*, *>) return null
    val announced = Facts.read(document["announced"], Facts.WINDOW).takeIf { it != Facts() }
    val update = Facts.read(document["update"], Facts.UPDATE)
    return when (document["state"]) {
        "allowed" -> Allowed(announced)
        "recommended" -> Recommended(update, announced)
        "required" -> Required(update, announced)
        "maintenance" -> Maintenance(Facts.read(document["window"], Facts.UPDATE + Facts.WINDOW))
        else -> null
    }
}
