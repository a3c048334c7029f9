package versiongate

import java.text.ParsePosition
import java.text.SimpleDateFormat
import java.util.Locale
import java.util.TimeZone

/**
 * The facts about an update or a maintenance window; null for facts that were not sent.
 *
 * The names are those of the protocol. Times are strings in the gate's format (RFC 3339); [parseTime] parses them.
 */
class Facts private constructor(internal val wire: Map<String, Any>) {
    /** No facts. */
    constructor() : this(emptyMap())

    val title: String? get() = text("title")
    val message: String? get() = text("message")
    val button: String? get() = text("button")
    val storeUrl: String? get() = text("storeUrl")
    val minimumVersion: String? get() = text("minimumVersion")
    val minimumBuild: Long? get() = wire["minimumBuild"] as Long?
    val latestVersion: String? get() = text("latestVersion")
    val currentVersion: String? get() = text("currentVersion")

    /** Whether the device's OS is too old for the update: show the texts, hide the button. */
    val cannotUpdate: Boolean get() = wire["cannotUpdate"] == true
    val enforceFrom: String? get() = text("enforceFrom")
    val brownoutFrom: String? get() = text("brownoutFrom")
    val brownoutUntil: String? get() = text("brownoutUntil")
    val maintenanceFrom: String? get() = text("maintenanceFrom")
    val maintenanceUntil: String? get() = text("maintenanceUntil")

    /** How long to hide the update after the user chooses "later", in seconds. */
    val snoozeSeconds: Long? get() = wire["snoozeSeconds"] as Long?

    /** The number of seconds before a request may be retried. */
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

        /** The members of a maintenance window. */
        internal val WINDOW = setOf("maintenanceFrom", "maintenanceUntil")

        /** The members of an update, without `retryAfterSeconds`, which is from a header. */
        internal val UPDATE = NUMBERS + setOf(
            "title", "message", "button", "storeUrl", "minimumVersion", "latestVersion", "currentVersion",
            "cannotUpdate", "enforceFrom", "brownoutFrom", "brownoutUntil", "rule", "revision"
        )

        /** Creates facts by their names in the protocol, for tests and previews. */
        @JvmStatic
        fun of(members: Map<String, Any?>): Facts = read(members, UPDATE + WINDOW)

        /** Returns the members that have the right type; empty strings are left out. */
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

/** The state of a client. */
sealed class State

/** A state that the gate has sent. */
sealed class Known : State()

/** The build is allowed; [announced] is the announced maintenance, if there is one. */
data class Allowed(val announced: Facts? = null) : Known()

/** The build is allowed, and an update is recommended. */
data class Recommended(val update: Facts = Facts(), val announced: Facts? = null) : Known()

/** The state of a denied request or build. */
sealed class Denial : Known()

/** The build is denied, until `update.brownoutUntil` if it is set. */
data class Required(val update: Facts = Facts(), val announced: Facts? = null) : Denial()

/** The service is down for maintenance. */
data class Maintenance(val window: Facts = Facts()) : Denial()

/**
 * The gate has not responded: offline, a captive portal, or a response that is not from a gate.
 *
 * [last] is the last known state, unless it has expired. It is not a denial.
 */
data class Unknown(val last: Known? = null) : State()

private val TIME = Regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")

/** Parses a time in the protocol's format into milliseconds since 1970; null if it is invalid. */
fun parseTime(text: String): Long? {
    val format = SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT)
    format.timeZone = TimeZone.getTimeZone("UTC")
    format.isLenient = false
    // The date format alone accepts other numbers of digits.
    return if (TIME.matches(text)) format.parse(text, ParsePosition(0))?.time else null
}

/** Returns a state in the format of docs/wire. */
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

/** Parses a state in the format of [wire]; null if it is invalid, or `unknown`. */
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
