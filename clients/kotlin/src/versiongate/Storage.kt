package versiongate

import java.io.File
import java.io.IOException

/** Storage for the last state of a client; it may be called on any thread. */
interface Storage {
    /** Returns the saved text; null if there is none. */
    fun load(): String?

    fun save(text: String)
}

/** Storage in a file, which is replaced atomically if possible. */
class FileStorage(file: File) : Storage {
    private val file = file.absoluteFile

    override fun load(): String? = try {
        file.readText()
    } catch (error: IOException) {
        null
    }

    override fun save(text: String) {
        val fresh = File.createTempFile("gate", ".new", file.parentFile)
        try {
            fresh.writeText(text)
            // On Windows, a file cannot be renamed to an existing one.
            val isReplaced = fresh.renameTo(file) || file.delete() && fresh.renameTo(file)
            if (!isReplaced) throw IOException("not replaced: $file")
        } finally {
            fresh.delete()
        }
    }
}

/** The last state of a build, and the update that its user has snoozed. */
internal class Memory(identity: Identity, private val storage: Storage?, private val clock: () -> Long) {
    private class Snoozed(val version: String, val until: Long)

    /** The state is stored separately for each build of the app. */
    private val key = listOf(identity.app, identity.platform, identity.version, identity.build)
    private var isLoaded = false
    private var last: Known? = null
    private var snoozed: Snoozed? = null

    @Synchronized
    fun remember(state: Known) {
        load()
        if (state == last) return
        last = state
        save()
    }

    /** Returns the state to report if the gate cannot be reached. */
    @Synchronized
    fun unknown(): Unknown {
        load()
        return unknown(last)
    }

    /** Returns the state to report for a part of the API if the gate cannot be reached; [last] is its last state. */
    fun unknown(last: Known?) = Unknown(if (last == null || isOver(last)) null else last)

    /** Returns the state to show, which hides a snoozed recommendation. */
    @Synchronized
    fun shown(state: Known): Known {
        load()
        val snoozed = snoozed
        if (state !is Recommended || snoozed == null || snoozed.version != version(state.update)) return state
        return if (clock() < snoozed.until) Allowed(state.announced) else state
    }

    @Synchronized
    fun snooze(update: Facts): Boolean {
        load()
        if (last != null && last !is Recommended) return false
        val seconds = (update.snoozeSeconds ?: DAY).coerceIn(0, LONGEST_SNOOZE)
        snoozed = Snoozed(version(update), clock() + seconds * 1_000)
        save()
        return true
    }

    private fun version(update: Facts) = update.latestVersion ?: ""

    /** Whether a state has expired. */
    private fun isOver(state: Known): Boolean {
        val end = when (state) {
            is Maintenance -> state.window.maintenanceUntil
            is Required -> state.update.brownoutUntil
            else -> null
        }
        val time = end?.let { parseTime(it) }
        return time != null && time <= clock()
    }

    private fun load() {
        if (isLoaded) return
        isLoaded = true
        val stored = try {
            storage?.load()?.let { Json.read(it) } as? Map<*, *>
        } catch (error: Exception) {
            // Custom storage may throw any exception; without storage, the state is only kept in memory.
            null
        }
        if (stored == null || stored["identity"] != key) return
        last = stateFromWire(stored["state"])
        val version = (stored["snoozed"] as? List<*>)?.getOrNull(0) as? String
        val until = (stored["snoozed"] as? List<*>)?.getOrNull(1) as? Long
        if (version != null && until != null) snoozed = Snoozed(version, until)
    }

    private fun save() {
        val document = mapOf(
            "identity" to key,
            "state" to last?.let { wire(it) },
            "snoozed" to snoozed?.let { listOf(it.version, it.until) }
        )
        try {
            storage?.save(Json.write(document))
        } catch (error: Exception) {
            // Custom storage may throw any exception.
        }
    }

    private companion object {
        const val DAY = 86_400L
        const val LONGEST_SNOOZE = 100 * 365 * DAY
    }
}
