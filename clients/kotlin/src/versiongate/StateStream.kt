package versiongate

import java.io.Closeable
import java.io.IOException
import java.net.HttpURLConnection
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

/** Follows `/.versiongate/events`, and comes back after each loss. */
internal class StateStream(private val gate: VersionGate, private val listener: (State) -> Unit) : Closeable {
    private val closing = CountDownLatch(1)
    private val events = EventReader()
    @Volatile
    private var connection: HttpURLConnection? = null
    private var told: State? = null
    private var failures = 0

    private val isClosed: Boolean get() = closing.count == 0L

    fun start() = daemon {
        while (!isClosed) {
            follow()
            closing.await(gate.pause(events.retryMillis ?: POLITE_PAUSE, failures), TimeUnit.MILLISECONDS)
        }
    }

    override fun close() {
        closing.countDown()
        // Closing may wait, and on Android it is of the network.
        daemon { connection?.disconnect() }
    }

    /** One stream from its begin to its end. */
    private fun follow() {
        var lines: Lines? = null
        while (true) {
            val state = try {
                if (lines == null) lines = open()
                next(lines)
            } catch (error: Exception) {
                // A connection throws more than `IOException` when it is ended by another thread.
                lose()
                null
            }
            if (state == null) break
            failures = 0
            gate.memory.remember(state)
            val shown = gate.memory.shown(state)
            if (shown != told) tell(shown)
        }
        connection?.disconnect()
    }

    private fun open(): Lines {
        events.restart()
        val connection = gate.openEvents(events.lastId)
        this.connection = connection
        val answer = head(connection)
        if (answer.status != 200 || answer.mediaType != "text/event-stream") throw IOException("no stream of events")
        return Lines(connection.inputStream)
    }

    /** The next state; null at the end of the stream. */
    private fun next(lines: Lines): Known? {
        while (true) {
            val line = lines.next()
            if (isClosed) return null
            if (line == null) {
                if (!lines.hasRead) throw IOException("an empty stream")
                return null
            }
            events.read(line)?.let { return it }
        }
    }

    private fun lose() {
        failures += 1
        // So that the gate says again what it has said before.
        events.lastId = null
        if (told !is Unknown) tell(gate.memory.unknown())
    }

    private fun tell(state: State) {
        if (isClosed) return
        told = state
        listener(state)
    }

    private companion object {
        const val POLITE_PAUSE = 3_000L
    }
}
