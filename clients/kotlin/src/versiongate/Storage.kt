package versiongate

import java.io.File
import java.io.IOException

/** Where a client keeps what it was told last; it may be asked on any thread. */
interface Storage {
    /** What was saved last; null if nothing was. */
    fun load(): String?

    fun save(text: String)
}

/** Keeps it in a file, which is replaced whole. */
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
            // Windows renames to no file that is there.
            val isReplaced = fresh.renameTo(file) || file.delete() && fresh.renameTo(file)
            if (!isReplaced) throw IOException("not replaced: $file")
        } finally {
            fresh.delete()
        }
    }
}

/** What a build was told last, and what its user put off. */
internal class Memory(identity: Identity, private val storage: Storage?, private val clock: () -> Long) {
    private class Snoozed(val version: String, val until: Long)

    /** Another build of the app has another state. */
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

    /** The gate cannot be asked. */
    @Synchronized
    fun unknown(): Unknown {
        load()
        return unknown(last)
    }

    /** The same for a part of the API, of which this was said last. */
    fun unknown(last: Known?) = Unknown(if (last == null || isOver(last)) null else last)

    /** What the app is told, which has put off what it may. */
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

    /** Whether a state has ended by itself meanwhile. */
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
            // An app's own storage may throw anything; without it the app only remembers less.
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
            // Likewise.
        }
    }

    private companion object {
        const val DAY = 86_400L
        const val LONGEST_SNOOZE = 100 * 365 * DAY
    }
}
